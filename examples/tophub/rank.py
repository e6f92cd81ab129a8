"""Ranks of published and predicted times, and the errors of predictions before and after mali-tune."""
import csv
import re
import statistics

import kernels
import logs
import study

# What nobody has measured of a T860, its bounds and steps; the last is a driver's time, too, of three jobs per record.
FREE = ("arithmetic_latency=1:3", "l1_miss_latency=4:132:16", "l2_miss_latency=20:532:64", "group_launch=0:256:32", "job_launch=0:98304:4096")
STEPS = ("pack", None, "unpack")  # whose times the log has the sum of
SPILLS = 1.5  # accesses by those of the text from which on a kernel keeps sums on its stack


def ranks(values):
    """Ranks from 1 on; equal values share the mean of theirs."""
    order = sorted(range(len(values)), key=lambda k: values[k])
    out, at = [0.0] * len(values), 0
    while at < len(order):
        end = at
        while end + 1 < len(order) and values[order[end + 1]] == values[order[at]]:
            end += 1
        for k in order[at:end + 1]:
            out[k] = (at + end) / 2 + 1
        at = end + 1
    return out


def pearson(a, b):
    x, y = ([v - statistics.fmean(values) for v in values] for values in (a, b))
    norm = (sum(v * v for v in x) * sum(v * v for v in y)) ** 0.5
    return sum(p * q for p, q in zip(x, y)) / norm if norm else 0.0


def spearman(a, b):
    return pearson(ranks(a), ranks(b))


def mape(measured, predicted):
    return 100 * statistics.fmean(abs(p / m - 1) for m, p in zip(measured, predicted))


def tune(records, form, o, work):
    """Rows of mali-tune's table of results, and what it printed."""
    (o.out / "table.csv").write_text(study.table(records, form, o.out, STEPS))
    free = [word for parameter in FREE for word in ("-free", parameter)]
    text = study.tool(o.build / "bin/mali-tune", o.out / "table.csv", "-gpu", study.GPU, "-timing", "detailed", "-threads", o.threads,
                      "-search", "binary", "-rounds", 1, *free, "-csv", work / "rows.csv")
    with open(work / "rows.csv", newline="", encoding="ascii") as file:
        return list(csv.DictReader(file)), text


def accesses(r):
    """Loads and stores of a thread by the text of the kernel of sums, with each element loaded once per step at most."""
    c, tile = r.convolution, kernels.Tiles(r.schedule)
    steps = list(tile.steps())
    inputs = {(y, x) for at in steps for y, x, _ in (tile.lane(at, k) for k in range(tile.lanes))}
    taps = {z // tile.lanes if tile.vector == "outputs" else z for at in steps for _, _, z in (tile.lane(at, k) for k in range(tile.lanes))}
    return c.inputs * c.high * c.wide * (len(inputs) + len(taps)) + len(steps)


def spilled(r, o):
    """How many accesses the compiled kernel makes for one of the text's: what is above 1 goes to the stack."""
    text = study.tool(o.build / "bin/mali-run", "-timing-from", study.trace_of(o.out, r, "registers"), "-timing", "reassemble", "-timing-sample", 4)
    warps, requests = map(int, re.search(r", (\d+) warps, .* (\d+) requests", text).groups())
    return requests / warps / accesses(r)


def line(what, rows, column, chosen):
    """Errors and ranks of training and held-out rows. `chosen` has each row's number of products, or None if it does not count.
    The third number ranks times by the number of products, so that larger convolutions are no longer slower for being larger."""
    out = f"{what:40}"
    for name in "train", "test":
        some = [(row, n) for row, n in zip(rows, chosen) if n and row["set"] == name]
        measured, predicted = ([float(row[c]) for row, _ in some] for c in ("measured", column))
        out += f" {len(some):4} {mape(measured, predicted):8.1f} % {spearman(measured, predicted):7.3f} " \
            f"{spearman([m / n for m, (_, n) in zip(measured, some)], [p / n for p, (_, n) in zip(predicted, some)]):7.3f}"
    print(out, flush=True)


def show_size(records):
    """What is known without a model: more products take longer."""
    measured, products = [r.seconds for r in records], [logs.products(r.convolution) for r in records]
    rates = sorted(p / m / 1e9 for p, m in zip(products, measured))
    print(f"rank of time and number of products: {spearman(measured, products):.3f}; 10^9 products per second: {rates[0]:.2f} to {rates[-1]:.2f}, "
          f"median {statistics.median(rates):.2f}")


def show(every, records, o, work):
    products = [logs.products(r.convolution) for r in records]
    print(f"{len(every)} direct convolutions in the log, {sum(r.type == 'float32' for r in every)} of 32-bit floats; {len(records)} of them here, "
          f"{min(products) / 1e6:.1f} to {max(products) / 1e6:.1f} million products")
    show_size(records)
    ratios = [spilled(r, o) for r in records]
    kept = [n if ratio <= SPILLS else None for n, ratio in zip(products, ratios)]
    print(f"accesses of the sums by those of the text: {min(ratios):.2f} to {max(ratios):.2f}; {kept.count(None)} records with more than {SPILLS} "
          "spill")
    print(f"{'':40} {'rows: training, MAPE, rank, by size':>30}  {'held out: likewise':>29}")
    before = {}
    for form in o.form or kernels.FORMS:
        rows, text = tune(records, form, o, work)
        before[form] = [float(row["before"]) for row in rows]
        for column in "before", "tuned":
            line(f"{form}, {column}", rows, column, products)
            line(f"{form}, {column}, without spills", rows, column, kept)
        print("".join(f"  {said}\n" for said in re.findall(r"(?m)^\w+(?: +\d+){5}$", text)), end="", flush=True)
        off = sorted(p / (r.seconds * 1e6) for p, r in zip(before[form], records))
        print(f"  described by measured: {off[0]:.2f} to {off[-1]:.2f}, median {statistics.median(off):.2f}", flush=True)
    if len(before) > 1:
        found = sorted(m / r for m, r in zip(before["memory"], before["registers"]))
        print(f"sums in memory by sums in registers: {found[0]:.2f} to {found[-1]:.2f}, median {statistics.median(found):.2f}")
