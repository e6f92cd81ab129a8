"""Chapter 5.2 of seed 002: learning a kernel's time from the 20 counts of table 5.2, with linear regression, a neural network and
a tree with linear models in its leaves; inputs as they are, selected by correlation, or principal components, and adjusted for
the number of cores (equation 5.2). Ten folds. The thesis's times of its 60 runs are not published: here the *detailed* model
takes the place of the GPU. The learners are python3-sklearn's, which the rest of the project does not need."""
import json
import math
import re

import score
import suite
import traces
from thesis import LEARNED, WEIGHTS

CORES = 8
# Control registers read and written, and interrupts, per job of panfrost (bench/results/chapter4.md, Stencil).
DRIVER = (6.87, 10.28, 1)
# Attributes of table 5.2, and the counters of a report whose sum they are; None: see counts().
ATTRIBUTES = [("Global Load/Store Instructions", ["global_reads", "global_writes"]), ("NOP Instructions", ["empty_slots"]),
              ("Number of Clauses Executed", ["bundles"]), ("FAU RAM Reads", ["uniform_reads"]),
              ("Executed Instruction Count", ["lane_instructions"]), ("Constant Reads", ["constant_reads"]),
              ("GRF Reads", ["register_reads"]), ("Control Flow Instructions", ["control"]), ("GRF Writes", ["register_writes"]),
              ("Arithmetic Instructions", ["arithmetic"]), ("Temporary Register Reads", ["temporary_reads"]),
              ("Local Load/Store Instructions", ["local_reads", "local_writes"]), ("Barriers Hit", None), ("Divergent Warps", ["divergent_branches"]),
              ("Pages Touched", ["pages_touched"]), ("Number of Workgroups", ["work_groups"]), ("Divergence Percentage", None),
              ("Number of Control Registers Read", None), ("Number of Interrupts", None), ("Number of Control Registers Written", None)]
SELECTED, COMPONENTS, FOLDS, LEAF = 5, 7, 10, 6


def counts(report):
    """Returns the attributes of a launch."""
    (kernel,) = report["kernels"]
    c = kernel["counters"]
    reads, writes, interrupts = (per_job * c["jobs"] for per_job in DRIVER)
    other = {"Barriers Hit": sum(b["warps"] for b in kernel["bundles"] if "BARRIER" in b.get("text", "")),
             "Divergence Percentage": 100 * c["divergent_branches"] / c["bundles"],
             "Number of Control Registers Read": reads, "Number of Interrupts": interrupts,
             "Number of Control Registers Written": writes}
    return [sum(c[name] for name in names) if names else other[what] for what, names in ATTRIBUTES]


def adjusted(row):
    """Counts of instructions and accesses per concurrent work-group, as equation 5.2 has them."""
    groups = row[[what for what, _ in ATTRIBUTES].index("Number of Workgroups")]
    factor = math.ceil(groups / CORES) / groups
    kept = {"Pages Touched", "Number of Workgroups", "Divergence Percentage", "Number of Control Registers Read",
            "Number of Interrupts", "Number of Control Registers Written"}
    return [v if what in kept else v * factor for (what, _), v in zip(ATTRIBUTES, row)]


def counted(build, folder, launch, work):
    """The attributes of a launch, which are kept beside its trace."""
    path, snapshot = folder / f"{launch.name}.counts", traces.snapshot_of(folder, launch)
    if not path.exists() or path.stat().st_mtime < snapshot.stat().st_mtime:
        traces.tool(build / "bin/mali-run", "-report", work / "report", snapshot, "-gpu", traces.GPU, "-timing-sample", 8)
        path.write_text(json.dumps(counts(json.loads((work / "report/report.json").read_text()))))
    return json.loads(path.read_text())


def cycles(build, folder, launch, model):
    text = traces.tool(build / "bin/mali-run", "-timing-from", traces.path_of(folder, launch), "-timing", model, "-gpu", traces.GPU)
    return sum(float(c) for c in re.findall(r"^  cycles +(\S+)", text, re.M))


# ---- learners -----------------------------------------------------------------------------------------------

def learners(k):
    """Returns the learners by name; `k` is what is imported of the library."""
    class Leaves(k.BaseEstimator, k.RegressorMixin):
        """A tree with a linear model in each leaf, as M5 has it, without its smoothing."""

        def fit(self, x, y):
            self.tree_ = k.DecisionTreeRegressor(min_samples_leaf=LEAF, random_state=0).fit(x, y)
            at = self.tree_.apply(x)
            self.models_ = {leaf: k.make_pipeline(k.StandardScaler(), k.Ridge(1)).fit(x[at == leaf], y[at == leaf]) for leaf in set(at)}
            return self

        def predict(self, x):
            return k.numpy.array([self.models_[leaf].predict(row[None])[0] for leaf, row in zip(self.tree_.apply(x), x)])

    def network(inputs):
        """As WEKA's: inputs and times from -1 to 1, one hidden layer, learning rate 0.3, momentum
        0.2, 500 epochs."""
        net = k.MLPRegressor(((inputs + 1) // 2,), activation="logistic", solver="sgd", learning_rate_init=0.3, momentum=0.2,
                             nesterovs_momentum=False, batch_size=1, max_iter=500, alpha=0, random_state=0)
        return k.TransformedTargetRegressor(k.make_pipeline(k.MinMaxScaler((-1, 1)), net), transformer=k.MinMaxScaler((-1, 1)))
    return {"linear": lambda inputs: k.LinearRegression(), "network": network, "tree": lambda inputs: Leaves()}


def steps(k):
    """Returns what is done with the inputs, and how many are left."""
    return {"as they are": ([], len(ATTRIBUTES)),
            "selected by correlation": ([k.VarianceThreshold(), k.SelectKBest(k.f_regression, k=SELECTED)], SELECTED),
            "principal components": ([k.StandardScaler(), k.PCA(COMPONENTS)], COMPONENTS)}


class Library:
    """What is used of sklearn and numpy, by name."""

    def __init__(self):
        import numpy
        from sklearn.base import BaseEstimator, RegressorMixin
        from sklearn.compose import TransformedTargetRegressor
        from sklearn.decomposition import PCA
        from sklearn.feature_selection import SelectKBest, VarianceThreshold, f_regression
        from sklearn.linear_model import LinearRegression, Ridge
        from sklearn.model_selection import KFold, cross_val_predict
        from sklearn.neural_network import MLPRegressor
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import MinMaxScaler, StandardScaler
        from sklearn.tree import DecisionTreeRegressor
        self.__dict__.update(locals())


def learned(k, rows, targets):
    """Yields inputs, learner, and MAPE of ten folds."""
    import warnings
    warnings.simplefilter("ignore")  # networks that have not converged after 500 epochs
    y = k.numpy.array(targets)
    folds = k.KFold(FOLDS, shuffle=True, random_state=1)
    for prefix, made in (("", rows), ("adjusted, ", [adjusted(row) for row in rows])):
        x = k.numpy.array(made, dtype=float)
        for what, (before, inputs) in steps(k).items():
            for name, make in learners(k).items():
                found = k.cross_val_predict(k.make_pipeline(*before, make(inputs)), x, y, cv=folds)
                yield prefix + what, name, score.mape(list(found), targets)


# ---- what is printed -----------------------------------------------------------------------------------------

def correlations(rows, targets):
    for k, (what, _) in enumerate(ATTRIBUTES):
        column = [row[k] for row in rows]
        yield what, score.pearson(column, targets) if len(set(column)) > 1 else None


def show(build, folder, work):
    launches = suite.KERNELS + suite.VARIANTS  # 60, as many as there
    rows = [counted(build, folder, launch, work) for launch in launches]
    targets = [cycles(build, folder, launch, "detailed") for launch in launches]
    print(f"{len(launches)} launches; correlation of counts with cycles (table 5.4)")
    for what, value in sorted(correlations(rows, targets), key=lambda row: -(row[1] or -2)):
        print(f"  {what:38} {'constant' if value is None else f'{value:8.2f}'}")
    try:
        library = Library()
    except ImportError as missing:
        print(f"no learners: {missing} (apt install python3-sklearn)")
        return
    print(f"\n{'MAPE of ten folds, %':34} {'linear':>8} {'network':>8} {'tree':>8}   thesis: linear, network (table 5.5)")
    found = {}
    for what, name, error in learned(library, rows, targets):
        found.setdefault(what, {})[name] = error
    published = {what.replace("adjusted by hand", "adjusted, as they are").replace("adjusted, selected", "adjusted, selected by correlation"): numbers
                 for what, *numbers in LEARNED}
    for what, errors in found.items():
        theirs = published[what]
        print(f"{what:34} {errors['linear']:8.0f} {errors['network']:8.0f} {errors['tree']:8.0f} {theirs[0]:16} {theirs[1]:8}")
    model = [cycles(build, folder, launch, "reassemble") for launch in launches]
    print(f"{'reassemble, ' + WEIGHTS[1].what:34} {score.mape(model, targets):8.0f}   nothing fitted")
