# Installs share/gencc/build, which scripts/bare and scripts/mali use in place of a build folder.
# Paths in its files are relative to it, so that the prefix may be moved.
set(of_build ${share}/build)
set(made ${CMAKE_BINARY_DIR}/installed)

# The way from a folder of the prefix to another.
function(path_between from to out)
  file(RELATIVE_PATH path /${from} /${to})
  set(${out} ${path} PARENT_SCOPE)
endfunction()

path_between(${of_build} ${headers} to_headers)
path_between(${of_build} ${libraries} to_libraries)
file(CONFIGURE OUTPUT ${made}/headers CONTENT "@to_headers@\n" @ONLY)
# Prints the libraries of the list `NAME.link` of the build folder as they are installed.
function(installed_link name)
  get_property(libs GLOBAL PROPERTY GENCC_LINK_${name})
  list(TRANSFORM libs REPLACE "(.+)" "${to_libraries}/lib\\1.a")
  list(JOIN libs "\n" libs)
  file(CONFIGURE OUTPUT ${made}/${name}.link CONTENT "@libs@\n" @ONLY)
endfunction()
installed_link(bare)
installed_link(mali)
install(FILES ${made}/headers ${made}/bare.link ${made}/mali.link ${CMAKE_BINARY_DIR}/bare.options
              ${CMAKE_BINARY_DIR}/mali.flags
        DESTINATION ${of_build} COMPONENT compiler)

# Links to what lies elsewhere in the prefix, and sums of the generated C, by which scripts/mali sees
# what of a description is as it was.
function(install_link folder name to)
  path_between(${of_build}/${folder} ${to} path)
  install(CODE "
    set(folder \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${of_build}/${folder}\")
    file(MAKE_DIRECTORY \"\${folder}\")
    file(CREATE_LINK \"${path}/${name}\" \"\${folder}/${name}\" SYMBOLIC)" COMPONENT compiler)
endfunction()
install_link(bin gencc ${CMAKE_INSTALL_BINDIR})
foreach(isa bifrost midgard)
  install_link(generated libisa_${isa}.a ${libraries})
  install(CODE "execute_process(
    COMMAND \"${CMAKE_SOURCE_DIR}/scripts/mali\" --sums \"${CMAKE_BINARY_DIR}/generated/${isa}\"
    OUTPUT_FILE \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${of_build}/generated/${isa}.sums\"
    COMMAND_ERROR_IS_FATAL ANY)" COMPONENT compiler)
endforeach()
