# embed_file(FILE NAME OUT): OUT becomes a C file with the bytes of FILE as NAME[] and NAME_size.
# As a script: cmake -DFILE=… -DNAME=… -DOUT=… -P EmbedFile.cmake
set(EMBED_FILE_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(embed_file file name out)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DFILE=${file} -DNAME=${name} -DOUT=${out} -P ${EMBED_FILE_SCRIPT}
    DEPENDS ${file} ${EMBED_FILE_SCRIPT}
    VERBATIM)
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  file(READ ${FILE} bytes HEX)
  string(LENGTH "${bytes}" digits)
  math(EXPR size "${digits} / 2")
  string(REGEX REPLACE "(..)" "0x\\1," list "${bytes}")
  file(WRITE ${OUT} "#include <stddef.h>\n\nextern const unsigned char ${NAME}[];\nextern const size_t ${NAME}_size;\n"
       "const unsigned char ${NAME}[] = {${list}};\nconst size_t ${NAME}_size = ${size};\n")
endif()
