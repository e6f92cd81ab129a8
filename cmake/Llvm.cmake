# Decides whether the LLVM tier of CPU execution (runtime/jit) is built: sets GENCC_LLVM. Only
# LLVM's headers are needed; the library is loaded when a guest runs with -accel jit.
set(LLVM AUTO CACHE STRING "The LLVM tier: ON, OFF or AUTO (when LLVM 14 is found)")
set_property(CACHE LLVM PROPERTY STRINGS AUTO ON OFF)

# Whether guest code is translated at all: GENCC_JIT. The quick tier needs nothing but the host.
set(GENCC_JIT FALSE)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(GENCC_JIT TRUE)
endif()

set(GENCC_LLVM FALSE)
if(LLVM AND GENCC_JIT)
  find_path(GENCC_LLVM_INCLUDE llvm-c/Core.h PATHS /usr/lib/llvm-14/include NO_DEFAULT_PATH)
  if(GENCC_LLVM_INCLUDE)
    set(GENCC_LLVM TRUE)
  endif()
endif()
if(LLVM STREQUAL "ON" AND NOT GENCC_LLVM)
  message(FATAL_ERROR "-DLLVM=ON needs the headers of LLVM 14 (llvm-14-dev) on an x86-64 host")
endif()
