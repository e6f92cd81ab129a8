# add_constants(NAME FILE <file.genc>)
#
# Generates the C header of a file of constants with gencc; targets that link NAME find `NAME.h`.
function(add_constants NAME)
  cmake_parse_arguments(A "" "FILE" "" ${ARGN})
  get_filename_component(file ${A_FILE} ABSOLUTE)
  file(RELATIVE_PATH shown ${CMAKE_SOURCE_DIR} ${file})

  set(dir ${CMAKE_BINARY_DIR}/generated/${NAME})
  file(MAKE_DIRECTORY ${dir})
  add_custom_command(
    OUTPUT ${dir}/stamp
    BYPRODUCTS ${dir}/${NAME}.h
    COMMAND ${GENCC} constants ${shown} -o ${dir}/${NAME}.h
    COMMAND ${CMAKE_COMMAND} -E touch ${dir}/stamp
    DEPENDS ${GENCC} ${file}
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    COMMENT "gencc constants ${shown}"
    VERBATIM)
  add_custom_target(generate_${NAME} DEPENDS ${dir}/stamp)
  add_library(${NAME} INTERFACE)
  add_dependencies(${NAME} generate_${NAME})
  target_include_directories(${NAME} INTERFACE ${dir})
endfunction()
