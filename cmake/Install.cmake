# cmake --install: the programs, and all that is needed to build a description outside of this
# repository, where find_package(gencc) finds gencc-config.cmake. The component `compiler` is
# everything but the simulators and the libraries of the CPUs described here.
#
# share/gencc has the folders of the repository that a user of the manual needs, at the same places,
# so that links between pages and commands of the tutorials hold there.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(GENCC_INSTALLED_LIBS runtime_machine runtime_debug runtime_check runtime_report runtime_gpu runtime_timing runtime_dev runtime_display runtime_user
    runtime_bare runtime_jit runtime_cpu runtime_mem runtime_time runtime_obs runtime_fp runtime_base mali_layout
    mali_variants common)
set(GENCC_INSTALLED_SHADERS isa_bifrost isa_midgard)
set(GENCC_INSTALLED_CPUS isa_armv8a isa_armv7a isa_rv64gc isa_mips isa_mipsel)
set(programs juno vexpress vexpress-ca53 virt-riscv64 malta malta-be mali-run mali-fuzz mali-tune mali-dse gencc-dap aarch64-user arm-user
    riscv64-user mips-user mipsel-user)
set(share ${CMAKE_INSTALL_DATADIR}/gencc)
set(package ${CMAKE_INSTALL_LIBDIR}/cmake/gencc)
set(libraries ${CMAKE_INSTALL_LIBDIR}/gencc)
set(headers ${CMAKE_INSTALL_INCLUDEDIR}/gencc)

install(TARGETS gencc RUNTIME COMPONENT compiler)
install(TARGETS ${programs} RUNTIME COMPONENT programs)
install(PROGRAMS ${CMAKE_BINARY_DIR}/bin/gencc-report TYPE BIN COMPONENT programs)
install(TARGETS ${GENCC_INSTALLED_LIBS} ${GENCC_INSTALLED_SHADERS} ARCHIVE DESTINATION ${libraries} COMPONENT compiler)
install(TARGETS ${GENCC_INSTALLED_CPUS} ARCHIVE DESTINATION ${libraries} COMPONENT programs)
install(DIRECTORY common runtime gencc DESTINATION ${headers} COMPONENT compiler
        FILES_MATCHING PATTERN "*.h" PATTERN "*.inc")
install(FILES ${CMAKE_BINARY_DIR}/generated/mali_layout/mali_layout.h DESTINATION ${headers} COMPONENT compiler)
install(DIRECTORY descriptions platforms docs DESTINATION ${share} COMPONENT compiler
        PATTERN CMakeLists.txt EXCLUDE PATTERN "*.py" EXCLUDE)
install(DIRECTORY bench/results DESTINATION ${share}/bench COMPONENT compiler FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")
install(DIRECTORY examples/ci DESTINATION ${share}/examples COMPONENT compiler)
install(FILES examples/clients/README.md DESTINATION ${share}/examples/clients COMPONENT compiler)
install(FILES README.md CONTRIBUTING.md DESTINATION ${share} COMPONENT compiler)
install(DIRECTORY examples/project DESTINATION ${share} COMPONENT compiler)
install(PROGRAMS scripts/bare scripts/mali DESTINATION ${share}/scripts COMPONENT compiler)
install(FILES runtime/bare/main.c DESTINATION ${share}/runtime/bare COMPONENT compiler)
install(FILES runtime/user/main.c DESTINATION ${share}/runtime/user COMPONENT compiler)
install(DIRECTORY programs/mali-run DESTINATION ${share}/programs COMPONENT compiler FILES_MATCHING PATTERN "*.[ch]")

# share/gencc/build is for the scripts what a build folder is: it has the files that they read there.
include(InstalledBuild)

configure_package_config_file(cmake/gencc-config.cmake.in ${CMAKE_BINARY_DIR}/gencc-config.cmake
                              INSTALL_DESTINATION ${package})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/gencc-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/gencc-config.cmake ${CMAKE_BINARY_DIR}/gencc-config-version.cmake
              cmake/AddIsa.cmake cmake/GenerateIsa.cmake cmake/AddBare.cmake cmake/AddUser.cmake cmake/AddPlatform.cmake
              cmake/RequireProgram.cmake cmake/platform.c.in
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
