#include "runtime/gpu/translate/row.h"

#include "runtime/gpu/lane_memory.h"
#include "runtime/gpu/shader/core.h"

#define EACH_LANE(lanes, l)                                                                \
    for (uint32_t left_ = (lanes), l; left_ && (l = (uint32_t)__builtin_ctz(left_), true); \
         left_ &= left_ - 1)

#define READ(bits)                                 \
    do {                                           \
        uint##bits##_t *to = out;                  \
                                                   \
        EACH_LANE(lanes, l)                        \
        to[l] = gpu_read##bits(w, NULL, l, va[l]); \
    } while (0)

#define WRITE(bits)                                  \
    do {                                             \
        const uint##bits##_t *from = in;             \
                                                     \
        EACH_LANE(lanes, l)                          \
        gpu_write##bits(w, NULL, l, va[l], from[l]); \
    } while (0)

void gpu_row_read(struct gpu_warp *w, uint32_t lanes, const uint64_t *va, void *out, uint32_t bytes)
{
    switch (bytes) {
    case 1:
        READ(8);
        break;
    case 2:
        READ(16);
        break;
    case 4:
        READ(32);
        break;
    default:
        READ(64);
    }
}

void gpu_row_write(struct gpu_warp *w, uint32_t lanes, const uint64_t *va, const void *in,
                   uint32_t bytes)
{
    switch (bytes) {
    case 1:
        WRITE(8);
        break;
    case 2:
        WRITE(16);
        break;
    case 4:
        WRITE(32);
        break;
    default:
        WRITE(64);
    }
}

uint64_t gpu_row_read_one(struct gpu_warp *w, uint32_t lanes, uint64_t va, uint32_t bytes)
{
    uint64_t v = 0;

    EACH_LANE(lanes, l)
    {
        switch (bytes) {
        case 1:
            v = gpu_read8(w, NULL, l, va);
            break;
        case 2:
            v = gpu_read16(w, NULL, l, va);
            break;
        case 4:
            v = gpu_read32(w, NULL, l, va);
            break;
        default:
            v = gpu_read64(w, NULL, l, va);
        }
    }
    return v;
}

void gpu_rows_leave(struct gpu_warp *w, struct gpu_row_range *r, uint64_t through)
{
    r->through = through;
    gpu_warp_skip(w->core->worker, w, (unsigned)through);
}
