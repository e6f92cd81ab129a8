/* Registers of a GPU that never change: from its description, and from its numbers of cores and
 * threads. */
#include "runtime/gpu/constants.h"

#include "mali_layout.h"
#include "runtime/gpu/variant.h"

uint32_t gpu_variant_register(const struct gpu_variant *v, uint32_t offset)
{
    for (unsigned i = 0; i < v->value_count; i++) {
        if (v->values[i].offset == offset)
            return v->values[i].value;
    }
    switch (offset) {
    case MALI_GPU_ID:
        return v->product << MALI_GPU_ID_PRODUCT_SHIFT | v->revision << MALI_GPU_ID_REVISION_SHIFT;
    case MALI_SHADER_PRESENT_LO:
        return (uint32_t)v->shader_present;
    case MALI_SHADER_PRESENT_HI:
        return (uint32_t)(v->shader_present >> 32);
    case MALI_THREAD_MAX_THREADS:
        return v->max_threads;
    case MALI_THREAD_MAX_WORKGROUP_SIZE:
    case MALI_THREAD_MAX_BARRIER_SIZE:
        return v->max_group;
    }
    return 0;
}
