"""Reads the file that cone_problems writes; problem_file.hpp has the layout."""

from dataclasses import dataclass, field

import numpy as np

STATUSES = ("optimal", "inaccurate")
PATHS = ("corner", "active set", "single cone", "newton", "interior point", "linear program")


@dataclass
class Cone:
    """a'u + rho * |M u + e| <= c."""

    a: np.ndarray
    M: np.ndarray
    e: np.ndarray
    rho: float
    c: float


@dataclass
class Record:
    """One problem, min { v'u : lower <= u <= upper, G u <= h, cones }, and our answer to it."""

    id: int
    family: int
    dim: int
    box_is_constraint: bool
    is_warm: bool
    status: int
    path: int
    lower: np.ndarray
    upper: np.ndarray
    v: np.ndarray
    G: np.ndarray
    h: np.ndarray
    u: np.ndarray
    value: float
    dual_bound: float
    eta: np.ndarray
    tau: np.ndarray
    w: np.ndarray
    clp_value: float
    cones: list = field(default_factory=list)

    @property
    def width(self):
        """The largest |u_i| in the box."""
        return np.maximum(self.upper, -self.lower)

    @property
    def scale(self):
        """What gaps are relative to.

        max(|value|, 1e-3 * range) with range = sum |v_i| width_i <= L |v|, so this asks for at
        least what a gap relative to max(|value|, 1e-3 L |v|) would.
        """
        return max(abs(self.value), 1e-3 * float(np.abs(self.v) @ self.width))


class _Words:
    def __init__(self, path):
        self.words = np.fromfile(path, dtype=np.int64)
        self.doubles = self.words.view(np.float64)
        self.position = 0

    def integer(self):
        self.position += 1
        return int(self.words[self.position - 1])

    def text(self, length):
        count = (length + 7) // 8
        chunk = self.words[self.position : self.position + count].tobytes()
        self.position += count
        return chunk[:length].decode()

    def matrix(self, rows, cols):
        start = self.position
        self.position += rows * cols
        return self.doubles[start : self.position].reshape((rows, cols), order="F")

    def vector(self, size):
        return self.matrix(size, 1)[:, 0]

    def double(self):
        return float(self.vector(1)[0])


def read_file(path):
    """The names of the families and an iterator over the records."""
    words = _Words(path)
    if words.text(8) != "FHCONE01":
        raise ValueError(f"{path}: must be a file written by cone_problems")
    names = [words.text(words.integer()) for _ in range(words.integer())]
    count = words.integer()
    return names, count, (_read_record(words) for _ in range(count))


def _read_record(words):
    identity, family, d, rows, count, is_box, is_warm, status, path, _ = (
        words.integer() for _ in range(10)
    )
    lower, upper, v = words.vector(d), words.vector(d), words.vector(d)
    G, h = words.matrix(rows, d), words.vector(rows)
    cones = [
        Cone(words.vector(d), words.matrix(d, d), words.vector(d), words.double(), words.double())
        for _ in range(count)
    ]
    u, value, bound = words.vector(d), words.double(), words.double()
    eta, tau, w = words.vector(rows), words.vector(count), words.matrix(d, count)
    return Record(
        identity, family, d, bool(is_box), bool(is_warm), status, path, lower, upper, v, G, h,
        u, value, bound, eta, tau, w, words.double(), cones,
    )  # fmt: skip
