"""Compares our solutions of random cone programs with independent solvers.

    check_cone_problems.py FILE [--faults N]

For every record of a file written by cone_problems:

1. our point is feasible up to 1e-12, evaluated in MPFR;
2. our dual bound, evaluated in MPFR from the multipliers, is within 1e-9 of our value; the value
   and the bound that we returned differ from those of MPFR by rounding only;
3. our value agrees to 1e-7 with Clarabel and with ECOS; with CVXOPT for every tenth problem and
   where neither of them agrees or proves its value to 1e-8; and with Clp if the problem is linear.
   Where no solver's own gap is below 1e-8 the arbiter is 2: a bound proved in MPFR.

All relative to max(|value|, 1e-3 * sum |v_i| width_i). Prints a table per family and ends with
`N passed, N failed`.
"""

import argparse
import sys
import time
from dataclasses import dataclass, field

from cone_oracles import by_clarabel, by_cvxopt, by_ecos, standard_form
from cone_records import PATHS, STATUSES, read_file
from exact_cone import ExactRecord

AGREEMENT = 1e-7
ORACLE_GAP = 1e-8
GAP = 1e-9
FEASIBILITY = 1e-12
ROUNDING = 1e-14  # of the value and the bound that were returned, relative to their terms
CVXOPT_STRIDE = 11  # prime to the number of families


@dataclass
class Verdict:
    """What was found about one record."""

    faults: list = field(default_factory=list)
    disagreement: float = 0.0
    gap: float = 0.0
    violation: float = 0.0
    oracles: int = 0  # how many solvers were good enough to compare with


@dataclass
class Row:
    """One family's line of the table."""

    count: int = 0
    failed: int = 0
    disagreement: float = 0.0
    gap: float = 0.0
    violation: float = 0.0
    arbitrated: int = 0
    comparisons: int = 0
    paths: list = field(default_factory=lambda: [0] * len(PATHS))

    def add(self, record, verdict):
        self.count += 1
        self.failed += bool(verdict.faults)
        self.disagreement = max(self.disagreement, verdict.disagreement)
        self.gap = max(self.gap, verdict.gap)
        self.violation = max(self.violation, verdict.violation)
        self.arbitrated += verdict.oracles == 0
        self.comparisons += verdict.oracles
        self.paths[record.path] += 1


def check_proof(record, verdict):
    """Steps 1 and 2."""
    proof = ExactRecord(record)
    scale = record.scale
    value, bound = proof.value(), proof.dual_bound()
    verdict.violation = proof.violation()
    verdict.gap = float((value - bound) / scale)
    if not verdict.violation <= FEASIBILITY:
        verdict.faults.append(f"infeasible by {verdict.violation:.1e}")
    if not verdict.gap <= GAP:
        verdict.faults.append(f"gap {verdict.gap:.1e}")
    if not abs(float(value - record.value)) <= ROUNDING * proof.term_size():
        verdict.faults.append("value is not v'u")
    if not abs(float(record.dual_bound - bound)) <= ROUNDING * proof.term_size():
        verdict.faults.append("the dual bound is not what the multipliers prove")


def check_agreement(record, verdict):
    """Step 3."""
    problem = standard_form(record)
    scale = record.scale
    found = []
    for solve in (by_clarabel, by_ecos, by_cvxopt):
        is_settled = any(difference <= AGREEMENT for difference in found)
        if solve is by_cvxopt and is_settled and record.id % CVXOPT_STRIDE:
            continue
        answer = solve(problem)
        if answer.gap <= ORACLE_GAP * scale:
            found.append(abs(record.value - answer.value) / scale)
    if record.clp_value == record.clp_value:
        found.append(abs(record.value - record.clp_value) / scale)
    verdict.oracles = len(found)
    verdict.disagreement = max(found, default=0.0)
    if verdict.disagreement > AGREEMENT:
        verdict.faults.append("differences " + " ".join(f"{entry:.1e}" for entry in found))


def describe(name, record, verdict):
    """One line about a record that failed."""
    return (
        f"problem {record.id} ({name}, d = {record.dim}, {len(record.cones)} cones, "
        f"{'warm' if record.is_warm else 'cold'}, {PATHS[record.path]}, "
        f"{STATUSES[record.status]}): {'; '.join(verdict.faults)}"
    )


def print_table(names, rows):
    """The table of results."""
    print(f"{'family':<30}{'count':>6}{'failed':>7}{'disagree':>10}{'gap':>9}{'violate':>9}"
          f"{'solvers':>8}{'arbiter':>8}  paths")  # fmt: skip
    for name, row in zip(names, rows):
        paths = ", ".join(f"{PATHS[i]} {n}" for i, n in enumerate(row.paths) if n)
        print(f"{name:<30}{row.count:>6}{row.failed:>7}{row.disagreement:>10.1e}{row.gap:>9.1e}"
              f"{row.violation:>9.1e}{row.comparisons:>8}{row.arbitrated:>8}  {paths}")  # fmt: skip


def total(rows):
    """The sum of the table."""
    result = Row()
    for row in rows:
        result.count += row.count
        result.failed += row.failed
        result.disagreement = max(result.disagreement, row.disagreement)
        result.gap = max(result.gap, row.gap)
        result.violation = max(result.violation, row.violation)
        result.arbitrated += row.arbitrated
        result.comparisons += row.comparisons
        result.paths = [a + b for a, b in zip(result.paths, row.paths)]
    return result


def main():
    """Reads the arguments, checks the file, returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", help="written by cone_problems")
    parser.add_argument("--faults", type=int, default=20, help="how many faults to describe")
    args = parser.parse_args()
    start = time.monotonic()
    names, count, records = read_file(args.file)
    rows = [Row() for _ in names]
    described = 0
    for record in records:
        verdict = Verdict()
        check_proof(record, verdict)
        check_agreement(record, verdict)
        rows[record.family].add(record, verdict)
        if verdict.faults and described < args.faults:
            described += 1
            print(describe(names[record.family], record, verdict))
    summary = total(rows)
    print_table(names + ["all"], rows + [summary])
    print(f"{count} problems in {time.monotonic() - start:.0f} s")
    print(f"{summary.count - summary.failed} passed, {summary.failed} failed")
    return 1 if summary.failed or not summary.count else 0


if __name__ == "__main__":
    sys.exit(main())
