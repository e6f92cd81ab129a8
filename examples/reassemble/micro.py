"""The two microbenchmarks of seed 002, 5.3.5: misses in flight (figures 5.7, 5.8) and the instruction
cache (figure 5.14)."""
import re

import suite
import traces

LIMITS = [2, 4, 8, 0]  # misses in flight per core; 0: no limit
# Instruction caches: bytes, and cycles that a miss takes: fits of the published ratio in reassemble and in detailed, then
# an L2 hit and memory by table 5.9; None: no cache.
CODE = [(None, 0), (8192, 14), (8192, 27), (8192, 61), (32768, 61), (8192, 123)]


def cycles(mali_run, folder, launch, model, settings):
    words = [word for setting in settings for word in ("-timing-set", setting)]
    text = traces.tool(mali_run, "-timing-from", traces.path_of(folder, launch), "-timing", model, "-gpu", traces.GPU, *words)
    return float(re.search(r"^  cycles +(\S+)", text, re.M).group(1))


def show_misses(mali_run, folder):
    print("listing 5.1 in the detailed model: cycles of a core by loads per warp, and lines in flight per core")
    print(f"{'warps':>5} {'in flight':>9}" + "".join(f" {loads:>7}" for loads in suite.LOADS))
    for warps in suite.WARPS:
        for limit in LIMITS:
            row = [cycles(mali_run, folder, suite.misses(loads, warps), "detailed", [f"l1_misses={limit}"]) for loads in suite.LOADS]
            print(f"{warps:5} {limit or 'any':>9}" + "".join(f" {c:7.0f}" for c in row))


def settings_of(size, latency):
    return [f"icache_bytes={size}", f"icache_miss_latency={latency}"] if size else []


def show_code(mali_run, folder):
    print("\nfigure 5.14: time of straight code by that of a loop (published: 1.65 from 1000 to 1950 additions)")
    print(f"{'instruction cache':28}" + "".join(f" {f'{model}, {n}':>17}" for model in ("reassemble", "detailed") for n in suite.ADDITIONS))
    for size, latency in CODE:
        what = f"{size // 1024} KB, a miss {latency} cycles" if size else "none"
        ratios = []
        for model in "reassemble", "detailed":
            for count in suite.ADDITIONS:
                loop, straight = (cycles(mali_run, folder, launch, model, settings_of(size, latency)) for launch in suite.additions(count))
                ratios.append(straight / loop)
        print(f"{what:28}" + "".join(f" {r:17.2f}" for r in ratios))


def show(mali_run, folder):
    show_misses(mali_run, folder)
    show_code(mali_run, folder)
