"""The lower confidence bound on the safety gap, recomputed from its definition.

Programs are posed in the parameter v itself, with the Gram matrix A as it is: Clarabel for the
ellipsoid, HiGHS for the l1 region. Vertices of polytopes come from all d-subsets of the rows, and
normal cones from their generators. Nothing is shared with the library.
"""

import itertools
import warnings

import clarabel
import numpy as np
from scipy import linalg, optimize, sparse

# Rows meet a vertex, and two vertices are one, up to this.
INCIDENCE = 1e-9


class Undecided(Exception):
    """A solver neither solved a program nor proved it infeasible."""


class Region:
    """C = { v : |root (v - mu_hat)| <= radius } in the 2-norm or the 1-norm."""

    def __init__(self, case):
        A = np.array(case["gram"])
        self.mu_hat = np.array(case["mu_hat"])
        self.dim = len(self.mu_hat)
        self.is_l1 = case["region"] == "l1"
        self.radius = case["radius"] * (np.sqrt(self.dim) if self.is_l1 else 1.0)
        if self.is_l1 and case["root"] == "symmetric":
            self.root = np.real(linalg.sqrtm(A))
        else:
            self.root = linalg.cholesky(A, lower=True).T
        self.inverse = np.linalg.inv(self.root)

    def highest(self, z):
        """max z'v over C."""
        width = np.array(z) @ self.inverse
        norm = np.abs(width).max() if self.is_l1 else np.linalg.norm(width)
        return self.mu_hat @ z + self.radius * norm

    def minimum(self, z, rows, limits, generators=None):
        """min { z'v : v in C, rows v <= limits, -v in cone(generators) }; inf if empty."""
        rows = np.array(rows, dtype=float).reshape(-1, self.dim)
        generators = np.zeros((0, self.dim)) if generators is None else generators
        solve = self._by_highs if self.is_l1 else self._by_clarabel
        return solve(np.array(z), rows, np.array(limits, dtype=float), generators)

    # Both solvers get v = mu_hat + inverse y * radius as an equality, so that their unknowns are of
    # order 1: y in the unit ball, and generators' weights in units of their own.

    def _by_highs(self, z, rows, limits, generators):
        d, g = self.dim, len(generators)
        # Unknowns y, t >= |y|, weights.
        T = self.radius * self.inverse
        zero_dt = np.zeros((len(rows), d))
        upper = [np.hstack([rows @ T, zero_dt, np.zeros((len(rows), g))])]
        upper += [np.hstack([np.eye(d), -np.eye(d), np.zeros((d, g))])]
        upper += [np.hstack([-np.eye(d), -np.eye(d), np.zeros((d, g))])]
        upper += [np.hstack([np.zeros(d), np.ones(d), np.zeros(g)])[None, :]]
        right = np.concatenate([limits - rows @ self.mu_hat, np.zeros(2 * d), np.ones(1)])
        equal = np.hstack([T, np.zeros((d, d)), generators.T]) if g else None
        size = max(np.linalg.norm(T.T @ z), 1e-300)
        cost = np.concatenate([T.T @ z / size, np.zeros(d + g)])
        answer = optimize.linprog(
            cost, np.vstack(upper), right, equal, -self.mu_hat if g else None,
            bounds=[(None, None)] * d + [(0, None)] * (d + g), method="highs",
            options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
        )  # fmt: skip
        if answer.status == 2:
            return np.inf
        if answer.status != 0:
            raise Undecided(answer.message)
        return self.mu_hat @ z + size * answer.fun

    def _by_clarabel(self, z, rows, limits, generators):
        d, g = self.dim, len(generators)
        T = self.radius * self.inverse
        blocks = [np.hstack([T, generators.T])] if g else []
        rights = [-self.mu_hat] if g else []
        cones = [clarabel.ZeroConeT(d)] if g else []
        if len(rows) or g:
            blocks.append(np.block([[rows @ T, np.zeros((len(rows), g))],
                                    [np.zeros((g, d)), -np.eye(g)]]))  # fmt: skip
            rights.append(np.concatenate([limits - rows @ self.mu_hat, np.zeros(g)]))
            cones.append(clarabel.NonnegativeConeT(len(rows) + g))
        ball = np.zeros((d + 1, d + g))
        ball[1:, :d] = -np.eye(d)
        blocks.append(ball)
        rights.append(np.concatenate([np.ones(1), np.zeros(d)]))
        cones.append(clarabel.SecondOrderConeT(d + 1))
        size = max(np.linalg.norm(T.T @ z), 1e-300)
        cost = np.concatenate([T.T @ z / size, np.zeros(g)])
        matrix, right = sparse.csc_matrix(np.vstack(blocks)), np.concatenate(rights)
        # What the tight tolerances leave open, the usual ones mostly decide.
        for tolerance in (1e-11, 1e-8):
            settings = clarabel.DefaultSettings()
            settings.verbose = False
            settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
            settings.tol_infeas_abs = settings.tol_infeas_rel = tolerance
            quadratic = sparse.csc_matrix((d + g, d + g))
            solver = clarabel.DefaultSolver(quadratic, cost, matrix, right, cones, settings)
            answer = solver.solve()
            status = str(answer.status)
            if status == "PrimalInfeasible":
                return np.inf
            if status in ("Solved", "AlmostSolved"):
                return self.mu_hat @ z + size * answer.obj_val_dual
        raise Undecided(status)


class Constraints:
    """v'B_k(y - x0) <= m_k."""

    def __init__(self, case):
        self.centre = np.array(case["centre"])
        self.matrices = [np.array(entry["matrix"]) for entry in case["constraints"]]
        self.rooms = [entry["room"] for entry in case["constraints"]]

    def images(self, y):
        """B_k(y - x0) for every k."""
        return [B @ (np.array(y) - self.centre) for B in self.matrices]


def arms_gap(case, tolerance=0.0):
    """min_i Delta^i, not clipped; inf if every arm's set is empty.

    A positive tolerance decides ties upwards, in units of the room: arms join Y^i that miss it by
    so little, and sets are cut by so much more. A negative one decides them downwards.
    """
    region, constraints = Region(case), Constraints(case)
    arms = np.array(case["set"]["arms"])
    images = [constraints.images(y) for y in arms]
    rooms = np.array(constraints.rooms)
    slack = tolerance * rooms.max()
    smallest = np.inf
    for i, y in enumerate(arms):
        comparable = []
        for j, other in enumerate(arms):
            is_comparable = all(
                region.highest(z) <= m
                or -region.minimum(-z, images[i], rooms) <= m * (1 + 1e-10) + slack
                for z, m in zip(images[j], rooms)
            )
            if is_comparable and not np.array_equal(other, y):
                comparable.append(y - other)
        rows = np.array(images[i] + comparable)
        limits = np.concatenate([rooms, -slack * np.ones(len(comparable))])
        for z, m in zip(images[i], rooms):
            smallest = min(smallest, m + region.minimum(-z, rows, limits))
    return smallest


def vertices(normals, offsets):
    """All vertices of { x : normals x <= offsets } with their active rows, by brute force."""
    rows, d = normals.shape
    found = []
    for subset in itertools.combinations(range(rows), d):
        matrix = normals[list(subset)]
        if abs(np.linalg.det(matrix)) < 1e-10:
            continue
        x = np.linalg.solve(matrix, offsets[list(subset)])
        if (normals @ x > offsets + INCIDENCE).any():
            continue
        if not any(np.abs(x - other).max() < INCIDENCE for other, _ in found):
            found.append((x, np.flatnonzero(normals @ x > offsets - INCIDENCE)))
    return found


def box_vertices(lower, upper):
    """The corners, with the outer normals of their sides."""
    for corner in itertools.product((0, 1), repeat=len(lower)):
        signs = np.array(corner)
        yield np.where(signs == 1, upper, lower), np.diag(2.0 * signs - 1.0)


def vertex_gap(case):
    """The smallest m_k - v'B_k(y - x0) over vertices y and v in C with -v in N(y)."""
    region, constraints = Region(case), Constraints(case)
    given = case["set"]
    if given["kind"] == "box":
        pairs = box_vertices(np.array(given["lower"]), np.array(given["upper"]))
    else:
        normals, offsets = np.array(given["normals"]), np.array(given["offsets"])
        size = np.linalg.norm(normals, axis=1)
        normals, offsets = normals / size[:, None], offsets / size
        pairs = [(y, normals[active]) for y, active in vertices(normals, offsets)]
    smallest = np.inf
    for y, generators in pairs:
        for z, m in zip(constraints.images(y), constraints.rooms):
            gap = m + region.minimum(-z, [], [], generators)
            smallest = min(smallest, gap)
            if gap == np.inf:
                break
    return smallest


def sampled_ball_gap(case, count, seed):
    """The smallest gap of `count` parameters in C, over a ball: an upper bound on the infimum."""
    region, constraints = Region(case), Constraints(case)
    r = case["set"]["radius"]
    random = np.random.default_rng(seed)
    y = random.standard_normal((count, region.dim))
    y /= np.abs(y).sum(axis=1, keepdims=True) if region.is_l1 else np.linalg.norm(y, axis=1)[:, None]
    y[: count // 2] *= random.random((count // 2, 1)) ** (1 / region.dim)
    v = region.mu_hat + region.radius * y @ region.inverse.T
    x = -r * v / np.maximum(np.linalg.norm(v, axis=1), 1e-300)[:, None]
    gaps = [
        m - np.einsum("ij,jk,ik->i", v, B, x - constraints.centre)
        for B, m in zip(constraints.matrices, constraints.rooms)
    ]
    return float(np.min(gaps))


def ball_formula(case):
    """The closed form: m + r g(mu_hat) - 2 r |H| kappa beta / sqrt(lambda_min(A)), least k.

    With a baseline plus the smallest v'B x0 over C.
    """
    region, constraints = Region(case), Constraints(case)
    r = case["set"]["radius"]
    rho = region.radius / np.sqrt(np.linalg.eigvalsh(np.array(case["gram"]))[0])
    bounds = []
    for B, m in zip(constraints.matrices, constraints.rooms):
        H = (B + B.T) / 2
        size = np.linalg.norm(region.mu_hat)
        level = region.mu_hat @ H @ region.mu_hat / size if size > 0 else 0.0
        baseline = -region.highest(-B @ constraints.centre)
        bounds.append(m + r * level - 2 * r * np.linalg.norm(H, 2) * rho + baseline)
    return min(bounds)


warnings.filterwarnings("ignore", category=optimize.OptimizeWarning)
