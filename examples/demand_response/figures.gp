# Draws the three figures of this example, as SVG and as PNG:
#     gnuplot -c figures.gp DIRECTORY
# DIRECTORY has prices.csv and safe_set.csv and gets the figures.

directory = ARG1
prices = directory . '/prices.csv'
borders = directory . '/safe_set.csv'
set datafile separator comma

# Okabe and Ito's colours, which the colour-blind can tell apart.
blue = '#0072B2'
green = '#009E73'
orange = '#D55E00'
yellow = '#E69F00'
pink = '#CC79A7'
grey = '#666666'

set border 3 lc rgb grey
set tics nomirror out
set grid ytics lc rgb '#dddddd' lt 1
set encoding utf8
set minussign

# The rows of one player or set; the file has them one after the other.
of(file, name) = sprintf("< grep '^%s,' '%s'", name, file)

# Sizes in units of the SVG's pixels; the PNG has twice as many.
svg(width, height) = sprintf("svg size %d,%d dynamic font 'sans-serif,16' background 'white'", width, height)
png(width, height) = sprintf("pngcairo size %d,%d fontscale 2.1 background 'white'", 2*width, 2*height)
terminal(format, width, height) = format eq "svg" ? svg(width, height) : png(width, height)

do for [format in "svg png"] {
  eval 'set terminal ' . terminal(format, 640, 440)
  set output directory . '/line_load.' . format
  set title 'Highest load of the line to the charging stations'
  set logscale x
  set xlabel 'round (quarter-hours around noon)' offset 0,0
  set ylabel 'load, MVA'
  set xrange [1:4000]
  set yrange [0.7:4.9]
  set key default inside top left vertical maxcols 1 Left reverse samplen 2
  set arrow 1 from graph 0, first 2.5 to graph 1, first 2.5 nohead lc rgb 'black' lw 1.5 front
  set label 1 'rating of the line' at graph 0.98, first 2.64 right front
  plot of(prices, 'unsafe') using 2:9 with steps lw 2 lc rgb orange title 'learner without constraint', \
       of(prices, 'safe') using 2:9 with steps lw 2.5 lc rgb blue title 'safe learner', \
       of(prices, 'default') using 2:9 with steps lw 1.5 lc rgb pink title 'safe learner, default exploration', \
       of(prices, 'static') using 2:9 with steps lw 2 lc rgb green title 'static cautious prices'
  unset arrow 1
  unset label 1

  set output directory . '/prices.' . format
  set title 'Prices of the safe learner'
  set ylabel 'change of the price, ct/kWh'
  set yrange [-11:17]
  set key default inside top left vertical maxrows 2 Left reverse samplen 2
  plot of(prices, 'safe') using 2:(10*$4) with steps lw 2 lc rgb green title 'households', \
       of(prices, 'safe') using 2:(10*$5) with steps lw 2 lc rgb yellow title 'cold stores', \
       of(prices, 'safe') using 2:(10*$6) with steps lw 2.5 lc rgb blue title 'charging stations', \
       of(prices, 'safe') using 2:(10*$7) with steps lw 2.5 lc rgb orange title 'heat pumps'

  eval 'set terminal ' . terminal(format, 640, 640)
  set output directory . '/safe_set.' . format
  set title 'Prices that are certified not to overload the line'
  unset logscale x
  set xlabel 'charging stations, ct/kWh' offset 0,0.6
  set ylabel 'heat pumps, ct/kWh'
  set xrange [-11:11]
  set yrange [-11:11]
  set size ratio -1
  set key default outside bottom center horizontal maxcols 2 Left reverse samplen 2 height 1
  set style fill solid 1.0 noborder
  plot of(borders, 'truth') using (10*$2):(10*$3) with filledcurves closed lc rgb '#d7e9f5' title 'safe in truth', \
       of(borders, 'last') using (10*$2):(10*$3) with filledcurves closed lc rgb '#9fd3c2' title 'certified at the end', \
       of(borders, 'round 100') using (10*$2):(10*$3) with lines lw 2 dt 2 lc rgb blue title 'certified at round 100', \
       of(borders, 'round 1') using (10*$2):(10*$3) with filledcurves closed lc rgb '#f3c3a0' title 'foothold (round 1)', \
       of(borders, 'best') using (10*$2):(10*$3) with points pt 7 ps 1.2 lc rgb 'black' title 'best safe prices', \
       of(borders, 'static') using (10*$2):(10*$3) with points pt 5 ps 1.1 lc rgb grey title 'static cautious prices'
  set size noratio
}
