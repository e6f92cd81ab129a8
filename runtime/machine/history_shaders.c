/* Watched memory of the GPU, and texts about writes to it. */
#include "runtime/machine/history_shaders.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/alloc.h"
#include "runtime/cpu/debug.h"
#include "runtime/gpu/isa.h"
#include "runtime/gpu/walk.h"
#include "runtime/machine/kernel_names.h"

/* ---- what is watched ------------------------------------------------------------------------- */

static void watch_physical(struct history_shaders *s, struct machine *m, uint64_t pa,
                           uint64_t bytes, uint64_t address)
{
    const uint8_t *host = bus_ram_ptr(m->bus, pa, bytes);

    if (host)
        vec_push(&s->writes.watched, (struct gpu_watched){host, bytes, address});
}

/* The physical address behind a virtual one, for the CPU that stopped, or any other, or as it was
 * when it was last known. */
static bool find_physical(struct history_shaders *s, struct machine *m, uint64_t va, uint64_t *pa)
{
    struct cpu *first = debug_last_stop(m->group.debug)->cpu;
    bool found = first && cpu_memory_find(first, va, pa);

    for (unsigned n = 0; !found && n < m->cpu_count; n++)
        found = cpu_memory_find(m->cpus[n], va, pa);
    vec_for_each (&s->mappings, known) {
        if (known->va != va)
            continue;
        if (found)
            known->pa = *pa;
        *pa = known->pa;
        return true;
    }
    if (found)
        vec_push(&s->mappings, (struct history_mapping){va, *pa});
    return found;
}

static void watch_virtual(struct history_shaders *s, struct machine *m, uint64_t va, uint64_t len)
{
    for (uint64_t done = 0; done < len;) {
        uint64_t room = BUS_PAGE_SIZE - (va + done) % BUS_PAGE_SIZE, pa;
        uint64_t part = len - done < room ? len - done : room;

        if (find_physical(s, m, va + done, &pa))
            watch_physical(s, m, pa, part, va);
        done += part;
    }
}

bool history_shaders_watch(struct history_shaders *s, struct machine *m)
{
    uint64_t va, len;
    unsigned kinds;

    s->writes.watched.len = 0;
    if (!s->gpu)
        return false;
    for (size_t n = 0; debug_watchpoint(m->group.debug, n, &va, &len, &kinds); n++)
        if (kinds & DEBUG_WATCH_WRITE)
            watch_virtual(s, m, va, len);
    vec_for_each (&s->points, p)
        watch_physical(s, m, p->pa, p->bytes, 0);
    return s->writes.watched.len;
}

void history_shaders_inspect(struct history_shaders *s, struct machine *m, bool on)
{
    if (!s->gpu)
        return;
    if (on)
        gpu_shader_writes_begin(&s->writes, m->gpu.isa);
    gpu_device_inspect(s->gpu, on ? &s->writes.inspector : NULL);
}

/* ---- texts ----------------------------------------------------------------------------------- */

struct listing {
    struct history_shaders *s;
    uint64_t bundle; /* marked */
    unsigned number; /* becomes its number */
};

static bool list_bundle(void *opaque, const struct gpu_walked *bundle)
{
    struct listing *l = opaque;

    if (bundle->address == l->bundle) {
        l->number = bundle->index;
        l->s->told.mark = l->s->told.code.len;
    }
    vec_push(&l->s->told.code, xstrdup(bundle->text));
    return true;
}

static void forget_texts(struct history_shaders *s)
{
    vec_for_each (&s->told.code, text)
        free(*text);
    s->told.code.len = 0;
    free(s->told.note);
    s->told.note = NULL;
}

static void print_write(FILE *out, const struct gpu_write *w)
{
    if (w->access == GPU_ACCESS_WRITE)
        fprintf(out, "stores 0x%0*" PRIx64, (int)(2 * w->bytes), w->value);
    else
        fprintf(out, "updates %u bytes", w->bytes);
    fprintf(out, " at 0x%" PRIx64 "\n", w->va);
}

void history_shaders_tell(struct history_shaders *s, struct machine *m, const struct gpu_write *w)
{
    const char *name = m->names ? kernel_name(m->names, w->hash) : NULL;
    struct listing l = {.s = s, .bundle = w->bundle};
    size_t len = 0;
    FILE *out;

    forget_texts(s);
    if (m->gpu.isa->disasm_bundle)
        gpu_walk_shader(m->gpu.isa, w->as, w->shader, w->uniforms, list_bundle, &l);
    out = open_memstream(&s->told.note, &len);
    if (!out)
        return;
    fprintf(out, "The GPU writes: job 0x%" PRIx64 ", kernel %s%s%016" PRIx64, w->header,
            name ? name : "", name ? " " : "", w->hash);
    fprintf(out, ", %s %u at 0x%" PRIx64 "\n", m->gpu.isa->bundle_name, l.number, w->bundle);
    fprintf(out,
            "work-item (%" PRIu32 ",%" PRIu32 ",%" PRIu32 "), group (%" PRIu32 ",%" PRIu32
            ",%" PRIu32 "), ",
            w->item[0], w->item[1], w->item[2], w->group[0], w->group[1], w->group[2]);
    print_write(out, w);
    fclose(out);
}

bool history_shaders_print(const struct history_shaders *s, uint64_t around, FILE *out)
{
    if (!s->told.note)
        return false;
    fputs(s->told.note, out);
    for (size_t n = 0; n < s->told.code.len; n++) {
        bool far = n + around < s->told.mark || n > s->told.mark + around;

        if (!far)
            fprintf(out, "%s%s\n", n == s->told.mark ? "=> " : "   ", s->told.code.data[n]);
    }
    return true;
}

/* ---- life ------------------------------------------------------------------------------------ */

void history_shaders_open(struct history_shaders *s, struct machine *m)
{
    s->gpu = m->gpu.isa ? machine_find_device(m, &gpu_class) : NULL;
    s->writes.turn = &m->turn;
    s->writes.opaque = m;
}

void history_shaders_close(struct history_shaders *s)
{
    if (s->gpu)
        gpu_device_inspect(s->gpu, NULL);
    forget_texts(s);
    vec_free(&s->told.code);
    vec_free(&s->points);
    vec_free(&s->mappings);
    gpu_shader_writes_free(&s->writes);
}
