#include "gencc/prelude/text.h"

#define PRELUDE_GROUP(name, heading) "\n// " heading "\n"
#define PRELUDE(name, value, text)   "const uint32 " #name " = " #value ";  // " text "\n"
#define PRELUDE_END

const char prelude_text[] =
    "// What descriptions and the runtime agree on: every description has these constants.\n"
#include "gencc/prelude/cpu.inc"
    ;

const size_t prelude_length = sizeof prelude_text - 1;
