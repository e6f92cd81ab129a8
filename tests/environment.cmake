# Read by ctest, and so the environment of every test.
set(ENV{GENCC_CACHE} off)
