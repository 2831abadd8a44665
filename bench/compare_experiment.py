"""The time of the polytope experiment, and its regrets against those before anything was made fast.

    compare_experiment.py TIMINGS SUMMARY OUT

TIMINGS holds one timing.json after another. bench/polytope_reference.json holds `final_regrets` of summary.json as the engine found them
before it was made fast: the same numbers, or the same up to rounding where another CPU type or a documented tie-break says so.
"""

import json
import statistics
import sys
from pathlib import Path

TARGET = 3.0  # seconds on one core


def read_objects(path):
    """All JSON objects of a file."""
    text, decoder, found = Path(path).read_text().strip(), json.JSONDecoder(), []
    while text:
        value, end = decoder.raw_decode(text)
        found.append(value)
        text = text[end:].lstrip()
    return found


def main():
    """Prints and writes the comparison."""
    timings, summary, out = sys.argv[1:]
    seconds = statistics.median(entry["seconds"] for entry in read_objects(timings))
    regrets = json.loads(Path(summary).read_text())["policies"][0]["final_regrets"]
    reference = json.loads((Path(__file__).parent / "polytope_reference.json").read_text())["final_regrets"]
    same = sum(a == b for a, b in zip(regrets, reference))
    change = max(abs(a - b) / abs(b) for a, b in zip(regrets, reference))
    result = {"seconds": seconds, "runs": len(regrets), "identical_runs": same, "largest_change": change}
    print(f"polytope.toml, 20 runs of 100,000 rounds on one thread: {seconds:.2f} s (wanted {TARGET:.0f}); regrets of {same} of "
          f"{len(regrets)} runs bit-identical to the reference, largest change {change:.1e}")  # fmt: skip
    Path(out).write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
