/* Lane-by-lane accesses of a row, called by translated code when a lookup of one page is not
 * enough. */
#ifndef RUNTIME_GPU_TRANSLATE_ROW_H
#define RUNTIME_GPU_TRANSLATE_ROW_H

#include <stdint.h>

struct gpu_row_range;
struct gpu_warp;

/* Operand `what` of an access: bytes per lane (1, 2, 4 or 8), and from bit GPU_ROW_COUNTER on the
 * expected enum gpu_access_counter. The expected count was added already; it is subtracted, since
 * here each lane counts by the page that it accesses. */
enum { GPU_ROW_COUNTER = 8 };

/*
 * The lanes of the mask access va[lane], the lowest lane first. `out` and `in` are arrays of
 * integers of the accessed size, by lane. out[lane] of other lanes is unchanged.
 */
void gpu_row_read(struct gpu_warp *w, uint32_t lanes, const uint64_t *va, void *out, uint32_t what);
void gpu_row_write(struct gpu_warp *w, uint32_t lanes, const uint64_t *va, const void *in,
                   uint32_t what);
/* Reads the value at one address for all lanes of the mask. */
uint64_t gpu_row_read_one(struct gpu_warp *w, uint32_t lanes, uint64_t va, uint32_t what);

/*
 * The lanes of the mask perform an atomic operation at va[lane], the lowest lane first, as
 * gpu_atomic32() and others of lane_memory.h do. `what` is GPU_ROW_ATOMIC() of the bytes per lane
 * (4 or 8) and enum gpu_atomic_kind, or GPU_ROW_CMPXCHG. `old` is an array of integers of this
 * size, by lane: the operands, or what GPU_ROW_CMPXCHG expects, in whose place the old values come.
 * `value` is the same array, or has the new values of GPU_ROW_CMPXCHG. Accesses are counted here.
 */
enum { GPU_ROW_CMPXCHG = 0xff };
#define GPU_ROW_ATOMIC(bytes, kind) ((bytes) | (kind) << 8)
void gpu_row_atomic(struct gpu_warp *w, uint32_t lanes, const uint64_t *va, void *old,
                    const void *value, uint32_t what);

/* Stores a word of each lane from `host` on; `what` is GPU_ROW_PARTS() of the number of lanes, the
 * bytes of a word, and those from lane to lane. */
#define GPU_ROW_PARTS(lanes, bytes, stride) ((lanes) | (bytes) << 8 | (stride) << 16)
void gpu_row_store_part(uint8_t *host, const uint8_t *words, uint32_t what);

/* Turns the row at `w` into the row `through` further on and sets the initial registers of its
 * threads, or the registers that it kept at the last barrier. */
void gpu_rows_leave(struct gpu_warp *w, struct gpu_row_range *r, uint64_t through);

#endif
