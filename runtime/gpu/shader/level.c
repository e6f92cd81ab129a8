/* The choice of the build of warp.c for the highest instruction-set level of this host. */
#include "runtime/gpu/lane.h"
#include "runtime/gpu/shader/running.h"

#define AT_LEVEL(level)                                                                           \
    void gpu_warp_run_##level(struct gpu_worker *k, struct gpu_warp *w);                          \
    void gpu_warp_resume_##level(struct gpu_worker *k, struct gpu_warp *w, struct gpu_code *code, \
                                 const struct gpu_front *front);                                  \
    void gpu_warp_set_out_##level(struct gpu_worker *k, struct gpu_warp *w);                      \
    void gpu_warp_fill_pool_##level(struct gpu_worker *k, struct gpu_warp *w, unsigned words);    \
    bool gpu_warp_goes_on_##level(const struct gpu_warp *w, uint32_t all, uint64_t address);      \
    bool gpu_warp_stays_##level(const struct gpu_warp *w, const struct gpu_code *code,            \
                                uint64_t *next);                                                  \
    void gpu_warp_bar_##level(struct gpu_warp *w, uint64_t next);

AT_LEVEL(base)
#if GPU_LANE_LEVELS > 1
AT_LEVEL(v3)
#define CALL(function, ...)                                   \
    (gpu_lane_level() ? gpu_warp_##function##_v3(__VA_ARGS__) \
                      : gpu_warp_##function##_base(__VA_ARGS__))
#else
#define CALL(function, ...) gpu_warp_##function##_base(__VA_ARGS__)
#endif

void gpu_warp_run(struct gpu_worker *k, struct gpu_warp *w)
{
    CALL(run, k, w);
}

void gpu_warp_resume(struct gpu_worker *k, struct gpu_warp *w, struct gpu_code *code,
                     const struct gpu_front *front)
{
    CALL(resume, k, w, code, front);
}

void gpu_warp_set_out(struct gpu_worker *k, struct gpu_warp *w)
{
    CALL(set_out, k, w);
}

void gpu_warp_fill_pool(struct gpu_worker *k, struct gpu_warp *w, unsigned words)
{
    CALL(fill_pool, k, w, words);
}

bool gpu_warp_goes_on(const struct gpu_warp *w, uint32_t all, uint64_t address)
{
    return CALL(goes_on, w, all, address);
}

bool gpu_warp_stays(const struct gpu_warp *w, const struct gpu_code *code, uint64_t *next)
{
    return CALL(stays, w, code, next);
}

void gpu_warp_bar(struct gpu_warp *w, uint64_t next)
{
    CALL(bar, w, next);
}
