# require_program(VAR PACKAGE <name>…)
#
# Finds a program by the first of the names that exists. Without it nothing is configured: a test that
# is left out because its referee is missing looks like one that passes. PACKAGE is the one of
# scripts/packages-run.txt or packages-test.txt that has it.
function(require_program VAR PACKAGE)
  find_program(${VAR} NAMES ${ARGN})
  if(NOT ${VAR})
    list(GET ARGN 0 name)
    message(FATAL_ERROR "${name} is missing: install the package ${PACKAGE}, or run scripts/setup")
  endif()
endfunction()
