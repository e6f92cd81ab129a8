include(${CMAKE_CURRENT_LIST_DIR}/GenerateIsa.cmake)

# add_isa(NAME ARCH <file.ac> [ISA <isa>…] [INCLUDE <header>] [PARTS <n>] [LIBS <targets>])
#
# Generates the C of an architecture with gencc and compiles it into the static library `isa_NAME`.
# The library defines the `struct cpu_isa` ISA_isa of an architecture with one ISA (default: NAME),
# or NAME_isa of one with several ISAs: then NAME is the architecture's, and ISA lists all. INCLUDE
# is the header of the description's external functions, LIBS the targets that define them. On hosts
# for which runtime/jit generates code (GENCC_JIT, see Llvm.cmake) the library has translators too.
function(add_isa NAME)
  cmake_parse_arguments(A "" "ARCH;INCLUDE;PARTS" "ISA;LIBS" ${ARGN})
  if(NOT A_ISA)
    set(A_ISA ${NAME})
  endif()
  if(NOT A_PARTS)
    set(A_PARTS 2)
  endif()
  set(cpu ${A_ISA})
  set(prefixes ${A_ISA})
  list(LENGTH A_ISA count)
  if(count GREATER 1)
    set(cpu ${NAME})
    list(TRANSFORM prefixes PREPEND ${NAME}_)
  endif()
  set(dir ${CMAKE_BINARY_DIR}/generated/${NAME})
  set(sources ${dir}/${cpu}_isa.c)
  set(headers)
  set(jit)
  set(jit_sources)
  if(GENCC_JIT)
    set(jit --jit)
  endif()
  math(EXPR last "${A_PARTS} - 1")
  foreach(prefix ${prefixes})
    list(APPEND headers ${dir}/${prefix}_internal.h)
    foreach(part helpers decode disasm)
      list(APPEND sources ${dir}/${prefix}_${part}.c)
    endforeach()
    list(APPEND decoders ${dir}/${prefix}_decode.c)
    list(APPEND disassemblers ${dir}/${prefix}_disasm.c)
    foreach(i RANGE ${last})
      list(APPEND sources ${dir}/${prefix}_exec_${i}.c)
    endforeach()
    if(GENCC_JIT)
      list(APPEND jit_sources ${dir}/${prefix}_jit.c)
      foreach(i RANGE ${last})
        list(APPEND jit_sources ${dir}/${prefix}_jit_${i}.c)
      endforeach()
    endif()
  endforeach()

  generate_isa(${NAME} ARCH ${A_ARCH} PARTS ${A_PARTS} INCLUDE ${A_INCLUDE}
               OUTPUTS ${sources} ${jit_sources} ${headers} OPTIONS ${jit})
  add_library(isa_${NAME} STATIC ${sources} ${jit_sources})
  add_dependencies(isa_${NAME} generate_${NAME})
  set_target_properties(isa_${NAME} PROPERTIES GENERATED_CODE ON)
  # -fwrapv: signed arithmetic of descriptions wraps. -foptimize-sibling-calls: a handler jumps to
  # the next, at every level of optimisation. -Wno-psabi: vectors wider than the host's are passed
  # in memory. -Wno-int-in-bool-context: a condition may be a choice between numbers.
  target_compile_options(isa_${NAME} PRIVATE -fwrapv -foptimize-sibling-calls -Wno-psabi
                         -Wno-int-in-bool-context)
  target_link_libraries(isa_${NAME} PUBLIC gencc_options runtime_cpu common ${A_LIBS} m)
  # These run once per place in the guest's code, or to print it, so the time to compile them
  # matters more. Translators are sequences of calls: -Og makes 2 to 4 % more instructions of them
  # than -O1, in two thirds of the time.
  set_source_files_properties(${decoders} PROPERTIES COMPILE_OPTIONS -O1)
  set_source_files_properties(${disassemblers} ${jit_sources} PROPERTIES COMPILE_OPTIONS -Og)
  foreach(isa prefix IN ZIP_LISTS A_ISA prefixes)
    set(own ${sources} ${jit_sources})
    list(FILTER own INCLUDE REGEX "/${prefix}_")
    leave_plain(${isa} ${own})
  endforeach()
  if(GENCC_JIT)
    target_link_libraries(isa_${NAME} PUBLIC runtime_jit)
  endif()
endfunction()
