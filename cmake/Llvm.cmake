# Decides whether the LLVM tier of CPU execution (runtime/jit) is built: sets GENCC_LLVM. Only
# LLVM's headers are needed; the library is loaded when a guest runs with -accel jit.
option(LLVM "Build the LLVM tier (on hosts that have one)" ON)

# Whether guest code is translated at all: GENCC_JIT. The quick tier needs nothing but the host.
set(GENCC_JIT FALSE)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(GENCC_JIT TRUE)
endif()

set(GENCC_LLVM FALSE)
if(LLVM AND GENCC_JIT)
  find_path(GENCC_LLVM_INCLUDE llvm-c/Core.h PATHS /usr/lib/llvm-14/include NO_DEFAULT_PATH)
  if(NOT GENCC_LLVM_INCLUDE)
    message(FATAL_ERROR "The headers of LLVM 14 are missing: install the package llvm-14-dev, "
                        "or configure with -DLLVM=OFF for the quick tier alone")
  endif()
  set(GENCC_LLVM TRUE)
endif()
