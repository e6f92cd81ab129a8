# add_bare(NAME ISA <isa> [LIB <target>])
#
# The program NAME, which runs raw code on the CPU of add_isa(<isa> …). The machine is one CPU and
# memory (runtime/bare). LIB is the library of the ISA, if its name is not isa_<isa>.
function(add_bare NAME)
  cmake_parse_arguments(A "" "ISA;LIB" "" ${ARGN})
  if(NOT A_LIB)
    set(A_LIB isa_${A_ISA})
  endif()
  add_executable(${NAME} ${GENCC_BARE_SOURCE})
  target_compile_definitions(${NAME} PRIVATE BARE_ISA=${A_ISA}_isa)
  target_link_libraries(${NAME} PRIVATE runtime_bare ${A_LIB})
endfunction()

# add_raw_program(NAME ARCH <file.ac> ISA <isa> FILE <source> [ADDRESS <a>])
#
# Assembles a program into NAME.bin of the build folder, for a CPU that loads it at the address
# (default 0).
function(add_raw_program NAME)
  cmake_parse_arguments(A "" "ARCH;ISA;FILE;ADDRESS" "" ${ARGN})
  if(NOT A_ADDRESS)
    set(A_ADDRESS 0)
  endif()
  get_filename_component(arch ${A_ARCH} ABSOLUTE)
  get_filename_component(source ${A_FILE} ABSOLUTE)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.bin)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${GENCC} asm --arch ${arch} --isa ${A_ISA} --address ${A_ADDRESS} -o ${out} ${source}
    DEPENDS ${GENCC} ${arch} ${source} generate_${A_ISA}
    COMMENT "gencc asm ${A_FILE}"
    VERBATIM)
  add_custom_target(program_${NAME} ALL DEPENDS ${out})
endfunction()
