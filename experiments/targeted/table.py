"""Tables of targeted exploration against the paper's learners, from the summaries of `foothold run`.

usage: table.py RESULTS_DIR    (one folder per experiment, as script/compare makes them)

Ratio: regret of the best of the paper's learners on a draw, divided by that of the policy on the
same draw and noise. Draws on which no learner certified the best safe action within the horizon
are hopeless for everyone; the worst ratio is given over the others.
"""

import csv
import json
import math
import statistics
import sys
from pathlib import Path

PAPER = ("gap known", "gslucb", "worst case")
# Two-sided 95 % points of Student's t for small samples, by degrees of freedom.
T95 = {9: 2.262, 19: 2.093, 29: 2.045, 39: 2.023}


def load(folder):
    return json.loads((folder / "summary.json").read_text())


def ratio_table(folder):
    summary = load(folder)
    policies = {policy["name"]: policy for policy in summary["policies"]}
    paper = [policies[name] for name in PAPER if name in policies]
    if not paper:
        return
    runs = range(paper[0]["runs"])
    best = [min(policy["final_regrets"][run] for policy in paper) for run in runs]
    certified = [
        any(policy["optimum_certified_rounds"][run] is not None for policy in policies.values())
        for run in runs
    ]
    is_convex = folder.name.startswith("box")
    print(f"\n{summary['name']}: {len(best)} draws, T = {summary['horizon']}, seed {summary['seed']}, "
          f"{sum(certified)} with the best action certified by some learner\n")
    print("| policy | mean | median | worst | ratio: median | ratio: worst | explorations: median | violating runs |")
    print("|---|---|---|---|---|---|---|---|")
    for name, policy in policies.items():
        regrets = policy["final_regrets"]
        ratios = [b / r for b, r in zip(best, regrets)]
        # On a convex set with a binding constraint nothing certifies x* itself: all draws count.
        counted = [q for q, ok in zip(ratios, certified) if ok or is_convex]
        cells = [f"{statistics.mean(regrets):.0f}", f"{statistics.median(regrets):.1f}", f"{max(regrets):.0f}"]
        if name in PAPER:
            cells += ["", ""]
        else:
            cells += [f"{statistics.median(ratios):.0f}", f"{min(counted):.1f}"]
        cells += [f"{statistics.median(policy['explorations']):.0f}", f"{policy['violating_runs']}"]
        print(f"| {name} | " + " | ".join(cells) + " |")
    if "no warm-up" not in policies:
        return
    ours, naive = policies["targeted"]["final_regrets"], policies["no warm-up"]["final_regrets"]
    print(f"\nno warm-up / targeted: median {statistics.median(n / o for n, o in zip(naive, ours)):.2f}, "
          f"of the means {statistics.mean(naive) / statistics.mean(ours):.1f}")


def slope(points):
    x = [math.log(t) for t, _ in points]
    y = [math.log(r) for _, r in points]
    mx, my = statistics.mean(x), statistics.mean(y)
    return sum((a - mx) * (b - my) for a, b in zip(x, y)) / sum((a - mx) ** 2 for a in x)


def growth(folder):
    traces = {}
    with open(folder / "trace.csv", newline="") as file:
        for row in csv.DictReader(file):
            if int(row["round"]) >= 1000:
                traces.setdefault(row["run"], []).append((int(row["round"]), float(row["regret"])))
    slopes = [slope(points) for points in traces.values()]
    half = T95[len(slopes) - 1] * statistics.stdev(slopes) / math.sqrt(len(slopes))
    print(f"\n{folder.name}: exponent of regret over t = 1e3 … 1e6, {len(slopes)} draws: "
          f"{statistics.mean(slopes):.3f} ± {half:.3f} (95 %), largest {max(slopes):.3f}")


def safety(folder):
    summary = load(folder)
    for policy in summary["policies"]:
        print(f"{folder.name}: {policy['violating_runs']} of {policy['runs']} runs violate a constraint, "
              f"{policy['coverage_failures']} lose the parameter; upper limit {policy['violating_runs_limit']:.2g}")


def trap(folder):
    policies = {policy["name"]: policy for policy in load(folder)["policies"]}
    naive, ours = policies["no warm-up"]["mean_regret"], policies["targeted"]["mean_regret"]
    print(f"{folder.name}: no warm-up {naive:.0f}, targeted {ours:.1f}: {naive / ours:.0f} times lower")


def main():
    results = Path(sys.argv[1])
    for folder in sorted(path for path in results.iterdir() if (path / "summary.json").exists()):
        if folder.name == "growth":
            growth(folder)
        elif folder.name.startswith("safety"):
            safety(folder)
        elif folder.name.startswith("trap"):
            trap(folder)
        else:
            ratio_table(folder)


main()
