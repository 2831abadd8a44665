"""Puts the parts that script/bench measured into one file and a table.

    summarise.py FOLDER OUT --command TEXT

Writes OUT/<date>-<machine>.json with machine, versions and commit, and OUT/README.md, the table of what was wanted and what was measured.
"""

import argparse
import datetime
import json
import re
import subprocess
from importlib import metadata
from pathlib import Path

PARTS = ("rounds", "peers", "arms", "gap", "micro", "experiment")
ECOS = {2: 150, 4: 300, 8: 600, 16: 2000, 32: 2500}


def output(*command):
    """What a command prints, or nothing."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def cpu_model():
    """As the kernel names it."""
    found = re.search(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    return found.group(1).strip() if found else "unknown"


def peer_versions():
    """Of the Python packages in .venv, without its interpreter: names and versions of its metadata."""
    paths = [str(path) for path in Path(".venv/lib").glob("python3*/site-packages")]
    found = {d.metadata["Name"].lower(): d.version for d in metadata.distributions(path=paths)}
    return {name: found[name] for name in ("ecos", "clarabel", "cvxopt", "numpy", "scipy") if name in found}


def environment(command):
    """Where and with what."""
    changes = output("git", "status", "--porcelain", "--untracked-files=no", "--", ":!bench/results")
    return {
        "date": datetime.date.today().isoformat(),
        "cpu": cpu_model(),
        "flags": "release: -O3 -DNDEBUG -march=native -ffp-contract=off -fno-math-errno -fno-trapping-math",
        "compiler": output("g++", "--version").splitlines()[0],
        "commit": output("git", "rev-parse", "HEAD") + (" with changes" if changes else ""),
        "command": command,
        "peers": peer_versions(),
        "clp": output("pkg-config", "--modversion", "clp"),
    }


def line(what, wanted, got, holds):
    """A row of the table."""
    return f"| {what} | {wanted} | {got} | {'yes' if holds else '**no**'} |"


def peer_lines(peers):
    """Ratios to the other solvers."""
    for r in peers["rounds"]:
        factor = 3 if r["set"] == "polytope" else 1
        wanted, got = ECOS[r["d"]] / factor, r["ecos"]["late"]["median"]
        early = f"first 50: {r['ecos']['early']['median']:,.0f}"
        p10 = f"nine in ten: ≥ {r['ecos']['late']['p10']:,.0f}"
        yield line(f"{r['set']}, d = {r['d']}: ECOS / ours", f"≥ {wanted:,.0f}", f"{got:,.0f} ({p10}; {early})", got >= wanted)
    for r in peers["rounds"]:
        factor = 3 if r["set"] == "polytope" else 1
        wanted, got = 5000 / factor, r["cvxopt"]["late"]["median"]
        early = f"first 50: {r['cvxopt']['early']['median']:,.0f}"
        yield line(f"{r['set']}, d = {r['d']}: CVXOPT / ours", f"≥ {wanted:,.0f}", f"{got:,.0f} ({early})", got >= wanted)
    for r in peers["rounds"]:
        got = r["clarabel"]["late"]["median"]
        yield f"| {r['set']}, d = {r['d']}: Clarabel (solve only) / ours | reported | {got:,.0f} | |"
    worst = max(r["disagreement"] for r in peers["rounds"])
    yield line("values agree with Clarabel and ECOS, relative", "≤ 1e-7", f"{worst:.1e}", worst <= 1e-7)
    ratio = peers["numpy"]["ratio"]
    textbook = peers["numpy"]["ratio_to_textbook"]
    got = f"{ratio:,.0f} (to textbook NumPy: {textbook:,.0f})"
    yield line("K = 15, d = 4: NumPy / ours", "≥ 200", got, ratio >= 200)


def round_lines(rounds):
    """Rounds against the dense baseline."""
    for row in rounds["region"]["rows"]:
        got = f"{row['ratio_to_baseline']:.2f} ({1e-3 * row['median_ns']:.2f} µs; p90 {1e-3 * row['p90_ns']:.2f}; first 50: {1e-3 * row['early_median_ns']:.2f})"
        is_judged = row["d"] >= 8
        name = f"box, d = {row['d']}: round / (Cholesky + 2d products)"
        yield line(name, "≤ 4", got, row["ratio_to_baseline"] <= 4) if is_judged else f"| {name} | reported | {got} | |"
    exponent = rounds["region"]["exponent"]
    yield line("growth of the median in d", "≤ d^2.7", f"d^{exponent:.2f} (d ≥ 8: d^{rounds['region']['exponent_from_8']:.2f})",
               max(exponent, rounds["region"]["exponent_from_8"]) <= 2.7)  # fmt: skip
    for row in rounds["region"]["rows"]:
        if row["d"] >= 8:
            share = row["certificate_share"] / (1 - row["certificate_share"])
            yield line(f"box, d = {row['d']}: what the certificate adds", "≤ 10 %", f"{100 * share:.1f} %", share <= 0.1)
    last = max(row["last_allocating_round"] for row in rounds["region"]["rows"] + rounds["union"]["rows"])
    yield line("last round that allocated", "the first", f"{last}", last <= 1)


def arm_lines(arms):
    """Arms against a streaming pass."""
    for row in arms["rows"]:
        K = f"K = {row['arms']:,}"
        if row["arms"] >= 10_000:
            got = f"{row['first_20_to_pass']:.2f} (slowest {row['slowest_of_first_20_to_pass']:.2f})"
            yield line(f"{K}, d = 32: first 20 rounds / pass", "≤ 1.3", got, row["first_20_to_pass"] <= 1.3)
            name, got = f"{K}, d = 32: steady state / pass", f"{row['steady_to_pass']:.3f} (mean {row['steady_mean_to_pass']:.3f})"
            limit = 0.3 if row["arms"] == 1_000_000 else 1.3
            yield line(name, f"≤ {limit}", got, row["steady_to_pass"] <= limit)
        else:
            yield f"| {K}, d = 32: steady state | reported | {1e-3 * row['steady_median_ns']:.2f} µs | |"


def fresh_lines(rows):
    """Contextual arms against one matrix product."""
    for row in rows:
        got = f"{row['round_to_product']:.1f} ({1e-3 * row['round_ns']:.1f} µs)"
        yield f"| {row['arms']:,} fresh arms, d = {row['d']}: round / (product of the features with a d × d matrix) | reported | {got} | |"


def table(result):
    """All rows for what was measured."""
    if "peers" in result:
        yield from peer_lines(result["peers"])
    if "rounds" in result:
        yield from round_lines(result["rounds"])
    if "arms" in result:
        yield from arm_lines(result["arms"])
        yield from fresh_lines(result["arms"]["fresh"])
    if "gap" in result:
        gap = result["gap"]
        got = f"{gap['ratio']:.0f} (to the final programs alone: {gap['ratio_to_finals']:.0f})"
        yield line("Δ_t, 15 arms, d = 4: Clp / ours", "≥ 50", got, gap["ratio"] >= 50)
    if "experiment" in result:
        entry = result["experiment"]
        yield line("`foothold run experiments/polytope.toml`, one thread", "≤ 3 s", f"{entry['seconds']:.2f} s", entry["seconds"] <= 3)
        got = f"{entry['identical_runs']} of {entry['runs']} bit-identical, largest change {entry['largest_change']:.0e}"
        yield f"| regrets of its runs against those before | reported | {got} | |"


def readme(result, name):
    """The page for people."""
    place = result["environment"]
    peers = ", ".join(f"{key} {value}" for key, value in place["peers"].items())
    return "\n".join([
        "# Measured",
        "",
        f"`{place['command']}` on {place['date']}; all numbers are in `{name}`. What they mean: [docs/performance.md](../../docs/performance.md).",
        "",
        f"- CPU: {place['cpu']}, one thread",
        f"- compiler: {place['compiler']}; {place['flags']}",
        f"- commit: {place['commit']}",
        f"- others: {peers}, Clp {place['clp']}; each with its default options, in scaled coordinates, its own clock (CVXOPT has none: the call is"
        " timed), matrices built beforehand. ECOS: set-up and solve; Clarabel: solve. Clp: the faster of primal and dual simplex, one model for"
        " all objectives over the same rows, no presolve, solves only",
        "",
        "| what | wanted | measured | holds |",
        "|---|---|---|---|",
        *table(result),
        "",
    ])  # fmt: skip


def main():
    """Writes both files and prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--command", default="script/bench")
    args = parser.parse_args()
    place = environment(args.command)
    machine = re.sub(r"[^a-z0-9]+", "-", place["cpu"].lower()).strip("-")
    name = f"{place['date']}-{machine}.json"
    args.out.mkdir(parents=True, exist_ok=True)
    # Parts of the same commit that were measured before stay.
    before = json.loads((args.out / name).read_text()) if (args.out / name).exists() else {}
    is_same = all(before.get("environment", {}).get(key) == place[key] for key in ("commit", "command"))
    result = {**(before if is_same else {}), "environment": place}
    for part in PARTS:
        path = args.folder / f"{part}.json"
        if path.exists():
            result[part] = json.loads(path.read_text())
    (args.out / name).write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n")
    page = readme(result, name)
    (args.out / "README.md").write_text(page)
    print()
    print(page)
    print(f"written to {args.out / name} and {args.out / 'README.md'}")


if __name__ == "__main__":
    main()
