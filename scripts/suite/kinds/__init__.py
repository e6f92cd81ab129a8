"""One file a suite, found by itself: its doc-string says what the folder holds; MODES are those run by default; cases(folder,
programs, work) yields a Case for each run. `programs` is the folder of our simulators, `work` one for files that cases need.
"""
