/* The prelude in C: what descriptions of Arm CPUs agree on with devices and firmware of their boards. */
#ifndef GENCC_PRELUDE_ARM_H
#define GENCC_PRELUDE_ARM_H

#define PRELUDE_GROUP(name, heading) enum name {
#define PRELUDE(name, value, text)   name = value,
#define PRELUDE_END \
    }               \
    ;
#include "gencc/prelude/arm.inc"
#undef PRELUDE_GROUP
#undef PRELUDE
#undef PRELUDE_END

#endif
