"""Numbers that seed 002 (K. Kaszyk's thesis, chapter 5) prints, transcribed from the text that is
available. Figures that were pictures are lost, except for the numbers that the text repeats."""
from collections import namedtuple

# ---- tables 5.11 to 5.18, and fig. 5.6 ------------------------------------------------------------------

# A variant: its number; arithmetic, L1 hit, L1 miss and L2 miss as multiples of the G71's; the
# predicted speed-up over the G71 MP8.
Variant = namedtuple("Variant", "number arithmetic l1_hit l1_miss l2_miss speedup")
# A table: parameters of all its variants; the GPU that it models, and that GPU's measured speed-up.
Table = namedtuple("Table", "name cores engines warp line goal measured variants")


def table(name, cores, engines, warp, line, goal, first, *columns):
    columns = [[float(v) for word in column.split() for v in expand(word)] for column in columns]
    assert all(len(c) == 15 for c in columns), (name, [len(c) for c in columns])
    return Table(name, cores, engines, warp, line, goal, {"G72": 1.51, "G31": 0.25}[goal],
                 [Variant(first + k, *row) for k, row in enumerate(zip(*columns))])


def expand(word):
    """`1*7` stands for seven ones."""
    value, _, times = word.partition("*")
    return [value] * int(times or 1)


G72_HIT = "1 .67*3 .5*3 1*2 .5*2 .67*3 .4"
G72_MISS = "1*2 .8*2 1 .87 .8 1 .87 .8*2 .87 .8 .67 .8"
G72_L2 = "1 .9 1 .8*4 1*3 .9 .8 .72*2 .8"
WIDER_HIT = "1 .67*3 .5*4 1*2 .5*2 .67*3"
WIDER_MISS = "1*2 .8*2 1 .87 .8*2 1 .87 .8*2 .87 .8 .67"
WIDER_L2 = "1 .9 1 .8*3 .9 .8 1*3 .9 .8 .72*2"
TABLES = [
    table("5.11", 12, 3, 4, 64, "G72", 1, "1*7 .5*4 .4*2 .3*2", G72_HIT, G72_MISS, G72_L2,
          "1.35 1.41 1.37 1.48 1.5 1.51 1.53 1.45 1.46 1.5 1.55 1.61 1.69 1.74 1.65"),
    table("5.12", 12, 3, 4, 128, "G72", 16, "1*7 .5*4 .4*2 .3*2", G72_HIT, G72_MISS, G72_L2,
          "1.61 1.68 1.64 1.75 1.74 1.76 1.77 1.73 1.76 1.81 1.87 1.95 2.04 2.09 2.02"),
    table("5.13", 8, 5, 4, 64, "G72", 31, "1*8 .5*4 .4*2 .3", WIDER_HIT, WIDER_MISS, WIDER_L2,
          "1.38 1.48 1.43 1.57 1.56 1.58 1.51 1.59 1.46 1.47 1.51 1.58 1.62 1.69 1.78"),
    table("5.14", 8, 3, 8, 64, "G72", 46, "1*8 .5*4 .4*2 .3", WIDER_HIT, WIDER_MISS, WIDER_L2,
          "1.23 1.29 1.25 1.37 1.38 1.39 1.34 1.4 1.27 1.3 1.34 1.42 1.41 1.47 1.53"),
    table("5.15", 2, 2, 4, 64, "G31", 61, "1*9 .5*6", "1*5 .67*4 1*4 .67*2", "1*3 .8*2 1*2 .8*2 1*2 .8*2 1*2",
          ".8 .6 .4 .6 .4 .6 .4 .8 .4 .8 .6 .8 .4 .6 .4",
          ".18 .2 .23 .2 .23 .2 .23 .18 .23 .19 .22 .19 .25 .22 .25"),
    table("5.16", 2, 2, 4, 128, "G31", 76, "1*7 .5*8", "1*3 .67*4 1*4 .67*4", "1*2 .8 1*2 .8*2 1*2 .8*2 1*2 .8*2",
          ".6 .4 .6 .8 .6 .8 .6 .8 .6 .8 .4 .8 .6 .8 .6",
          ".24 .27 .24 .22 .24 .22 .24 .24 .26 .24 .3 .24 .27 .24 .27"),
    table("5.17", 4, 1, 4, 64, "G31", 91, "1*7 .5*8", "1*3 .67*4 1*4 .67*4", "1*2 .8 1*3 .8 1*2 .8*2 1*2 .8*2",
          ".8 .4 .6 .8 .6 .4 .6 .8 .4 .6 .4 .8 .4 .6 .4",
          ".23 .29 .26 .23 .26 .29 .26 .25 .32 .28 .32 .25 .33 .29 .33"),
    table("5.18", 2, 1, 8, 64, "G31", 106, "1*9 .5*6", "1*5 .67*4 1*3 .67*3", "1*2 .8*3 1*2 .8*2 1*2 .8 1*2 .8",
          ".8 .6 .8 .6 .4 .6 .4 .6 .4 .6 .4 .6 .6 .4 .6",
          ".14 .16 .15 .17 .19 .17 .2 .17 .2 .18 .21 .18 .18 .21 .18"),
]

# Fig. 5.6: values of each panel (the baseline's included), name of the parameter here, and whether
# a value is a multiple of the baseline's; the speed-ups that the text of 5.3.4 mentions.
Panel = namedtuple("Panel", "figure parameter relative values said")
KB = 1024
FIGURE = [
    Panel("a", "cores", False, [1, 2, 4, 6, 8, 12, 16, 20, 24, 28, 32], {1: 0.15, 12: 1.35, 16: 1.83}),
    Panel("b", "engines", False, [1, 2, 3, 4, 5, 6, 7, 8], {5: 1.38}),
    Panel("c", "warp_width", False, [4, 8, 12, 16], {8: 1.23, 12: 1.04}),
    Panel("d", "line_bytes", False, [64, 128], {128: 1.22}),
    Panel("e", "l1_bytes", False, [16 * KB, 20 * KB, 24 * KB, 32 * KB], {20 * KB: 1, 24 * KB: 1, 32 * KB: 1}),
    Panel("f", "l2_bytes", False, [512 * KB, 640 * KB, 768 * KB, 896 * KB, 1024 * KB], {640 * KB: 1, 1024 * KB: 1}),
    Panel("g", "arithmetic_latency", True, [0.5, 1, 1.5, 2], {0.5: 1.08}),
    Panel("h", "l1_hit_latency", True, [0.67, 1, 2], {}),
    Panel("i", "l1_miss_latency", True, [0.6, 0.8, 0.93, 1], {}),
    Panel("j", "l2_miss_latency", True, [0.7, 0.8, 0.9, 1], {0.7: 1.14}),
]

# ---- errors of its models ---------------------------------------------------------------------------------

# Table 5.7: MAPE against the HiKey 960 as details are added.
STEPS = [("arithmetic, memory, barriers, divergence", 74), ("+ L1", 53), ("+ L2", 44), ("+ coalescing", 39)]
# Table 5.9: the setting; arithmetic, store, L1 hit, L1 miss, L2 miss; MAPE, correlation, rank
# correlation.
Weights = namedtuple("Weights", "what arithmetic store l1_hit l1_miss l2_miss mape pearson spearman")
WEIGHTS = [Weights("micro-benchmark (G71)", 2, 4, 3, 15, 143, 66.48, 0.96, 0.88),
           Weights("tuned (G71), MAPE", 1, 1, 1, 61, 123, 39.19, 0.73, 0.85),
           Weights("tuned (G71), correlation", 1, 1, 1, 10, 325, 204.31, 0.92, 0.83),
           Weights("tuned (G71), ranks", 1, 1, 1, 122, 123, 50.81, 0.61, 0.86),
           Weights("predicted (G72)", 1, 1, 1, 42.0, 86.0, 43.01, 0.82, 0.89),
           Weights("predicted (G31)", 0.8, 0.44, 0.44, 26.84, 54.12, 45.27, 0.87, 0.93)]
# Table 5.5: MAPE of the linear model and of the neural network by inputs.
LEARNED = [("as they are", 706, 567), ("selected by correlation", 1398, 333), ("principal components", 2296, 584),
           ("adjusted by hand", 452, 229), ("adjusted, selected", 2969, 335), ("adjusted, principal components", 3355, 634)]

# ---- table 5.10 -------------------------------------------------------------------------------------------

# Measured cycles of variants of a GEMM on the G71, and the thesis's predicted rank.
Gemm = namedtuple("Gemm", "version what cycles rank predicted")
GEMMS = [Gemm("A", "baseline", 86515, 2, 2),
         Gemm("B", "more arithmetic", 92618, 4, 5),
         Gemm("C", "barriers in the inner loop", 138535, 8, 8),
         Gemm("D", "barriers in the outer loop", 90663, 3, 4),
         Gemm("E", "poor groups, 65x65 of 5x5", 190587, 9, 9),
         Gemm("F", "float4", 263513, 10, 10),
         Gemm("G", "much more arithmetic", 1374746, 11, 11),
         Gemm("H", "float4, larger groups", 98891, 6, 1),
         Gemm("I", "int", 85984, 1, 2),
         Gemm("J", "barrier in the outer loop, small groups", 93332, 5, 7),
         Gemm("K", "divergence", 124274, 7, 6)]
