/* Serves GDB between turns, with the registers that the platform lists in /gencc/gdb. */
#include "runtime/machine/debugger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "runtime/base/alloc.h"
#include "runtime/cpu/gdb.h"
#include "runtime/machine/gpu_debugger.h"

#define PAUSE_NS 200000 /* between two looks for packets while posted work waits */

struct feature {
    char *types;
    VEC(struct gdb_register) registers;
    VEC(char *) texts; /* owned; the strings of the registers point into them */
};

struct debugger {
    struct gdb *gdb;
    VEC(struct feature) features;
    VEC(struct gdb_feature) shown;
    struct gdb_target target;
};

static bool add_register(struct feature *f, const char *text, struct error *err)
{
    char *copy = xstrdup(text), *state = NULL;
    const char *name = strtok_r(copy, " ", &state), *bits = strtok_r(NULL, " ", &state);
    const char *type = strtok_r(NULL, " ", &state);
    unsigned width = bits ? (unsigned)strtoul(bits, NULL, 10) : 0;

    vec_push(&f->texts, copy);
    if (!type)
        return error_set(err, "the platform's GDB register '%s' is not 'NAME BITS TYPE SOURCE'",
                         text);
    vec_push(&f->registers, (struct gdb_register){name, width, type, state});
    return true;
}

/* The strings of a property, joined; NULL when there is none. */
static char *join_strings(const struct dt *dt, const struct dt_node *node, const char *name)
{
    char *all = NULL;
    size_t len = 0;
    const char *text;

    for (unsigned i = 0; (text = dt_string(dt, node, name, i)); i++) {
        size_t n = strlen(text);

        all = xrealloc(all, len + n + 1, 1);
        memcpy(all + len, text, n + 1);
        len += n;
    }
    return all;
}

static bool add_feature(struct debugger *d, const struct dt *dt, const struct dt_node *node,
                        const char *name, struct error *err)
{
    struct feature f = {.types = join_strings(dt, node, "types")};
    const char *text;
    bool ok = true;

    for (unsigned i = 0; ok && (text = dt_string(dt, node, "registers", i)); i++)
        ok = add_register(&f, text, err);
    vec_push(&d->features, f);
    vec_push(&d->shown,
             (struct gdb_feature){name, f.types, f.registers.data, (unsigned)f.registers.len});
    return ok;
}

/* Reads /gencc/gdb. False: an error in it. Without that node GDB gets no target description. */
static bool read_target(struct debugger *d, const struct dt *dt, struct error *err)
{
    const struct dt_node *top = dt_find(dt, "/gencc/gdb");

    if (!top)
        return true;
    d->target.architecture = dt_string(dt, top, "architecture", 0);
    for (unsigned n = 0; n < dt->count; n++) {
        const struct dt_node *node = &dt->nodes[n];
        const char *name = node->parent == top ? dt_string(dt, node, "feature", 0) : NULL;

        if (name && !add_feature(d, dt, node, name, err))
            return false;
    }
    d->target.features = d->shown.data;
    d->target.count = (unsigned)d->shown.len;
    return true;
}

static enum gdb_back go_back(void *opaque, struct cpu *cpu)
{
    struct machine *m = opaque;
    struct error err = {0};
    enum machine_back end = MACHINE_BACK_FAILED;

    if (m->going_back)
        end = m->going_back->back(m, cpu, &err);
    if (end == MACHINE_BACK_FAILED)
        fprintf(stderr, "%s: reverse execution: %s\n", m->platform->name, err.text);
    return end == MACHINE_BACK_STOPPED ? GDB_BACK_STOPPED
           : end == MACHINE_BACK_BEGIN ? GDB_BACK_BEGIN
                                       : GDB_BACK_FAILED;
}

static bool may_change(void *opaque)
{
    struct machine *m = opaque;

    return !m->going_back || m->going_back->may_change(m);
}

bool debugger_new(struct machine *m, struct error *err)
{
    struct debugger *d = xcalloc(1, sizeof(*d));
    struct gdb_config config = {
        .group = &m->group,
        .address = m->options->gdb,
        .stopped = m->options->wait_gdb,
        .log = &m->log,
        .monitor = m->watch.command,
        .monitor_opaque = m,
        .exact = m->journal != NULL,
        .back = m->options->reverse ? go_back : NULL,
        .may_change = may_change,
        .back_opaque = m,
        .peer = gpu_debugger_peer(m),
    };

    m->debugger = d;
    if (!read_target(d, m->info.dt, err))
        return false;
    config.target = d->target.architecture ? &d->target : NULL;
    d->gdb = gdb_new(&config, err);
    if (!d->gdb)
        return false;
    gpu_debugger_join(m, d->gdb);
    fprintf(stderr, "%s: %-13sTCP port %u%s\n", m->platform->name, "gdb", gdb_port(d->gdb),
            m->options->wait_gdb ? ", waiting" : "");
    return true;
}

void debugger_free(struct debugger *d)
{
    if (!d)
        return;
    gdb_free(d->gdb);
    vec_for_each (&d->features, f) {

        vec_for_each (&f->texts, text)
            free(*text);
        vec_free(&f->texts);
        vec_free(&f->registers);
        free(f->types);
    }
    vec_free(&d->features);
    vec_free(&d->shown);
    free(d);
}

bool debugger_is_connected(const struct machine *m)
{
    return gdb_is_connected(m->debugger->gdb);
}

bool debugger_is_interrupted(struct machine *m)
{
    return gdb_is_interrupted(m->debugger->gdb);
}

/* Waits for GDB. Posted work is not run within a turn and stays, so that waiting for more ends at
 * once. */
static void wait_for_gdb(struct machine *m)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};

    clock_wait_posted(&m->clock, CLOCK_NEVER);
    if (m->in_turn)
        nanosleep(&pause, NULL);
}

bool debugger_serve(struct machine *m)
{
    switch (gdb_serve(m->debugger->gdb)) {
    case GDB_RUN:
        return true;
    case GDB_WAIT:
        wait_for_gdb(m);
        return false;
    case GDB_AGAIN:
        return false;
    case GDB_END:
        machine_stop(m, 0);
        return false;
    }
    return false;
}
