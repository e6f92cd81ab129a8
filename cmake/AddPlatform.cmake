# add_platform(NAME ISA <isa> LIB <target> DTS <file.dts>)
#
# Makes the simulator bin/NAME: the machine room, the CPUs of ISA (a struct cpu_isa of that name in
# LIB), and the platform's description, compiled by dtc into the binary.
function(add_platform NAME)
  cmake_parse_arguments(P "" "ISA;LIB;DTS" "" ${ARGN})
  find_program(DTC dtc REQUIRED)
  get_filename_component(dts ${P_DTS} ABSOLUTE)
  file(GLOB texts CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.dtsi)
  set(dtb ${CMAKE_CURRENT_BINARY_DIR}/${NAME}.dtb)
  # A description is no tree of a whole board: the checks of addresses and parents do not apply.
  add_custom_command(
    OUTPUT ${dtb}
    COMMAND ${DTC} -q -I dts -O dtb -o ${dtb} ${dts}
    DEPENDS ${dts} ${texts}
    COMMENT "dtc ${NAME}.dts"
    VERBATIM)

  set(PLATFORM_NAME ${NAME})
  set(PLATFORM_ISA ${P_ISA})
  set(PLATFORM_DTB ${dtb})
  set(source ${CMAKE_CURRENT_BINARY_DIR}/${NAME}_platform.c)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/platform.c.in ${source} @ONLY)
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${dtb})
  add_executable(${NAME} ${source})
  target_link_libraries(${NAME} PRIVATE gencc_options ${P_LIB} runtime_machine)
endfunction()
