include(GenerateIsa)

# How the C of shader ISAs is compiled. scripts/mali reads it from mali.flags in the build folder.
# Handlers are loops over lanes, which the compiler is to vectorise. Their results stay exact.
set(SHADER_EXACT -fwrapv -fno-trapping-math -fno-math-errno -ffp-contract=off -Wno-psabi)
set(SHADER_HANDLERS -O3 -foptimize-sibling-calls)
set(SHADER_LEVELS base)
set(SHADER_FLAGS_base)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64)$")
  list(APPEND SHADER_LEVELS v3)
  set(SHADER_FLAGS_v3 -mavx2 -mfma -mf16c -mbmi -mbmi2)
endif()
string(CONCAT flags
  "exact='${SHADER_EXACT}'\n"
  "handlers='${SHADER_HANDLERS}'\n"
  "levels='${SHADER_LEVELS}'\n"
  "flags_base='${SHADER_FLAGS_base}'\n"
  "flags_v3='${SHADER_FLAGS_v3}'\n")
string(REPLACE ";" " " flags "${flags}")
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/mali.flags CONTENT "${flags}")

# add_shader_isa(NAME ARCH <file.ac> UNITS <isa>… [BUNDLE <bundle>] [INCLUDE <header>] [PARTS <n>]
#                [LIBS <targets>])
#
# Generates the C of an architecture of lanes with gencc and compiles it into the static library
# `isa_NAME`: a `struct gpu_unit` per unit, and the `struct gpu_isa` of the bundle. INCLUDE is the
# header of the description's external functions. On x86-64 handlers are compiled twice: for any
# host, and for hosts with AVX2 (see runtime/gpu/lane.h). The generated code calls runtime_gpu,
# which users of isa_NAME must link behind it.
function(add_shader_isa NAME)
  cmake_parse_arguments(A "" "ARCH;BUNDLE;INCLUDE;PARTS" "UNITS;LIBS" ${ARGN})
  if(NOT A_PARTS)
    set(A_PARTS 4)
  endif()
  set(dir ${CMAKE_BINARY_DIR}/generated/${NAME})
  set(sources)
  set(rare)
  set(handlers)
  set(headers)
  set(translate)
  set(options)
  if(GENCC_LLVM)
    set(translate translate)
    set(options OPTIONS --jit)
  endif()
  math(EXPR last "${A_PARTS} - 1")
  foreach(unit ${A_UNITS})
    list(APPEND headers ${dir}/${unit}_internal.h)
    list(APPEND sources ${dir}/${unit}_helpers.c)
    foreach(part decode disasm isa ${translate})
      list(APPEND rare ${dir}/${unit}_${part}.c)
    endforeach()
    foreach(i RANGE ${last})
      list(APPEND handlers ${dir}/${unit}_exec_${i}.c)
    endforeach()
  endforeach()
  if(A_BUNDLE)
    list(APPEND sources ${dir}/${A_BUNDLE}_bundle.c)
  endif()

  generate_isa(${NAME} ARCH ${A_ARCH} PARTS ${A_PARTS} INCLUDE ${A_INCLUDE}
               OUTPUTS ${sources} ${rare} ${handlers} ${headers} ${options})

  # Clang warns of generated expressions, and of loops that it does not vectorise.
  set(clang)
  if(CMAKE_C_COMPILER_ID MATCHES "Clang")
    set(clang -Wno-pass-failed -Wno-bitwise-instead-of-logical -Wno-parentheses-equality)
  endif()
  set_source_files_properties(${sources} ${handlers} PROPERTIES COMPILE_OPTIONS "${clang}")
  # These run once per place in a shader, or to print it, so the time to compile them matters more.
  set_source_files_properties(${rare} PROPERTIES COMPILE_OPTIONS "${clang};-Og")
  leave_plain(${NAME} ${sources} ${rare} ${handlers})
  set(objects)
  foreach(level ${SHADER_LEVELS})
    set(target isa_${NAME}_${level})
    add_library(${target} OBJECT ${handlers})
    add_dependencies(${target} generate_${NAME})
    set_target_properties(${target} PROPERTIES GENERATED_CODE ON)
    target_compile_definitions(${target} PRIVATE GPU_LEVEL=${level})
    target_compile_options(${target} PRIVATE ${SHADER_HANDLERS} ${SHADER_EXACT}
                           ${SHADER_FLAGS_${level}})
    target_link_libraries(${target} PRIVATE gencc_options)
    list(APPEND objects $<TARGET_OBJECTS:${target}>)
  endforeach()
  add_library(isa_${NAME} STATIC ${sources} ${rare} ${objects})
  add_dependencies(isa_${NAME} generate_${NAME})
  set_target_properties(isa_${NAME} PROPERTIES GENERATED_CODE ON)
  target_compile_options(isa_${NAME} PRIVATE ${SHADER_EXACT})
  target_link_libraries(isa_${NAME} PUBLIC gencc_options common ${A_LIBS} m)
endfunction()
