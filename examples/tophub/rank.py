"""Ranks of published and predicted times, and the errors of predictions before and after mali-tune."""
import csv
import re
import statistics

import kernels
import logs
import study

# How fast words are, by the description's. The time of a launch cannot be tuned: where a trace is a sample of groups, it would
# count as often as there are groups for one of them.
FREE = ("arithmetic_latency=0.2:1:0.2",)
NOTHING = ("barrier_latency=0:1",)  # no kernel has a barrier
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


def tune(records, form, o, work, parameters):
    """Rows of mali-tune's table of results; what it found is printed."""
    (o.out / "table.csv").write_text(study.table(records, form, o.out, STEPS))
    free = [word for parameter in parameters for word in ("-free", parameter)]
    text = study.tool(o.build / "bin/mali-tune", o.out / "table.csv", "-gpu", study.GPU, "-timing", "detailed", "-threads", o.threads,
                      "-search", "binary", "-rounds", 2, *free, "-csv", work / "rows.csv")
    with open(work / "rows.csv", newline="", encoding="ascii") as file:
        rows = list(csv.DictReader(file))
    if parameters != NOTHING:
        print("".join(f"  {form}: {said}\n" for said in re.findall(r"(?m)^\w+(?: +[\d.]+){5}$", text)), end="", flush=True)
    return rows


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


def line(what, rows, column):
    """Errors and ranks of (row of mali-tune, number of products). The third number ranks times by product, so that larger convolutions
    are no longer slower for being larger."""
    if not rows:
        return
    measured, predicted, products = [float(r["measured"]) for r, _ in rows], [float(r[column]) for r, _ in rows], [n for _, n in rows]
    off = sorted(p / m for m, p in zip(measured, predicted))
    print(f"{what:44} {len(rows):4} {mape(measured, predicted):8.1f} % {spearman(measured, predicted):7.3f} "
          f"{spearman([m / n for m, n in zip(measured, products)], [p / n for p, n in zip(predicted, products)]):8.3f} "
          f"{spearman(measured, products):10.3f}  {off[0]:.2f} to {off[-1]:.2f}, median {statistics.median(off):.2f}", flush=True)


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
    spills = [r for r in records if spilled(r, o) > SPILLS]
    kept = [r for r in records if r not in spills]
    print(f"the sums of {len(spills)} records make more than {SPILLS} accesses for one of the text: they spill")
    print(f"{'':44} {'rows':>4} {'MAPE':>10} {'rank':>7} {'by size':>8} {'size alone':>10}  predicted by measured")
    for form in o.form or kernels.FORMS:
        some, others = ([*zip(tune(group, form, o, work, free), (logs.products(r.convolution) for r in group))] if group else []
                        for group, free in ((kept, FREE), (spills, NOTHING)))
        line(f"{form}, as described", some + others, "before")
        line(f"{form}, with spills", others, "before")
        line(f"{form}, without spills", some, "before")
        for name in "train", "test":
            for column in "before", "tuned":
                line(f"{form}, without spills, {name} rows, {column}", [x for x in some if x[0]["set"] == name], column)
