/* Stand-ins for a build without LLVM, where shaders are always interpreted. */
#include <stddef.h>

#include "runtime/gpu/translate/translate.h"

struct gpu_translator *gpu_translator_new(void)
{
    return NULL;
}

void gpu_translator_free(struct gpu_translator *t)
{
    (void)t;
}

void gpu_translator_set_room(struct gpu_translator *t, unsigned room)
{
    (void)t, (void)room;
}

unsigned gpu_translator_room(const struct gpu_translator *t)
{
    (void)t;
    return 0;
}

bool gpu_translator_keep(struct gpu_translator *t, const char *where, struct error *err)
{
    (void)t, (void)where, (void)err;
    return true;
}

struct gpu_host_functions gpu_translator_functions(const struct gpu_translator *t)
{
    (void)t;
    return (struct gpu_host_functions){0};
}

struct gpu_trace *gpu_trace_new(struct gpu_translator *t, const struct gpu_decoder *decoder,
                                struct gpu_shader *shader, const struct gpu_recording *r,
                                bool loops)
{
    (void)t, (void)decoder, (void)shader, (void)r, (void)loops;
    return NULL;
}

struct gpu_trace *gpu_trace_new_through(struct gpu_translator *t, const struct gpu_decoder *decoder,
                                        struct gpu_shader *shader, const struct gpu_recording *r,
                                        const struct gpu_rows_shape *shape)
{
    (void)t, (void)decoder, (void)shader, (void)r, (void)shape;
    return NULL;
}

struct gpu_trace *gpu_trace_new_wide(struct gpu_translator *t, const struct gpu_decoder *decoder,
                                     struct gpu_shader *shader, const struct gpu_recording *r,
                                     const struct gpu_rows_shape *shape)
{
    (void)t, (void)decoder, (void)shader, (void)r, (void)shape;
    return NULL;
}

void gpu_trace_add_rows(struct gpu_trace *trace, const struct gpu_decoder *decoder,
                        struct gpu_shader *shader, const struct gpu_rows_shape *shape)
{
    (void)trace, (void)decoder, (void)shader, (void)shape;
}

void gpu_trace_add_phase(struct gpu_trace *trace, const struct gpu_decoder *decoder,
                         struct gpu_shader *shader)
{
    (void)trace, (void)decoder, (void)shader;
}

void gpu_trace_add_abreast(struct gpu_trace *trace, const struct gpu_decoder *decoder,
                           struct gpu_shader *shader)
{
    (void)trace, (void)decoder, (void)shader;
}

void gpu_trace_free(struct gpu_trace *trace)
{
    (void)trace;
}
