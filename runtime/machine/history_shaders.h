/*
 * Going back to what a shader wrote: which memory is watched, and what is told about the writing
 * bundle.
 */
#ifndef RUNTIME_MACHINE_HISTORY_SHADERS_H
#define RUNTIME_MACHINE_HISTORY_SHADERS_H

#include "runtime/gpu/shader_writes.h"
#include "runtime/machine/machine.h"

/* Physical memory that the monitor's `gpu watch` names. */
struct history_gpu_point {
    uint64_t pa, bytes;
};

/* Where a debugger's watchpoint was last mapped, since the CPUs are elsewhere when the GPU runs. */
struct history_mapping {
    uint64_t va, pa;
};

struct history_shaders {
    void *gpu; /* the device; NULL: the machine has none with shader cores */
    struct gpu_shader_writes writes;
    VEC(struct history_gpu_point) points;
    VEC(struct history_mapping) mappings;
    bool behind; /* stopped behind the bundle that wrote, not before it */
    struct {
        char *note; /* text about the writer; NULL: nothing was found yet */
        VEC(char *) code;
        size_t mark; /* index of the writing bundle */
    } told;
};

/* `s` is zero before. */
void history_shaders_open(struct history_shaders *s, struct machine *m);
void history_shaders_close(struct history_shaders *s);

/* Collects what is watched now; whether there is anything. */
bool history_shaders_watch(struct history_shaders *s, struct machine *m);
/* Turns the inspection of shaders on or off. On: right after a reset. */
void history_shaders_inspect(struct history_shaders *s, struct machine *m, bool on);
/* Notes who writes, and the shader's code, while the write's bundle is executed. */
void history_shaders_tell(struct history_shaders *s, struct machine *m, const struct gpu_write *w);
/* Prints these texts, with `around` bundles before and behind; false: there is none. */
bool history_shaders_print(const struct history_shaders *s, uint64_t around, FILE *out);

#endif
