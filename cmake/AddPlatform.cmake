# add_platform(NAME ISA <isa> LIB <target> DTS <file.dts> [GPUS <shader isa>…])
#
# Makes the simulator NAME of the machine room, the CPUs of ISA (the struct cpu_isa ISA_isa of LIB),
# and the platform's description, which dtc compiles into the binary. GPUS are the shader ISAs
# (struct gpu_isa in isa_NAME) of the GPUs that -gpu offers. The description may include the files
# of GENCC_PLATFORMS by name.
function(add_platform NAME)
  cmake_parse_arguments(P "" "ISA;LIB;DTS" "GPUS" ${ARGN})
  require_program(DTC device-tree-compiler dtc)
  get_filename_component(dts ${P_DTS} ABSOLUTE)
  set(dtb ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.dtb)
  # A description is not the device tree of a whole board: checks of addresses and parents do not
  # apply.
  add_custom_command(
    OUTPUT ${dtb}
    COMMAND ${DTC} -q -I dts -O dtb -i ${GENCC_PLATFORMS} -d ${dtb}.d -o ${dtb} ${dts}
    DEPENDS ${dts}
    DEPFILE ${dtb}.d
    COMMENT "dtc ${NAME}.dts"
    VERBATIM)

  set(PLATFORM_NAME ${NAME})
  set(PLATFORM_ISA ${P_ISA})
  set(PLATFORM_DTB ${dtb})
  set(PLATFORM_GPU_DECLARATIONS)
  set(PLATFORM_GPUS)
  foreach(gpu ${P_GPUS})
    string(APPEND PLATFORM_GPU_DECLARATIONS "extern const struct gpu_isa ${gpu}_isa;\n")
    string(APPEND PLATFORM_GPUS "&${gpu}_isa, ")
    list(APPEND P_LIB isa_${gpu})
  endforeach()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${NAME}_platform.c)
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/platform.c.in ${source} @ONLY)
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${dtb})
  add_executable(${NAME} ${source})
  target_link_libraries(${NAME} PRIVATE gencc_options ${P_LIB} runtime_machine)
endfunction()
