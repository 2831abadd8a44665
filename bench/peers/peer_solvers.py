"""General cone solvers, timed by themselves where they can.

All solve  min { q'x : A x + s = b, s in K }  with K a nonnegative orthant times one second-order cone, in scaled
coordinates: limits 1, |q| = 1. Building matrices is not timed. Options are the solvers' defaults, but for printing.
"""

import time
from dataclasses import dataclass

import clarabel
import cvxopt
import ecos
import numpy as np
from scipy import sparse

cvxopt.solvers.options.update(show_progress=False)


@dataclass
class Program:
    """The constraints of one round, in every solver's form."""

    A: np.ndarray
    b: np.ndarray
    rows: int
    cone: int

    def __post_init__(self):
        self.sparse = sparse.csc_matrix(self.A)
        self.quadratic = sparse.csc_matrix((self.A.shape[1],) * 2)
        self.cvx_A, self.cvx_b = cvxopt.matrix(self.A), cvxopt.matrix(self.b)


@dataclass
class Timed:
    """A value and the seconds it took: to set up and solve, and to solve only."""

    value: float
    seconds: float
    solve_seconds: float


def program_of(rows, record):
    """aᵀx + ρ|Mx| <= c and the rows of the decision set, scaled."""
    normals, offsets = np.array(rows["normals"]), np.array(rows["offsets"])
    a, M = np.array(record["a"]), np.array(record["M"])
    rho, c = record["rho"], record["c"]
    A = np.vstack([normals / offsets[:, None], a[None, :] / c, -(rho / c) * M])
    b = np.concatenate([np.ones(len(offsets) + 1), np.zeros(len(a))])
    return Program(A, b, len(offsets), len(a) + 1)


def by_ecos(program, q):
    """C. Its own times."""
    result = ecos.solve(
        q, program.sparse, program.b, {"l": program.rows, "q": [program.cone]}, verbose=False
    )
    timing = result["info"]["timing"]
    return Timed(result["info"]["pcost"], timing["runtime"], timing["tsolve"])


def by_clarabel(program, q):
    """Rust. Its own time of the solve; the time to set up is not reported and not counted."""
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    cones = [clarabel.NonnegativeConeT(program.rows), clarabel.SecondOrderConeT(program.cone)]
    solver = clarabel.DefaultSolver(program.quadratic, q, program.sparse, program.b, cones, settings)
    result = solver.solve()
    return Timed(result.obj_val, result.solve_time, result.solve_time)


def by_cvxopt(program, q):
    """Python and LAPACK. It reports no time: the call is timed, on the processor's clock.

    On a few programs it ends in an error ("domain error", a singular system); then the time until there counts.
    """
    objective = cvxopt.matrix(q)
    dims = {"l": program.rows, "q": [program.cone], "s": []}
    start = time.process_time()
    try:
        value = cvxopt.solvers.conelp(objective, program.cvx_A, program.cvx_b, dims)["primal objective"]
    except (ArithmeticError, ValueError):
        value = np.nan
    seconds = time.process_time() - start
    return Timed(value, seconds, seconds)
