/* Ends of lanes, for decoders of shader ISAs whose descriptions have the fields `ends` and
 * `ends_at_zero`. */
#ifndef RUNTIME_GPU_ENDS_H
#define RUNTIME_GPU_ENDS_H

#include <stdbool.h>
#include <stdint.h>

struct gpu_decode;

/* Notes whether the instruction ends the lanes that take it, or does so where the value of a source
 * is 0. Unlike a branch, such an instruction leads nowhere. */
void gpu_decode_ends(struct gpu_decode *d, bool ends);
void gpu_decode_ends_at_zero(struct gpu_decode *d, uint32_t selector);

#endif
