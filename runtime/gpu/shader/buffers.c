/* Addresses of uniform buffers, attributes and images, which shaders name by number. */
#include "runtime/gpu/shader/core.h"

#include "mali_layout.h"

static const struct gpu_compute_job *job_of(const struct gpu_warp *w)
{
    return &w->core->worker->cores->job->job;
}

uint64_t gpu_uniform_buffer(const struct gpu_warp *w, uint32_t index, uint32_t offset,
                            uint32_t bytes)
{
    const struct gpu_compute_job *job = job_of(w);

    if (index >= job->block_count || (uint64_t)offset + bytes > job->blocks[index].bytes)
        return 0;
    return job->blocks[index].address + offset;
}

/* The descriptor of attribute `index`, or of a varying if the index has GPU_ATTRIBUTE_VARYING. */
static const struct gpu_attribute *attribute_of(const struct gpu_warp *w, uint32_t index)
{
    const struct gpu_compute_job *job = job_of(w);
    bool varying = index & GPU_ATTRIBUTE_VARYING && job->stage != GPU_STAGE_COMPUTE;

    index &= ~(uint32_t)GPU_ATTRIBUTE_VARYING;
    if (varying)
        return index < job->varying_count ? &job->varyings[index] : NULL;
    return index < job->attribute_count ? &job->attributes[index] : NULL;
}

uint32_t gpu_attribute_format(const struct gpu_warp *w, uint32_t index)
{
    const struct gpu_attribute *a = attribute_of(w, index);

    return a ? a->format : 0;
}

/* Index of an attribute's element for a vertex of an instance. If a draw's vertices are numbered,
 * divisors and moduli apply to `row`, which numbers the vertices of all instances. */
static uint64_t element_of(const struct gpu_compute_job *job, const struct gpu_attribute *a,
                           uint32_t vertex, uint32_t instance)
{
    bool numbered = job->stage != GPU_STAGE_COMPUTE || job->padded;
    uint64_t row = vertex + (numbered ? (uint64_t)instance * job->padded : 0);
    uint64_t start = a->from_start ? job->offset_start : 0;

    switch (a->type) {
    case MALI_ATTRIBUTE_TYPE_POT_DIVISOR:
    case MALI_ATTRIBUTE_TYPE_POT_DIVISOR_WRITE_REDUCTION:
        return start + ((numbered ? row : instance) >> a->divisor_shift);
    case MALI_ATTRIBUTE_TYPE_NPOT_DIVISOR:
    case MALI_ATTRIBUTE_TYPE_NPOT_DIVISOR_WRITE_REDUCTION:
        return start + (a->divisor ? instance / a->divisor : 0);
    case MALI_ATTRIBUTE_TYPE_MODULUS:
    case MALI_ATTRIBUTE_TYPE_MODULUS_WRITE_REDUCTION: {
        uint64_t modulus = (UINT64_C(2) * a->divisor_extra + 1) << a->divisor_shift;

        return start + row % modulus;
    }
    default:
        return start + row;
    }
}

/* Index of the element of an attribute, or of a varying, whose elements are numbered by row. */
static uint64_t element_in(const struct gpu_compute_job *job, const struct gpu_attribute *a,
                           bool varying, uint32_t vertex, uint32_t instance)
{
    if (varying && job->stage != GPU_STAGE_COMPUTE)
        return vertex + (uint64_t)instance * job->padded;
    return element_of(job, a, vertex, instance);
}

uint64_t gpu_attribute_address(const struct gpu_warp *w, uint32_t index, uint32_t vertex,
                               uint32_t instance)
{
    const struct gpu_attribute *a = attribute_of(w, index);
    uint64_t offset;

    if (!a || a->type == MALI_ATTRIBUTE_TYPE_NONE)
        return 0;
    if (a->image)
        return gpu_image_address(w, index, vertex, instance);
    offset = element_in(job_of(w), a, index & GPU_ATTRIBUTE_VARYING, vertex, instance) * a->stride +
             (uint64_t)a->offset;
    return offset < a->bytes ? a->address + offset : 0;
}

uint64_t gpu_image_address(const struct gpu_warp *w, uint32_t index, uint32_t xy, uint32_t zw)
{
    const struct gpu_attribute *a = attribute_of(w, index);
    uint32_t x = xy & 0xffff, y = xy >> 16, z = zw & 0xffff;
    uint64_t offset;

    if (!a || !a->image || x >= a->size[0] || y >= a->size[1] || z >= a->size[2])
        return 0;
    offset = (uint64_t)z * a->slice_stride;
    offset += gpu_texel_offset(a->type != MALI_ATTRIBUTE_TYPE_IMAGE_LINEAR, x, y, a->row_stride,
                               a->stride);
    return offset < a->bytes ? a->address + offset : 0;
}
