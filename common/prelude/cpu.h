/* The prelude of CPU descriptions in C. */
#ifndef COMMON_PRELUDE_CPU_H
#define COMMON_PRELUDE_CPU_H

#define PRELUDE_GROUP(name, heading) enum name {
#define PRELUDE(name, value, text)   name = value,
#define PRELUDE_END \
    }               \
    ;
#include "common/prelude/cpu.inc"
#undef PRELUDE_GROUP
#undef PRELUDE
#undef PRELUDE_END

#endif
