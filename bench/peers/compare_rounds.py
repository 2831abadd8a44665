"""The same rounds by general cone solvers and by us.

    compare_rounds.py PROGRAM [--quick] [--json FILE]

PROGRAM is foothold_bench_dump_rounds, which plays a run, times it and writes its subproblems. A round is 2d cone programs for the others;
for us it is ask and tell with the certificate. Machines change their pace by the second, so ours and theirs take turns: every ratio is of
two times taken one after the other, and the median over the turns counts. Prints ratios of time, and checks that the values agree to 1e-7
relative to max(|value|, 1e-3 L |v|).
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "oracle"))
import cone_oracles  # noqa: E402
from numpy_arms import compare_arms  # noqa: E402
from peer_solvers import by_clarabel, by_cvxopt, by_ecos, program_of  # noqa: E402

AGREEMENT = 1e-7
EARLY = 50  # rounds in which the cone is active with many free coordinates
ECOS_TARGETS = {2: 150, 4: 300, 8: 600, 16: 2000, 32: 2500}
CVXOPT_TARGET = 5000
POLYTOPE_FACTOR = 3  # "the same within a factor of three on random polytopes"
DIMENSIONS = (2, 4, 8, 16, 32)
# The most seconds a solver may spend on one stream; rounds beyond are left out, evenly spread ones first.
BUDGET = {"ecos": 20.0, "clarabel": 10.0, "cvxopt": 15.0}
QUICK_BUDGET = {"ecos": 8.0, "clarabel": 3.0, "cvxopt": 4.0}
REPETITIONS = 5  # of every round, by them and by us in turn
SOLVERS = {"ecos": by_ecos, "clarabel": by_clarabel, "cvxopt": by_cvxopt}


class OurRounds:
    """Runs of ours: one stream, played and timed anew at every call."""

    def __init__(self, program, quick):
        self.command = [program] + (["--quick"] if quick else [])

    def play(self, stream):
        """What the program writes of it."""
        with tempfile.NamedTemporaryFile() as out:
            subprocess.run([*self.command, "--stream", stream, "--json", out.name], check=True)
            return json.loads(Path(out.name).read_text())


def spread_order(count):
    """0…count − 1 such that every beginning of it is spread over the whole."""
    bits = max(1, int(count - 1).bit_length())
    reverse = (int(format(i, f"0{bits}b")[::-1], 2) for i in range(2**bits))
    return [i for i in reverse if i < count]


def solve_round(solve, stream, record):
    """All 2d programs by one solver: seconds with and without set-up."""
    program = program_of(stream["rows"], record)
    seconds = solve_seconds = 0.0
    for v in np.array(record["vertices"]):
        answer = solve(program, v / np.linalg.norm(v))
        seconds += answer.seconds
        solve_seconds += answer.solve_seconds
    return seconds, solve_seconds


def disagreement(stream, record):
    """Our value against Clarabel's and ECOS's at tight tolerances, relative; nan if neither proves its own.

    With the tolerances that are timed, the others are not accurate enough to judge by.
    """
    program = program_of(stream["rows"], record)
    found = []
    for solve in (cone_oracles.by_clarabel, cone_oracles.by_ecos):
        answers = []
        for v in np.array(record["vertices"]):
            unit = float(np.linalg.norm(v))
            cones = [program.cone]
            standard = cone_oracles.Standard(v / unit, program.A, program.b, program.rows, cones, unit)
            answers.append((solve(standard), unit))
        best, unit = min(answers, key=lambda pair: pair[0].value)
        scale = max(abs(record["value"]), 1e-3 * stream["action_bound"] * unit)
        # The smallest value must be proved, and no other vertex may hide a smaller one.
        lowest = min(answer.value - max(answer.gap, 0.0) for answer, _ in answers)
        if best.value - lowest <= AGREEMENT * scale:
            found.append(abs(best.value - record["value"]) / scale)
    return max(found, default=np.nan)


def statistics(ratios):
    """Median and tenth percentile of ratios: nine rounds in ten are at least as good as the latter."""
    if len(ratios) == 0:
        return {"median": np.nan, "p10": np.nan, "rounds": 0}
    return {
        "median": float(np.median(ratios)),
        "p10": float(np.quantile(ratios, 0.1)),
        "rounds": len(ratios),
    }


def affordable(solve, stream, budget):
    """The rounds that a solver can do `REPETITIONS` times within so many seconds, spread over all."""
    records = stream["rounds"]
    solve_round(solve, stream, records[0])  # not counted: caches and lazy imports
    chosen, spent, late = [], 0.0, 0
    for index in spread_order(len(records)):
        chosen.append(index)
        spent += solve_round(solve, stream, records[index])[0]
        late += records[index]["round"] > EARLY
        if REPETITIONS * spent > budget and late >= 5:
            break
    return chosen


def compare_solver(solve, ours, name, stream, budget):
    """Ratios of one solver's time to ours; also its seconds and our nanoseconds in late rounds."""
    records = stream["rounds"]
    chosen = affordable(solve, stream, budget)
    theirs, own = [], []
    for _ in range(REPETITIONS):
        times = [record["ns"] for record in ours.play(name)["rounds"]]
        own.append([times[index] for index in chosen])
        theirs.append([solve_round(solve, stream, records[index]) for index in chosen])
    own = np.array(own)
    seconds, solve_seconds = np.moveaxis(np.array(theirs), 2, 0)
    ratios = np.median(1e9 * seconds / own, axis=0)
    solve_ratios = np.median(1e9 * solve_seconds / own, axis=0)
    is_late = np.array([records[index]["round"] > EARLY for index in chosen])
    return {
        "late": statistics(ratios[is_late]),
        "early": statistics(ratios[~is_late]),
        "late_without_setup": statistics(solve_ratios[is_late]),
        "late_ms": 1e3 * float(np.median(seconds[:, is_late])),
        "ours_us": 1e-3 * float(np.median(own[:, is_late])),
    }


def compare_stream(ours, name, budget):
    """One line of the table."""
    stream = ours.play(name)
    records = stream["rounds"]
    result = {"set": stream["set"], "d": stream["d"]}
    for solver, solve in SOLVERS.items():
        result[solver] = compare_solver(solve, ours, name, stream, budget[solver])
    checked = records if stream["d"] <= 16 else records[::4]
    differences = np.array([disagreement(stream, record) for record in checked])
    late = [record["ns"] for record in records if record["round"] > EARLY]
    result["ours_us"] = result["ecos"]["ours_us"]
    result["ours_p90_us"] = 1e-3 * float(np.quantile(late, 0.9))
    result["checked"] = int(np.isfinite(differences).sum())
    result["unproved"] = int(np.isnan(differences).sum())
    result["disagreement"] = float(np.nanmax(differences))
    result["agrees"] = bool(result["disagreement"] <= AGREEMENT and result["checked"] > 0)
    return result


def targets(result):
    """What the ratios must reach, ECOS and CVXOPT."""
    factor = POLYTOPE_FACTOR if result["set"] == "polytope" else 1
    return ECOS_TARGETS[result["d"]] / factor, CVXOPT_TARGET / factor


def print_table(results):
    """Ratios of their time to ours."""
    print(f"\n{'set':<10}{'d':>3}{'ours us':>9}{'p90':>8}"
          f"{'ECOS':>9}{'(p10)':>9}{'first 50':>10}{'no setup':>10}{'wanted':>8}"
          f"{'Clarabel':>10}{'CVXOPT':>9}{'(p10)':>9}{'wanted':>8}{'disagree':>10}")  # fmt: skip
    for r in results:
        ecos_target, cvxopt_target = targets(r)
        print(f"{r['set']:<10}{r['d']:>3}{r['ours_us']:>9.2f}{r['ours_p90_us']:>8.2f}"
              f"{r['ecos']['late']['median']:>9.0f}{r['ecos']['late']['p10']:>9.0f}"
              f"{r['ecos']['early']['median']:>10.0f}{r['ecos']['late_without_setup']['median']:>10.0f}"
              f"{ecos_target:>8.0f}{r['clarabel']['late']['median']:>10.0f}"
              f"{r['cvxopt']['late']['median']:>9.0f}{r['cvxopt']['late']['p10']:>9.0f}"
              f"{cvxopt_target:>8.0f}{r['disagreement']:>10.1e}")  # fmt: skip


def main():
    """Reads the arguments, compares, returns 1 if a value disagrees."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program", help="foothold_bench_dump_rounds")
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--json", help="where to write the result")
    args = parser.parse_args()
    start = time.monotonic()
    ours = OurRounds(args.program, args.quick)
    budget = QUICK_BUDGET if args.quick else BUDGET
    results = []
    for name in [f"{kind}-{d}" for kind in ("box", "polytope") for d in DIMENSIONS]:
        results.append(compare_stream(ours, name, budget))
        print(f"{name} after {time.monotonic() - start:.0f} s", flush=True)
    print_table(results)
    arms = compare_arms(lambda: ours.play("arms"), REPETITIONS)
    print(f"\nNumPy, K = 15, d = 4: {arms['numpy_us']:.1f} us a round, ours {arms['ours_us']:.3f} us, ratio "
          f"{arms['ratio']:.0f} (wanted 200); same arm in {arms['same_arms']} of {arms['rounds']} rounds")  # fmt: skip
    if args.json:
        Path(args.json).write_text(json.dumps({"rounds": results, "numpy": arms}, indent=1) + "\n")
    failed = [r for r in results if not r["agrees"]]
    for r in failed:
        print(f"{r['set']} d = {r['d']}: values must agree to {AGREEMENT}, got {r['disagreement']:.1e}")
    return 1 if failed or arms["same_arms"] < arms["rounds"] else 0


if __name__ == "__main__":
    sys.exit(main())
