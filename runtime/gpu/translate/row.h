/* Accesses of a row's lanes, one after the other: what translated code calls where one look is not enough. */
#ifndef RUNTIME_GPU_TRANSLATE_ROW_H
#define RUNTIME_GPU_TRANSLATE_ROW_H

#include <stdint.h>

struct gpu_row_range;
struct gpu_warp;

/* `what` of an access: how many bytes (1, 2, 4 or 8), and from this bit on as what it was counted (enum gpu_access_counter) where it
 * was expected: that is taken back, since here each lane counts by the page that it meets. */
enum { GPU_ROW_COUNTER = 8 };

/*
 * The lanes of the mask access so many bytes each at va[lane], the lowest lane first. `out` and `in` are arrays of integers
 * of that size, by lane; out[lane] of other lanes stays as it is.
 */
void gpu_row_read(struct gpu_warp *w, uint32_t lanes, const uint64_t *va, void *out, uint32_t what);
void gpu_row_write(struct gpu_warp *w, uint32_t lanes, const uint64_t *va, const void *in,
                   uint32_t what);
/* All of them read at one address; gives the value. */
uint64_t gpu_row_read_one(struct gpu_warp *w, uint32_t lanes, uint64_t va, uint32_t what);

/* The lanes of the mask go on at an address; they have ended. */
void gpu_row_go_on(struct gpu_warp *w, uint32_t lanes, uint64_t address);
void gpu_row_end(struct gpu_warp *w, uint32_t lanes);

/* The row that begins at `w` becomes one `through` rows further on, and its memory what that one finds. */
void gpu_rows_leave(struct gpu_warp *w, struct gpu_row_range *r, uint64_t through);

#endif
