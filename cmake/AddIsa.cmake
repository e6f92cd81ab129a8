include(GenerateIsa)

# add_isa(NAME ARCH <file.ac> [ISA <isa>] [INCLUDE <header>] [PARTS <n>] [LIBS <targets>])
#
# Generates the C of an ISA with gencc and compiles it into the static library `isa_NAME`. INCLUDE
# is the header of the description's external functions, LIBS the targets that hold them. On hosts for
# which runtime/jit generates code (GENCC_JIT, see Llvm.cmake) it has translators for it too.
function(add_isa NAME)
  cmake_parse_arguments(A "" "ARCH;ISA;INCLUDE;PARTS" "LIBS" ${ARGN})
  if(NOT A_ISA)
    set(A_ISA ${NAME})
  endif()
  if(NOT A_PARTS)
    set(A_PARTS 2)
  endif()
  set(dir ${CMAKE_BINARY_DIR}/generated/${NAME})
  set(sources)
  foreach(part helpers decode disasm isa)
    list(APPEND sources ${dir}/${A_ISA}_${part}.c)
  endforeach()
  math(EXPR last "${A_PARTS} - 1")
  foreach(i RANGE ${last})
    list(APPEND sources ${dir}/${A_ISA}_exec_${i}.c)
  endforeach()
  set(jit)
  set(jit_sources)
  if(GENCC_JIT)
    set(jit --jit)
    set(jit_sources ${dir}/${A_ISA}_jit.c)
    foreach(i RANGE ${last})
      list(APPEND jit_sources ${dir}/${A_ISA}_jit_${i}.c)
    endforeach()
  endif()

  generate_isa(${NAME} ARCH ${A_ARCH} PARTS ${A_PARTS} INCLUDE ${A_INCLUDE}
               OUTPUTS ${sources} ${jit_sources} ${dir}/${A_ISA}_internal.h
               OPTIONS --isa ${A_ISA} ${jit})
  add_library(isa_${NAME} STATIC ${sources} ${jit_sources})
  add_dependencies(isa_${NAME} generate_${NAME})
  # Signed arithmetic of descriptions wraps; a handler jumps to the next, at every level of
  # optimization; vectors wider than the host's are passed in memory.
  target_compile_options(isa_${NAME} PRIVATE -fwrapv -foptimize-sibling-calls -Wno-psabi)
  target_link_libraries(isa_${NAME} PUBLIC gencc_options runtime_cpu gencc_asm_text ${A_LIBS} m)
  if(GENCC_JIT)
    # A translator runs once for each place in the guest's code: quick compiling matters more.
    set_source_files_properties(${jit_sources} PROPERTIES COMPILE_OPTIONS -O1)
    target_link_libraries(isa_${NAME} PUBLIC runtime_jit)
  endif()
endfunction()
