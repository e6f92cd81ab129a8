/* Features of the GPU, for decoders of shader ISAs whose instructions require them. */
#ifndef RUNTIME_GPU_FEATURES_H
#define RUNTIME_GPU_FEATURES_H

#include <stdbool.h>

struct gpu_decode;

/* Whether the GPU whose code is decoded has the feature. If not, it is the reason for which the
 * bundle is refused. `feature` must stay valid. */
bool gpu_decode_has(struct gpu_decode *d, const char *feature);

#endif
