"""Compares callgrind's counts with recorded ones.

    compare_instructions.py [--record] RECORDED FOLDER

FOLDER holds what callgrind wrote for foothold_bench_guard: one part per situation, named in its `desc: Trigger:` line. RECORDED has a
line `situation <tab> instructions` each, for ten rounds.
"""

import argparse
import re
import sys
from pathlib import Path

TOLERANCE = 0.05


def read_counts(folder):
    """Instructions of every situation."""
    counts = {}
    for path in sorted(Path(folder).glob("counts.*"), key=lambda path: int(path.suffix[1:])):
        text = path.read_text(errors="replace")
        name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.MULTILINE)
        total = re.search(r"^(?:totals|summary): (\d+)", text, re.MULTILINE)
        if name and total:
            counts[name.group(1).strip()] = int(total.group(1))
    return counts


def read_recorded(path):
    """What the repository holds."""
    lines = [line.split("\t") for line in Path(path).read_text().splitlines() if not line.startswith("#")]
    return {name: int(count) for name, count in lines}


def judge(name, now, before):
    """A word about one situation, and whether it fails."""
    if before is None:
        return "new: run script/instructions --record", True
    if now is None:
        return "gone: run script/instructions --record", True
    if now > before * (1 + TOLERANCE):
        return "SLOWER", True
    if now < before * (1 - TOLERANCE):
        return "faster: run script/instructions --record", False
    return "", False


def main():
    """Returns 1 if a situation takes too many instructions, or if there is nothing to compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="write the counts instead of comparing")
    parser.add_argument("recorded")
    parser.add_argument("folder")
    args = parser.parse_args()
    counts = read_counts(args.folder)
    if not counts:
        print("instructions: callgrind must write counts, got none")
        return 1
    if args.record:
        lines = ["# Instructions of ten rounds, preset `checked`; written by script/instructions --record."]
        lines += [f"{name}\t{count}" for name, count in counts.items()]
        Path(args.recorded).write_text("\n".join(lines) + "\n")
    recorded = read_recorded(args.recorded)
    failed = 0
    print(f"{'situation':<28}{'a round':>12}{'recorded':>12}{'change':>9}")
    for name in dict.fromkeys([*recorded, *counts]):
        now, before = counts.get(name), recorded.get(name)
        word, is_failure = judge(name, now, before)
        failed += is_failure
        change = f"{100 * (now / before - 1):+.2f}%" if now and before else "-"
        print(f"{name:<28}{(now or 0) / 10:>12.0f}{(before or 0) / 10:>12.0f}{change:>9}  {word}")
    print(f"{len(counts) - failed} within {100 * TOLERANCE:.0f} %, {failed} not")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
