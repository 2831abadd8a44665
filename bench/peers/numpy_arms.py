"""Safe-LUCB over K fixed arms as one writes it in NumPy: vectorised over the arms.

Two versions: one with care for NumPy's overhead (A⁻¹ and log det A by rank-one updates), and the textbook's, which inverts A every round
and writes quadratic forms as einsum. The ratio is to the faster.

Ellipsoids for optimism and caution, the mixture radius, and the foothold |By| <= c/S beside the data-driven set: what our
policy does by default, on the same instance and noise, so that both choose the same arms.
"""

import time

import numpy as np


class NumpySafeLucb:
    """One learner."""

    def __init__(self, case):
        self.Y = np.array(case["features"])
        self.Z = self.Y @ np.array(case["matrix"]).T
        self.limit = case["limit"]
        self.R, self.S = case["noise_scale"], case["norm_bound"]
        self.ridge, self.delta = case["ridge"], case["failure_prob"]
        self.known_safe = self.S * np.linalg.norm(self.Z, axis=1) <= self.limit
        d = self.Y.shape[1]
        self.inverse = np.eye(d) / self.ridge
        self.b = np.zeros(d)
        self.log_det_ratio = 0.0
        self.constant = 2 * np.log(1 / self.delta)

    def ask(self):
        """The optimistic arm among those that are certified."""
        mu_hat = self.inverse @ self.b
        beta = np.sqrt(self.R**2 * (self.constant + self.log_det_ratio) + self.ridge * self.S**2)
        spread_z = np.sqrt(((self.Z @ self.inverse) * self.Z).sum(axis=1))
        safe = (self.Z @ mu_hat + beta * spread_z <= self.limit) | self.known_safe
        spread_y = np.sqrt(((self.Y @ self.inverse) * self.Y).sum(axis=1))
        hope = self.Y @ mu_hat - beta * spread_y
        return int(np.argmin(np.where(safe, hope, np.inf)))

    def tell(self, arm, loss):
        """Sherman and Morrison."""
        x = self.Y[arm]
        g = self.inverse @ x
        growth = 1.0 + x @ g
        self.inverse -= np.outer(g, g) / growth
        self.log_det_ratio += np.log(growth)
        self.b += loss * x


class TextbookSafeLucb(NumpySafeLucb):
    """The same formulas, written down."""

    def __init__(self, case):
        super().__init__(case)
        self.gram = self.ridge * np.eye(self.Y.shape[1])

    def ask(self):
        """The optimistic arm among those that are certified."""
        mu_hat = self.inverse @ self.b
        beta = np.sqrt(self.R**2 * (self.constant + self.log_det_ratio) + self.ridge * self.S**2)
        spread_z = np.sqrt(np.einsum("ij,jk,ik->i", self.Z, self.inverse, self.Z))
        safe = (self.Z @ mu_hat + beta * spread_z <= self.limit) | self.known_safe
        hope = self.Y @ mu_hat - beta * np.sqrt(np.einsum("ij,jk,ik->i", self.Y, self.inverse, self.Y))
        return int(np.argmin(np.where(safe, hope, np.inf)))

    def tell(self, arm, loss):
        """No recurrences."""
        x = self.Y[arm]
        self.gram += np.outer(x, x)
        self.inverse = np.linalg.inv(self.gram)
        self.log_det_ratio = np.linalg.slogdet(self.gram)[1] - len(x) * np.log(self.ridge)
        self.b += loss * x


def play(learner, case):
    """Seconds a round, and the arms played."""
    losses = np.array(case["features"]) @ np.array(case["parameter"])
    arms = []
    start = time.process_time()
    for noise in case["noise"]:
        arm = learner.ask()
        learner.tell(arm, losses[arm] + noise)
        arms.append(arm)
    return (time.process_time() - start) / len(arms), arms


def compare_arms(play_ours, repetitions):
    """Theirs and ours in turn; the median over the turns of the ratio to the faster of theirs."""
    rank_one, textbook, own = np.empty((3, repetitions))
    for turn in range(repetitions):
        case = play_ours()
        own[turn] = 1e-9 * case["median_ns"]
        rank_one[turn], arms = play(NumpySafeLucb(case), case)
        textbook[turn], _ = play(TextbookSafeLucb(case), case)
    same = sum(a == b for a, b in zip(arms, case["arms"]))
    fastest = np.minimum(rank_one, textbook)
    return {
        "numpy_us": 1e6 * float(np.median(fastest)),
        "rank_one_us": 1e6 * float(np.median(rank_one)),
        "textbook_us": 1e6 * float(np.median(textbook)),
        "ours_us": 1e6 * float(np.median(own)),
        "ratio": float(np.median(fastest / own)),
        "ratio_to_textbook": float(np.median(textbook / own)),
        "same_arms": int(same),
        "rounds": len(arms),
    }
