set(GENCC_NOT_RUN "" CACHE STRING "ISAs of whose code no program of this build runs any, so that it need not be optimised")

# leave_plain(<isa> <source>...): compiles these files of the ISA without optimisation, in half the time, if it is
# one of GENCC_NOT_RUN.
function(leave_plain ISA)
  if(ISA IN_LIST GENCC_NOT_RUN)
    set_property(SOURCE ${ARGN} APPEND PROPERTY COMPILE_OPTIONS -O0)
  endif()
endfunction()

# generate_isa(NAME ARCH <file.ac> PARTS <n> OUTPUTS <files> [INCLUDE <header>] [OPTIONS <words>])
#
# The target `generate_NAME` makes gencc's C of a description, in generated/NAME of the build
# folder. OUTPUTS are those of its files that are compiled or included, OPTIONS are further options
# of `gencc build`.
function(generate_isa NAME)
  cmake_parse_arguments(A "" "ARCH;INCLUDE;PARTS" "OUTPUTS;OPTIONS" ${ARGN})
  get_filename_component(arch ${A_ARCH} ABSOLUTE)
  set(include)
  if(A_INCLUDE)
    set(include --include ${A_INCLUDE})
  endif()

  set(dir ${CMAKE_BINARY_DIR}/generated/${NAME})
  file(RELATIVE_PATH shown ${CMAKE_SOURCE_DIR} ${arch})
  add_custom_command(
    OUTPUT ${dir}/stamp
    BYPRODUCTS ${A_OUTPUTS}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${dir}
    COMMAND ${GENCC} build ${shown} -o ${dir} --parts ${A_PARTS} ${include} ${A_OPTIONS}
            --depfile ${dir}/stamp.d --target ${dir}/stamp
    COMMAND ${CMAKE_COMMAND} -E touch ${dir}/stamp
    DEPENDS ${GENCC} ${arch}
    DEPFILE ${dir}/stamp.d
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
    COMMENT "gencc ${shown}"
    VERBATIM)
  add_custom_target(generate_${NAME} DEPENDS ${dir}/stamp)
endfunction()
