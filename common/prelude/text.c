/*
 * The prelude as GenC text, made from cpu.inc and lane.inc.
 */
#include "common/prelude/text.h"

#define PRELUDE_GROUP(name, heading) "\n// " heading "\n"
#define PRELUDE(name, value, text)   "const uint32 " #name " = " #value ";  // " text "\n"
#define PRELUDE_END

const char prelude_text[] =
    "// What descriptions and the runtime agree on: every description has these constants.\n"
#include "common/prelude/cpu.inc"
#undef PRELUDE
#define PRELUDE_PLACE(name, kind, text) \
    "const uint64 " #name " = 0x" #kind "00000000;  // " text "\n"
#define PRELUDE_SPECIAL(name, value, text) \
    "const uint64 " #name " = PLACE_SPECIAL + " #value ";  // " text "\n"
#define PRELUDE_FLAG(name, value, text) "const uint32 " #name " = " #value ";  // " text "\n"
    "\n// places of operands and results, flags of bundles\n"
#include "common/prelude/lane.inc"
    ;

const size_t prelude_length = sizeof(prelude_text) - 1;
