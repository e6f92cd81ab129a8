"""What several views ask of a kernel: its title, its cycles, shares of its bundles. Absent is None."""

CAUSES = [("issue", "issue", "blue", "an engine issues: the useful part"),
          ("dependency", "dependency", "sky", "waits for the warp's own bundle before: more warps, or more independent work, hide it"),
          ("L1", "L1 hit or store", "green", "waits for the L1 cache or the pipe to it: fewer, wider accesses"),
          ("L2", "L2", "yellow", "waits for lines from L2: better locality within a core"),
          ("DRAM", "DRAM", "red", "waits for memory: fewer bytes, tiles that fit L2, or more arithmetic per byte"),
          ("barrier", "barrier", "purple", "waits for other warps of the group at a barrier"),
          ("imbalance", "imbalance", "grey", "no warp is left for the engine until the job ends: more or smaller groups"),
          ("launch", "launch", "pale", "waits for the launch of a group: larger groups")]
NO_TIME = "the report was made without a model of time: run with -gpu-timing detailed (boards) or -timing detailed (mali-run)"
SHADES = {"arithmetic": "blue", "load_store": "orange", "control": "purple", "attribute": "green", "empty_slots": "pale"}
KIND_WORDS = {"arithmetic": "arithmetic", "load_store": "load/store", "control": "control", "attribute": "attribute", "texture": "texture"}


def title(kernel):
    return kernel.get("name") or (f"kernel {kernel['hash'][:8]}" if kernel.get("hash") else kernel["id"])


def buffer_words(owner):
    """Returns the name of an access's buffer, or of a buffer: "argument 1 (x)", "pointer 1" or ""."""
    if "argument" in owner:
        return f"argument {owner['argument']}" + (f" ({owner['name']})" if owner.get("name") else "")
    return f"pointer {owner['pointer']}" if "pointer" in owner else ""


def timing(kernel):
    return kernel.get("timing", {})


def model_cycles(kernel):
    return timing(kernel).get("model_cycles")


def cycles(kernel):
    """Of the model; else the rough ones that are always counted; else None."""
    found = model_cycles(kernel)
    return found if found is not None else kernel.get("counters", {}).get("cycles")


def microseconds(kernel, report):
    clock, n = report["gpu"].get("clock_mhz"), model_cycles(kernel)
    return n / clock if n is not None and clock else None


def account(owner):
    """The account as (name, value, style), of a kernel's timing or of a bundle; [] where there is none."""
    found = owner.get("account") or owner.get("engine_cycles") or {}
    known = [(words, found.get(key, 0), style) for key, words, style, _ in CAUSES]
    rest = sum(value for key, value in found.items() if key not in {row[0] for row in CAUSES})
    return (known + ([("other", rest, "pale")] if rest else [])) if found else []


def total(parts):
    return sum(value for _, value, _ in parts)


def costs(kernel):
    """What each bundle costs, and of what that is: engine cycles of the model, or executions times stages."""
    bundles = kernel.get("bundles", [])
    if any("account" in bundle for bundle in bundles):
        return [total(account(bundle)) for bundle in bundles], "engine cycles"
    return [bundle["warps"] * bundle.get("stages", 1) for bundle in bundles], f"executed {words(None)['stage']}s"


def words(report):
    found = (report or {}).get("gpu", {}).get("words", {})
    return {"bundle": found.get("bundle", "bundle"), "stage": found.get("stage", "stage")}


def lanes_active(bundle, report):
    """Mean active lanes as a share of a warp's width, or None."""
    width = report["gpu"].get("warp_width")
    return bundle["lanes"] / (bundle["warps"] * width) if width and bundle.get("warps") and "lanes" in bundle else None


def parameter(report, name):
    """A number of the time model that is more than nothing, or None. What a report says there is not checked before."""
    value = report["gpu"].get("parameters", {}).get(name)
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and 1e-6 <= value <= 1e15
    return value if good else None


def line_bytes(kernel, report):
    return timing(kernel).get("line_bytes") or parameter(report, "line_bytes") or 64


def bytes_by_level(kernel, report):
    """Bytes between lanes and L1 (a line per request), L1 and L2, L2 and DRAM: where known."""
    t, line = timing(kernel), line_bytes(kernel, report)
    out = {}
    if "requests" in t:
        out["L1"] = t["requests"] * line
    if "l2_reads" in t:
        out["L2"] = (t["l2_reads"] + t.get("l2_writes", 0)) * line
    if "dram_reads" in t:
        out["DRAM"] = (t["dram_reads"] + t.get("dram_writes", 0)) * line
    return out
