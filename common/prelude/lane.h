/* What descriptions of lanes and the GPU's runtime agree on, in C. */
#ifndef COMMON_PRELUDE_LANE_H
#define COMMON_PRELUDE_LANE_H

/* Kinds of places: kind << 32 | value. */
enum gpu_place_kind {
#define PRELUDE_PLACE(name, kind, text) GPU_##name = kind,
#define PRELUDE_SPECIAL(name, value, text)
#define PRELUDE_FLAG(name, value, text)
#include "common/prelude/lane.inc"
#undef PRELUDE_PLACE
#undef PRELUDE_SPECIAL
#undef PRELUDE_FLAG
};

/* Values of GPU_PLACE_SPECIAL. */
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

/* Flags of bundle_flags(). */
enum gpu_bundle_flag {
#define PRELUDE_PLACE(name, kind, text)
#define PRELUDE_SPECIAL(name, value, text)
#define PRELUDE_FLAG(name, value, text) GPU_##name = value,
#include "common/prelude/lane.inc"
#undef PRELUDE_PLACE
#undef PRELUDE_SPECIAL
#undef PRELUDE_FLAG
};

/* The bytes of a register that a result changes, of its place. */
enum { GPU_RESULT_BYTES_SHIFT = 16, GPU_RESULT_BYTES = 15 };

#endif
