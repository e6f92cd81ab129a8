# cmake --install: the programs, and all that is needed to build a description outside of this
# repository, where find_package(gencc) finds gencc-config.cmake. The component `compiler` is
# everything but the machines.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(GENCC_INSTALLED_LIBS runtime_user runtime_bare runtime_jit runtime_cpu runtime_mem runtime_time runtime_obs runtime_fp runtime_base
    common)
set(programs juno vexpress vexpress-ca53 virt-riscv64 mali-run mali-fuzz mali-tune mali-dse aarch64-user arm-user riscv64-user
    mips-user mipsel-user)
set(share ${CMAKE_INSTALL_DATADIR}/gencc)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/gencc)

install(TARGETS gencc RUNTIME COMPONENT compiler)
install(TARGETS ${programs} RUNTIME COMPONENT programs)
install(PROGRAMS ${CMAKE_BINARY_DIR}/bin/gencc-report TYPE BIN COMPONENT programs)
install(TARGETS ${GENCC_INSTALLED_LIBS} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/gencc COMPONENT compiler)
install(DIRECTORY common runtime gencc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/gencc COMPONENT compiler
        FILES_MATCHING PATTERN "*.h" PATTERN "*.inc")
install(DIRECTORY descriptions DESTINATION ${share} COMPONENT compiler)
install(DIRECTORY examples/project DESTINATION ${share} COMPONENT compiler)
install(FILES runtime/bare/main.c DESTINATION ${share}/bare COMPONENT compiler)
install(FILES runtime/user/main.c DESTINATION ${share}/user COMPONENT compiler)

configure_package_config_file(cmake/gencc-config.cmake.in ${CMAKE_BINARY_DIR}/gencc-config.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/gencc-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/gencc-config.cmake ${CMAKE_BINARY_DIR}/gencc-config-version.cmake
              cmake/AddIsa.cmake cmake/GenerateIsa.cmake cmake/AddBare.cmake cmake/AddUser.cmake
        DESTINATION ${package} COMPONENT compiler)

# Man pages are what --help prints.
foreach(program gencc gencc-report ${programs})
  set(component programs)
  if(program STREQUAL gencc)
    set(component compiler)
  endif()
  install(CODE "execute_process(COMMAND \"${CMAKE_SOURCE_DIR}/cmake/manpage\" \"${CMAKE_BINARY_DIR}/bin/${program}\"
    \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_MANDIR}/man1\" COMMAND_ERROR_IS_FATAL ANY)"
    COMPONENT ${component})
endforeach()
