/* The GPUs of -gpu in a program of user mode: their shader ISAs are listed by add_user(). */
#include <stddef.h>

#include "runtime/gpu/variant.h"
#include "runtime/user/render/render.h"

#define X(name) extern const struct gpu_isa name##_isa;
GPU_ISAS(X)
#undef X

#define X(name) &name##_isa,
static const struct gpu_isa *const isas[] = {GPU_ISAS(X) NULL};
#undef X

const struct user_device user_gpu = {render_create, gpu_variants_print, isas};
