"""A record's point and multipliers judged in MPFR, 240 bits: rounding plays no part.

Inputs are taken as the doubles they are. 240 bits leave an error below 1e-60 relative to the
largest term, so the results are exact for every comparison made with them.
"""

import gmpy2
import numpy as np

gmpy2.get_context().precision = 240

_to_mpfr = np.frompyfunc(gmpy2.mpfr, 1, 1)
ZERO = gmpy2.mpfr(0)


def exact(values):
    """An array of doubles as an array of MPFR numbers."""
    return _to_mpfr(np.asarray(values, dtype=object))


def _norm(vector):
    return gmpy2.sqrt(sum((entry * entry for entry in vector), ZERO))


class ExactRecord:
    """The data of a record in MPFR, converted once."""

    def __init__(self, record):
        self.record = record
        self.v = exact(record.v)
        self.u = exact(record.u)
        self.G = exact(record.G)
        self.h = exact(record.h)
        self.cones = [
            (exact(cone.a), exact(cone.M), exact(cone.e), gmpy2.mpfr(cone.rho), gmpy2.mpfr(cone.c))
            for cone in record.cones
        ]

    def value(self):
        """v'u."""
        return self.v @ self.u

    def violation(self):
        """The largest excess over a constraint, relative to its limit and the size of its terms."""
        record = self.record
        worst = ZERO
        if record.box_is_constraint:
            over = np.maximum(self.u - exact(record.upper), exact(record.lower) - self.u)
            worst = max(worst, max(over / exact(record.width)))
        if record.h.size:
            sizes = np.maximum(np.abs(self.h), np.abs(self.G) @ np.abs(self.u))
            worst = max(worst, max((self.G @ self.u - self.h) / sizes))
        for a, M, e, rho, c in self.cones:
            over = a @ self.u + rho * _norm(M @ self.u + e) - c
            size = max(c, np.abs(a) @ np.abs(self.u) + rho * _norm(np.abs(M) @ np.abs(self.u)))
            worst = max(worst, over / size)
        return float(worst)

    def dual_bound(self):
        """The lower bound on the optimum that the multipliers prove (cone_program.hpp)."""
        record = self.record
        g = self.v.copy()
        bound = ZERO
        eta = exact(np.maximum(record.eta, 0.0))
        if record.h.size:
            g = g + self.G.T @ eta
            bound -= self.h @ eta
        for k, (a, M, e, rho, c) in enumerate(self.cones):
            tau = gmpy2.mpfr(record.tau[k])
            if not tau > 0:
                continue
            w = exact(record.w[:, k])
            weight = tau * rho / max(gmpy2.mpfr(1), _norm(w))
            g = g + tau * a + weight * (M.T @ w)
            bound += weight * (w @ e) - tau * c
        sides = np.where(g > 0, exact(record.lower), exact(record.upper))
        return bound + g @ sides

    def term_size(self):
        """The sum of the sizes of all terms of the dual bound: what its rounding is relative to."""
        record = self.record
        width = record.width
        size = np.abs(record.v) @ width
        size += record.eta @ (np.abs(record.h) + np.abs(record.G) @ width)
        for tau, cone, w in zip(record.tau, record.cones, record.w.T):
            norm = np.abs(w) @ (np.abs(cone.M) @ width + np.abs(cone.e))
            size += tau * (cone.c + np.abs(cone.a) @ width + cone.rho * norm)
        return float(size)
