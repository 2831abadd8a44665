"""Draws growth in d, K and T from a result of script/bench, by gnuplot.

    draw_figures.py RESULT.json FOLDER

Writes FOLDER/growth-d.svg, growth-k.svg and growth-t.svg, each if its part was measured.
"""

import json
import subprocess
import sys
from pathlib import Path

STYLE = """
set terminal svg size 720,440 dynamic enhanced font 'sans-serif,14' background 'white'
set border 3 lc rgb '#555555'
set tics nomirror out scale 0.6
set grid lc rgb '#dddddd' lt 1
set key left top Left reverse samplen 2
set style data linespoints
set ylabel 'µs a round'
set logscale y
set format y '%g'
"""
# Okabe and Ito's colours, which the colour-blind can tell apart.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#666666")


def block(name, rows):
    """A gnuplot data block."""
    return f"${name} << EOD\n" + "\n".join(" ".join(f"{x:.6g}" for x in row) for row in rows) + "\nEOD\n"


def curve(name, title, color, dash=1):
    """One curve of a plot command."""
    return f"${name} using 1:2 title '{title}' lw 2 pt 7 ps 0.6 dt {dash} lc rgb '{COLORS[color]}'"


def draw(path, settings, blocks, curves):
    """Runs gnuplot."""
    script = f"{STYLE}\nset output '{path}'\n{settings}\n" + "".join(blocks) + "plot " + ", \\\n ".join(curves) + "\n"
    subprocess.run(["gnuplot"], input=script, text=True, check=True)
    print(f"drew {path}")


def draw_dimension(rounds, folder):
    """Rounds on the box, over d."""
    rows = rounds["region"]["rows"]
    series = {
        "median": ("median_ns", "round, median after the first 50", 1),
        "p90": ("p90_ns", "round, 90 % after the first 50", 2),
        "early": ("early_median_ns", "round, median of the first 50", 1),
        "certificate": ("certificate_ns", "of which the certificate", 1),
        "baseline": ("baseline_ns", "one Cholesky + 2d matrix-vector products", 2),
    }
    blocks = [block(name, [(r["d"], 1e-3 * r[key]) for r in rows]) for name, (key, _, _) in series.items()]
    curves = [curve(name, title, i, dash) for i, (name, (_, title, dash)) in enumerate(series.items())]
    ticks = "set logscale x 2; set xlabel 'dimension d'; set xrange [1.8:70]"
    draw(folder / "growth-d.svg", ticks, blocks, curves)


def draw_arms(arms, folder):
    """Fixed arms, over K."""
    series = {
        "pass": ("pass_ns", "one streaming pass over the features", 2),
        "first": ("first_20_ns", "round, median of the first 20", 1),
        "steady": ("steady_median_ns", "round, median in the steady state", 1),
    }
    blocks = [block(name, [(r["arms"], 1e-3 * r[key]) for r in arms["rows"]]) for name, (key, _, _) in series.items()]
    curves = [curve(name, title, i, dash) for i, (name, (_, title, dash)) in enumerate(series.items())]
    ticks = "set logscale x; set format x '10^{%L}'; set xlabel 'arms K (d = 32)'"
    draw(folder / "growth-k.svg", ticks, blocks, curves)


def draw_time(rounds, folder):
    """One long run: medians of windows, over its rounds."""
    blocks, curves = [], []
    for i, run in enumerate(rounds["long"]):
        name = f"d{run['d']}"
        blocks.append(block(name, [(t, 1e-3 * y) for t, y in zip(run["round"], run["median_ns"])]))
        curves.append(curve(name, f"d = {run['d']}", i))
    draw(folder / "growth-t.svg", "set xlabel 'round t'; set logscale x; set key right top", blocks, curves)


def main():
    """Reads the result, draws what is there."""
    result, folder = json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    if "rounds" in result:
        draw_dimension(result["rounds"], folder)
        draw_time(result["rounds"], folder)
    if "arms" in result:
        draw_arms(result["arms"], folder)


if __name__ == "__main__":
    main()
