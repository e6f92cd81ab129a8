# add_user(NAME DESCRIPTION <file.ac> ISA <isa> [GPUS <shader isa>…])
#
# The program NAME, which runs Linux programs of the architecture without a kernel (runtime/user).
# DESCRIPTION names its interface to Linux with ac_abi(); ISA is the name of its add_isa().
# GPUS are the shader ISAs (struct gpu_isa in isa_NAME) of the GPUs that -gpu offers.
function(add_user NAME)
  cmake_parse_arguments(A "" "DESCRIPTION;ISA" "GPUS" ${ARGN})
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
  if(A_GPUS)
    list(TRANSFORM A_GPUS REPLACE "(.+)" "X(\\1)" OUTPUT_VARIABLE list)
    list(JOIN list " " list)
    list(TRANSFORM A_GPUS PREPEND isa_ OUTPUT_VARIABLE libraries)
    target_sources(${NAME} PRIVATE ${GENCC_USER_GPUS})
    target_compile_options(${NAME} PRIVATE "-DGPU_ISAS(X)=${list}" -DUSER_DEVICE=user_gpu)
    target_link_libraries(${NAME} PRIVATE runtime_render ${libraries})
  endif()
endfunction()
