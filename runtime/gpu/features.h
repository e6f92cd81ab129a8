/* For decoders of shader ISAs whose instructions require features: what the GPU has of them. */
#ifndef RUNTIME_GPU_FEATURES_H
#define RUNTIME_GPU_FEATURES_H

#include <stdbool.h>

struct gpu_decode;

/* Whether the GPU for which is decoded has the feature. If not, that is why the bundle is refused. `feature`
 * stays where it is. */
bool gpu_decode_has(struct gpu_decode *d, const char *feature);

#endif
