# add_user(NAME DESCRIPTION <file.ac> ISA <isa>)
#
# The program NAME, which runs Linux programs of the architecture without a kernel (runtime/user).
# DESCRIPTION names its interface to Linux with ac_abi(); ISA is the name of its add_isa().
function(add_user NAME)
  cmake_parse_arguments(A "" "DESCRIPTION;ISA" "" ${ARGN})
  get_filename_component(arch ${A_DESCRIPTION} ABSOLUTE)
  file(RELATIVE_PATH shown ${CMAKE_SOURCE_DIR} ${arch})
  set(dir ${CMAKE_BINARY_DIR}/generated/${NAME})
  set(out ${dir}/${NAME}_abi.c)
  file(MAKE_DIRECTORY ${dir})
  add_custom_command(
    OUTPUT ${dir}/stamp
    BYPRODUCTS ${out}
    COMMAND ${GENCC} abi ${shown} -o ${out} --depfile ${dir}/stamp.d --target ${dir}/stamp
    COMMAND ${CMAKE_COMMAND} -E touch ${dir}/stamp
    DEPENDS ${GENCC} ${arch}
    DEPFILE ${dir}/stamp.d
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    COMMENT "gencc abi ${shown}"
    VERBATIM)
  add_custom_target(generate_${NAME} DEPENDS ${dir}/stamp)
  add_executable(${NAME} ${GENCC_USER_SOURCE} ${out})
  add_dependencies(${NAME} generate_${NAME})
  target_compile_definitions(${NAME} PRIVATE USER_PROGRAM="${NAME}")
  target_link_libraries(${NAME} PRIVATE gencc_options runtime_user isa_${A_ISA})
endfunction()
