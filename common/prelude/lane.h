/* The prelude of lane descriptions in C. */
#ifndef COMMON_PRELUDE_LANE_H
#define COMMON_PRELUDE_LANE_H

/* Kinds of places. A place is kind << 32 | value. */
enum gpu_place_kind {
#define PRELUDE_PLACE(name, kind, text) GPU_##name = kind,
#define PRELUDE_SPECIAL(name, value, text)
#define PRELUDE_FLAG(name, value, text)
#include "common/prelude/lane.inc"
#undef PRELUDE_PLACE
#undef PRELUDE_SPECIAL
#undef PRELUDE_FLAG
};

/* Values of places of kind GPU_PLACE_SPECIAL */
enum gpu_special {
#define PRELUDE_PLACE(name, kind, text)
#define PRELUDE_SPECIAL(name, value, text) GPU_##name = value,
#define PRELUDE_FLAG(name, value, text)
#include "common/prelude/lane.inc"
#undef PRELUDE_PLACE
#undef PRELUDE_SPECIAL
#undef PRELUDE_FLAG
    GPU_SPECIAL_COUNT = 32,
};

/* Flags returned by bundle_flags() */
enum gpu_bundle_flag {
#define PRELUDE_PLACE(name, kind, text)
#define PRELUDE_SPECIAL(name, value, text)
#define PRELUDE_FLAG(name, value, text) GPU_##name = value,
#include "common/prelude/lane.inc"
#undef PRELUDE_PLACE
#undef PRELUDE_SPECIAL
#undef PRELUDE_FLAG
};

/* Field of a result's place: one bit per byte of the register that the result changes */
enum { GPU_RESULT_BYTES_SHIFT = 16, GPU_RESULT_BYTES = 15 };

#endif
