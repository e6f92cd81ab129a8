# require_program(VAR PACKAGE <name>…)
#
# Finds a program by the first of the names that exists. Without it nothing is configured, because a
# test that is left out for want of its referee looks like one that passes. PACKAGE, of
# scripts/packages-run.txt or packages-test.txt, contains the program.
function(require_program VAR PACKAGE)
  find_program(${VAR} NAMES ${ARGN})
  if(NOT ${VAR})
    list(GET ARGN 0 name)
    message(FATAL_ERROR "${name} is missing: install the package ${PACKAGE}, or run scripts/setup")
  endif()
endfunction()
