"""Compares our lower bounds on the safety gap with their definition, by independent solvers.

    check_gap_cases.py FILE [--faults N] [--perturb X]

For every line of a file written by gap_cases:

arms            our value agrees to 1e-7 with min_i Delta^i, clipped to [0, inf). Where it does not,
                it must lie between what the definition gives with ties decided downwards and
                upwards (arms that are safe, and sets that are empty, by less than 1e-7);
box, polytope   the same with the smallest gap over all vertices, enumerated by brute force;
ball            our value is at least the closed form and at most the gap of 20,000 parameters.

All relative to the largest room m_k. `--perturb X` adds X times that to every value that is not 0
first, to show that the check can fail. Prints a table per family and ends with
`N passed, N failed`.
"""

import argparse
import json
import sys
import time
from dataclasses import dataclass

import numpy as np

from gap_oracles import Undecided, arms_gap, ball_formula, sampled_ball_gap, vertex_gap

AGREEMENT = 1e-7
SAMPLES = 20_000


@dataclass
class Row:
    """One family's line of the table."""

    count: int = 0
    positive: int = 0
    failed: int = 0
    arbitrated: int = 0
    disagreement: float = 0.0

    def add(self, case, fault, disagreement, is_arbitrated):
        self.count += 1
        self.positive += case["value"] > 0
        self.failed += bool(fault)
        self.arbitrated += is_arbitrated
        self.disagreement = max(self.disagreement, disagreement)


def clipped(gap):
    """What the library reports: 0 if every set is empty."""
    return 0.0 if gap == np.inf else max(0.0, gap)


def check_ball(case, scale):
    """The fault and how far outside the value lies."""
    lowest = clipped(ball_formula(case))
    highest = clipped(sampled_ball_gap(case, SAMPLES, case["id"]))
    outside = max(lowest - case["value"], case["value"] - highest) / scale
    fault = f"not in [{lowest:.9g}, {highest:.9g}]" if outside > AGREEMENT else ""
    return fault, max(outside, 0.0), False


def check_exact(case, scale):
    """The fault, the disagreement, and whether a tie had to be decided."""
    is_arms = case["set"]["kind"] == "arms"
    try:
        expected = clipped(arms_gap(case) if is_arms else vertex_gap(case))
        disagreement = abs(case["value"] - expected) / scale
        if disagreement <= AGREEMENT:
            return "", disagreement, False
        fault = f"expected {expected:.12g}"
    except Undecided as error:
        fault = f"undecided: {error}"
    if is_arms:
        try:
            low, high = arms_gap(case, -AGREEMENT), arms_gap(case, AGREEMENT)
            is_between = low - AGREEMENT * scale <= case["value"] <= high + AGREEMENT * scale
            if is_between and low < high - AGREEMENT * scale:
                return "", 0.0, True
        except Undecided:
            pass
    return fault, 0.0 if "undecided" in fault else disagreement, False


def check(case):
    """The fault of a case, its disagreement, and whether a tie had to be decided."""
    scale = max(entry["room"] for entry in case["constraints"])
    if not case["is_complete"]:
        return "gave up", 0.0, False
    if not (np.isfinite(case["value"]) and case["value"] >= 0.0):
        return "not a number in [0, inf)", np.inf, False
    if case["set"]["kind"] == "ball":
        return check_ball(case, scale)
    return check_exact(case, scale)


def print_table(rows):
    """The table of results."""
    print(f"{'family':<30}{'count':>6}{'gap > 0':>9}{'failed':>7}{'ties':>6}{'disagree':>10}")
    for name, row in rows.items():
        print(f"{name:<30}{row.count:>6}{row.positive:>9}{row.failed:>7}{row.arbitrated:>6}"
              f"{row.disagreement:>10.1e}")  # fmt: skip


def total(rows):
    """The sum of the table."""
    result = Row()
    for row in rows.values():
        result.count += row.count
        result.positive += row.positive
        result.failed += row.failed
        result.arbitrated += row.arbitrated
        result.disagreement = max(result.disagreement, row.disagreement)
    return result


def main():
    """Reads the arguments, checks the file, returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="written by gap_cases")
    parser.add_argument("--faults", type=int, default=20, help="how many faults to describe")
    parser.add_argument("--perturb", type=float, default=0.0, help="add this to positive values")
    args = parser.parse_args()
    start = time.monotonic()
    rows = {}
    described = 0
    with open(args.file, encoding="utf-8") as lines:
        for case in map(json.loads, lines):
            if case["value"] > 0.0:
                case["value"] += args.perturb * max(k["room"] for k in case["constraints"])
            fault, disagreement, is_arbitrated = check(case)
            row = rows.setdefault(case["family"], Row())
            row.add(case, fault, disagreement, is_arbitrated)
            if fault and described < args.faults:
                described += 1
                print(f"case {case['id']} ({case['family']}, d = {len(case['mu_hat'])}): "
                      f"{case['value']:.12g}: {fault}")  # fmt: skip
    summary = total(rows)
    print_table(rows | {"all": summary})
    print(f"{summary.count} cases in {time.monotonic() - start:.0f} s")
    print(f"{summary.count - summary.failed} passed, {summary.failed} failed")
    return 1 if summary.failed or not summary.count else 0


if __name__ == "__main__":
    sys.exit(main())
