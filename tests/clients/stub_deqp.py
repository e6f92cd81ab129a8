"""A program that takes dEQP's command line and writes its log. A case's last word says what it does.

It has the cases of CASES and no other, and runs them in its own order, as dEQP does.
"""
import os
import re
import sys
import time

CASES = sorted("dEQP-GLES2." + name for name in (
    "a.pass", "a.fail", "a.unsupported", "a.quality", "b.crash", "b.pass", "b.terminated", "c.hang", "c.pass", "c.silent"))
RESULTS = {"pass": ("Pass", "Passed"), "fail": ("Fail", "Image mismatch"), "unsupported": ("NotSupported", "No such format"),
           "quality": ("QualityWarning", "Slow")}

options = dict(argument.split("=", 1) for argument in sys.argv[1:])
if "--deqp-runmode" in options:
    open(options.get("--deqp-log-filename", "TestResults.qpa"), "w").close()  # dEQP writes a log here, too
    if options.get("--deqp-surface-type") != "pbuffer":
        sys.exit("Skipping unsupported package 'dEQP-GLES2'")  # dEQP makes a context to list cases
    pattern = re.escape(options["--deqp-case"]).replace(r"\*", ".*")
    with open(options["--deqp-caselist-export-file"], "w") as file:
        for case in CASES:
            if re.fullmatch(pattern, case):
                file.write(f"GROUP: {case.rpartition('.')[0]}\nTEST: {case}\n")
    sys.exit(0)
if not os.path.exists("data_of_gles2"):
    sys.exit("the data are not in this folder")
with open(options["--deqp-caselist-file"]) as file:
    wanted = file.read().split()
with open(options["--deqp-log-filename"], "w", buffering=1) as log:
    log.write("#sessionInfo releaseName stub\n#beginSession\n")
    for case in [case for case in CASES if case in wanted]:
        kind = case.rpartition(".")[2]
        log.write(f'\n#beginTestCaseResult {case}\n<?xml version="1.0"?>\n<TestCaseResult CasePath="{case}">\n')
        if kind == "crash":
            os.abort()
        if kind == "hang":
            time.sleep(3600)
        if kind == "terminated":
            log.write("\n#terminateTestCaseResult Timeout\n")
            sys.exit(1)
        if kind in RESULTS:
            log.write('<Result StatusCode="%s">%s</Result>\n' % RESULTS[kind])
        log.write("</TestCaseResult>\n\n#endTestCaseResult\n")
    log.write("\n#endSession\n")
