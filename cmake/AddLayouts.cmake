# add_layouts(NAME FILE <file.ac>)
#
# Generates the C of descriptor layouts and registers with gencc and compiles it into the static
# library `NAME_layout`; targets that link it find `NAME_layout.h`. The file holds AC_LAYOUTS(NAME).
function(add_layouts NAME)
  cmake_parse_arguments(A "" "FILE" "" ${ARGN})
  get_filename_component(file ${A_FILE} ABSOLUTE)
  get_filename_component(folder ${file} DIRECTORY)
  file(GLOB texts CONFIGURE_DEPENDS ${folder}/*.ac)
  file(RELATIVE_PATH shown ${CMAKE_SOURCE_DIR} ${file})

  set(dir ${CMAKE_BINARY_DIR}/generated/${NAME}_layout)
  set(made ${dir}/${NAME}_layout.c ${dir}/${NAME}_layout.h)
  file(MAKE_DIRECTORY ${dir})
  add_custom_command(
    OUTPUT ${dir}/stamp
    BYPRODUCTS ${made}
    COMMAND ${GENCC} layouts ${shown} -o ${dir}
    COMMAND ${CMAKE_COMMAND} -E touch ${dir}/stamp
    DEPENDS ${GENCC} ${texts}
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    COMMENT "gencc layouts ${shown}"
    VERBATIM)
  add_custom_target(generate_${NAME}_layout DEPENDS ${dir}/stamp)
  add_library(${NAME}_layout STATIC ${made})
  add_dependencies(${NAME}_layout generate_${NAME}_layout)
  set_target_properties(${NAME}_layout PROPERTIES GENCC_LAYOUTS ${shown} GENCC_TEXTS "${texts}")
  target_include_directories(${NAME}_layout PUBLIC ${dir})
  target_link_libraries(${NAME}_layout PRIVATE gencc_options)
endfunction()

# add_gpu_variants(NAME FOLDER <folder> [ARCHS <file>…])
#
# Generates gpu_variants[] of runtime/gpu/variant.h from the AC_GPU in all *.ac files of the folder,
# and compiles it into the static library `NAME_variants`. add_layouts(NAME …) must come first. A
# new GPU is a new file and needs no other change. ARCHS are the descriptions of the GPUs' ISAs,
# which define the features.
function(add_gpu_variants NAME)
  cmake_parse_arguments(A "" "FOLDER" "ARCHS" ${ARGN})
  set(archs)
  set(arch_paths)
  foreach(arch ${A_ARCHS})
    get_filename_component(path ${arch} ABSOLUTE)
    list(APPEND archs --arch ${path})
    list(APPEND arch_paths ${path})
  endforeach()
  get_filename_component(folder ${A_FOLDER} ABSOLUTE)
  get_target_property(layouts ${NAME}_layout GENCC_LAYOUTS)
  get_target_property(texts ${NAME}_layout GENCC_TEXTS)
  file(GLOB gpus RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS ${folder}/*.ac)

  set(dir ${CMAKE_BINARY_DIR}/generated/${NAME}_variants)
  file(MAKE_DIRECTORY ${dir})
  set(paths ${gpus})
  list(TRANSFORM paths PREPEND ${CMAKE_SOURCE_DIR}/)
  # The list is a file, so that the table is made again when a variant is removed, too.
  file(CONFIGURE OUTPUT ${dir}/list CONTENT "${gpus}\n" @ONLY)
  add_custom_command(
    OUTPUT ${dir}/stamp
    BYPRODUCTS ${dir}/${NAME}_variants.c
    COMMAND ${GENCC} variants --layouts ${layouts} ${archs} -o ${dir} ${gpus}
    COMMAND ${CMAKE_COMMAND} -E touch ${dir}/stamp
    DEPENDS ${GENCC} ${texts} ${paths} ${arch_paths} ${dir}/list
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    COMMENT "gencc variants of ${NAME}"
    VERBATIM)
  add_custom_target(generate_${NAME}_variants DEPENDS ${dir}/stamp)
  add_library(${NAME}_variants STATIC ${dir}/${NAME}_variants.c)
  add_dependencies(${NAME}_variants generate_${NAME}_variants)
  target_link_libraries(${NAME}_variants PRIVATE gencc_options)
endfunction()
