# Decides what is built of that which translates by LLVM: GENCC_LLVM, shaders (runtime/gpu/translate);
# GENCC_LLVM_REGIONS, the LLVM tier of CPU execution (runtime/jit) as well, whose code is x86-64's. Only LLVM's
# headers are needed; the library is loaded when something is first translated by it.
option(LLVM "Build what translates by LLVM, on hosts that have it" ON)

# Whether guest code is translated at all: GENCC_JIT. The quick tier needs a folder for the host in
# runtime/jit/quick: GENCC_JIT_HOST.
string(TOLOWER "${CMAKE_SYSTEM_PROCESSOR}" GENCC_JIT_HOST)
if(GENCC_JIT_HOST MATCHES "^(x86_64|amd64)$")
  set(GENCC_JIT_HOST x64)
elseif(GENCC_JIT_HOST MATCHES "^(aarch64|arm64)$")
  set(GENCC_JIT_HOST a64)
endif()
set(GENCC_JIT FALSE)
if(EXISTS ${PROJECT_SOURCE_DIR}/runtime/jit/quick/${GENCC_JIT_HOST}/target.c)
  set(GENCC_JIT TRUE)
endif()

set(GENCC_LLVM FALSE)
set(GENCC_LLVM_REGIONS FALSE)
if(LLVM AND GENCC_JIT_HOST MATCHES "^(x64|a64)$")
  find_path(GENCC_LLVM_INCLUDE llvm-c/Core.h PATHS /usr/lib/llvm-14/include NO_DEFAULT_PATH)
  if(NOT GENCC_LLVM_INCLUDE)
    message(FATAL_ERROR "The headers of LLVM 14 are missing: install the package llvm-14-dev, "
                        "or configure with -DLLVM=OFF for the quick tier alone")
  endif()
  set(GENCC_LLVM TRUE)
  if(GENCC_JIT_HOST STREQUAL "x64")
    set(GENCC_LLVM_REGIONS TRUE)
  endif()
endif()

# use_llvm(<source>...): these files of the calling folder find LLVM's headers. All other files have the same commands in
# a build without LLVM, so that ccache knows them there.
function(use_llvm)
  if(ARGN)
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -isystem${GENCC_LLVM_INCLUDE})
  endif()
endfunction()
