/* The machine's screen: the live view, and pictures in files. */
#include "runtime/display/vnc.h"

#include <stdio.h>

#include "runtime/machine/machine.h"

#define FIRMWARE_FRAMEBUFFER "simple-framebuffer"

static bool is_wanted(const struct machine *m)
{
    return m->options->vnc || m->options->screendumps.len;
}

/* Without a view, removes the frame buffer that firmware would have set up. */
bool machine_choose_display(struct machine *m, struct error *err)
{
    const struct dt_node *node = NULL;
    dt_node_list spare = {0};
    bool ok;

    m->display = display_new(m->bus);
    while (!is_wanted(m) && (node = dt_next_compatible(m->dt, node, FIRMWARE_FRAMEBUFFER)) != NULL)
        vec_push(&spare, node);
    ok = dt_remove_nodes(m->dt, &spare, err);
    vec_free(&spare);
    return ok;
}

bool machine_dump_screen(const struct machine *m, const char *file, struct error *err)
{
    struct image image = {0};
    bool ok = display_grab(m->display, &image) || error_set(err, "%s: the screen is off", file);

    ok = ok && image_write_png(&image, file, err);
    image_free(&image);
    return ok;
}

static void dump_screen(struct machine *m, const char *file)
{
    struct error err = {0};

    if (machine_dump_screen(m, file, &err))
        return;
    fprintf(stderr, "%s: -screendump %s\n", m->platform->name, err.text);
    m->display_failed = true;
}

static void dump_is_due(void *opaque)
{
    struct machine_dump *d = opaque;

    dump_screen(d->m, d->file);
}

bool machine_start_display(struct machine *m, struct error *err)
{
    vec_for_each (&m->options->screendumps, o) {
        struct machine_dump *d;

        if (o->when == CLOCK_NEVER)
            continue;
        d = xcalloc(1, sizeof(*d));
        *d = (struct machine_dump){.m = m, .file = o->file};
        event_init(&d->event, dump_is_due, d);
        clock_add(&m->clock, &d->event, o->when);
        vec_push(&m->dumps, d);
    }
    if (m->options->vnc)
        m->vnc = vnc_open(m->display, &m->clock, m->options->vnc, m->platform->name, err);
    if (m->vnc)
        vnc_set_journal(m->vnc, m->journal);
    return !m->options->vnc || m->vnc;
}

bool machine_finish_display(struct machine *m)
{
    vec_for_each (&m->options->screendumps, o) {
        if (o->when == CLOCK_NEVER)
            dump_screen(m, o->file);
    }
    return !m->display_failed;
}

void machine_free_display(struct machine *m)
{
    vnc_close(m->vnc);
    while (m->dumps.len) {
        struct machine_dump *d = m->dumps.data[--m->dumps.len];

        clock_cancel(&m->clock, &d->event);
        free(d);
    }
    vec_free(&m->dumps);
}
