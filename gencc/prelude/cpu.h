/* The prelude in C: what descriptions of CPUs and the runtime agree on. */
#ifndef GENCC_PRELUDE_CPU_H
#define GENCC_PRELUDE_CPU_H

#define PRELUDE_GROUP(name, heading) enum name {
#define PRELUDE(name, value, text)   name = value,
#define PRELUDE_END \
    }               \
    ;
#include "gencc/prelude/cpu.inc"
#undef PRELUDE_GROUP
#undef PRELUDE
#undef PRELUDE_END

#endif
