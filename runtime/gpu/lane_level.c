/* The highest level of the host's instruction set for which handlers of lanes are compiled. */
#include "runtime/gpu/lane.h"

unsigned gpu_lane_level(void)
{
#if GPU_LANE_LEVELS > 1
    /* Every host with these has F16C too. */
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
#else
    return 0;
#endif
}
