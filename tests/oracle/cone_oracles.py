"""Independent solvers of cone programs: Clarabel, ECOS and CVXOPT.

All three solve  min { q'y : A y + s = b, s in K }  with K a nonnegative orthant times
second-order cones, here in scaled coordinates: y = u / width, limits 1, |q| = 1.
"""

import warnings
from dataclasses import dataclass

import clarabel
import cvxopt
import ecos
import numpy as np
from scipy import sparse

cvxopt.solvers.options.update(
    # Tighter tolerances make it fail more often.
    show_progress=False, abstol=1e-10, reltol=1e-9, feastol=1e-9, maxiters=60
)


@dataclass
class Standard:
    """A cone program in the form above."""

    q: np.ndarray
    A: np.ndarray
    b: np.ndarray
    rows: int
    cone_sizes: list
    unit: float  # values of the problem are `unit` times those of the standard form


@dataclass
class Answer:
    """What a solver claims, in units of the problem, and how well it proves it."""

    value: float = np.nan
    gap: float = np.inf  # proved upper bound minus proved lower bound


def standard_form(record):
    """Normalises a record."""
    width = record.width
    blocks, rights = [], []
    if record.box_is_constraint:
        blocks += [np.diag(width / record.upper), np.diag(width / record.lower)]
        rights += [np.ones(2 * record.dim)]
    if record.h.size:
        blocks.append(record.G * width / record.h[:, None])
        rights.append(np.ones(record.h.size))
    rows = sum(block.shape[0] for block in blocks)
    for cone in record.cones:
        blocks += [(cone.a * width / cone.c)[None, :], -(cone.rho / cone.c) * cone.M * width]
        rights += [np.ones(1), cone.rho / cone.c * cone.e]
    q = record.v * width
    unit = float(np.linalg.norm(q))
    return Standard(
        q / unit, np.vstack(blocks), np.concatenate(rights), rows,
        [record.dim + 1] * len(record.cones), unit,
    )  # fmt: skip


def _cone_slices(problem):
    start = problem.rows
    for size in problem.cone_sizes:
        yield slice(start, start + size)
        start += size


def _judge(problem, y, z, value):
    """An answer with its own gap.

    Upper bound: y shrunk towards 0, which is strictly feasible, until it is feasible. Lower bound:
    z moved into the cone, and what is left of q + A'z met by the box |y| <= 1.
    """
    if y is None or z is None or not (np.isfinite(y).all() and np.isfinite(z).all()):
        return Answer()
    y, z = np.array(y).ravel(), np.array(z).ravel().copy()
    need = problem.A @ y
    shrink = max(1.0, float(need[: problem.rows].max(initial=0.0)))
    for part in _cone_slices(problem):
        inner, e = -need[part][1:], problem.b[part][1:]
        at_point = need[part][0] + np.linalg.norm(inner + e)
        at_zero = np.linalg.norm(e)
        if at_point > 1.0:
            shrink = max(shrink, (at_point - at_zero) / (1.0 - at_zero))
        z[part.start] = max(z[part.start], np.linalg.norm(z[part][1:]))
    z[: problem.rows] = np.maximum(z[: problem.rows], 0.0)
    upper = problem.q @ y / shrink
    lower = -problem.b @ z - np.abs(problem.q + problem.A.T @ z).sum()
    return Answer(problem.unit * value, problem.unit * (upper - lower))


def by_clarabel(problem):
    """An interior-point method on the homogeneous embedding, in Rust."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-12
    settings.tol_ktratio = 1e-10
    settings.max_iter = 100
    cones = [clarabel.NonnegativeConeT(problem.rows)] if problem.rows else []
    cones += [clarabel.SecondOrderConeT(size) for size in problem.cone_sizes]
    n = problem.q.size
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix((n, n)), problem.q, sparse.csc_matrix(problem.A), problem.b, cones, settings
    )
    result = solver.solve()
    return _judge(problem, result.x, result.z, result.obj_val)


def by_ecos(problem):
    """An interior-point method for embedded use, in C."""
    result = ecos.solve(
        problem.q, sparse.csc_matrix(problem.A), problem.b,
        {"l": problem.rows, "q": problem.cone_sizes},
        verbose=False, abstol=1e-13, reltol=1e-12, feastol=1e-12, max_iters=100,
    )  # fmt: skip
    return _judge(problem, result["x"], result["z"], result["info"]["pcost"])


def by_cvxopt(problem):
    """An interior-point method, in Python and LAPACK."""
    dims = {"l": problem.rows, "q": problem.cone_sizes, "s": []}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            result = cvxopt.solvers.conelp(
                cvxopt.matrix(problem.q), cvxopt.matrix(problem.A), cvxopt.matrix(problem.b), dims,
                kktsolver="ldl",
            )
    except (ArithmeticError, ValueError):
        return Answer()
    if result["x"] is None or result["z"] is None:
        return Answer()
    return _judge(problem, result["x"], result["z"], result["primal objective"])
