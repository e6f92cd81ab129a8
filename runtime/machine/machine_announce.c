/* Prints on standard error what is about to run, since a kernel may print nothing for a while. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "runtime/dev/chardev.h"
#include "runtime/machine/firmware.h"

static void begin_line(const struct machine *m, const char *what)
{
    fprintf(stderr, "%s: %-13s", m->platform->name, what);
}

static void show_cpus(const struct machine *m)
{
    const char *firmware;

    begin_line(m, "CPUs");
    for (unsigned i = 0; i < m->cpu_count;) {
        const char *kind = dt_string(m->dt, m->cpu_nodes[i], "compatible", 0);
        unsigned from = i;

        while (i < m->cpu_count &&
               !strcmp(dt_string(m->dt, m->cpu_nodes[i], "compatible", 0), kind))
            i++;
        fprintf(stderr, "%s%u x %s", from ? ", " : "", i - from, kind);
    }
    if (m->options->cpu)
        fprintf(stderr, " as %s", m->options->cpu);
    fprintf(stderr, "; %s", m->platform->isa->name);
    if (!firmware_describe(m->firmware, 0))
        fprintf(stderr, ", no firmware");
    for (unsigned i = 0; (firmware = firmware_describe(m->firmware, i)); i++)
        fprintf(stderr, ", %s", firmware);
    fputc('\n', stderr);
}

static void show_boot(const struct machine *m)
{
    const struct machine_boot *b = &m->boot;

    begin_line(m, "kernel");
    fprintf(stderr, "%s (%s%s), %#" PRIx64 "..%#" PRIx64 ", entry %#" PRIx64 "\n",
            m->options->kernel, b->kernel.gzipped ? "gzipped " : "", b->kernel.format->name,
            b->kernel.start, b->kernel.end - 1, b->kernel.entry);
    begin_line(m, "device tree");
    if (m->options->dtb)
        fprintf(stderr, "%s and the platform's additions", m->options->dtb);
    else
        fprintf(stderr, "the platform's own");
    fprintf(stderr, ", at %#" PRIx64 "\n", b->dtb_at);
    if (b->initrd.len) {
        begin_line(m, "initrd");
        fprintf(stderr, "%s, %zu KB at %#" PRIx64 "\n", m->options->initrd, b->initrd.len >> 10,
                b->initrd_at);
    }
}

static void show_console(const struct machine *m)
{
    begin_line(m, "console");
    if (!m->console)
        fprintf(stderr, "none: the device tree has neither stdout-path nor serial0\n");
    else
        fprintf(stderr, "%s on %s\n", m->console->name, chardev_describe(m->chardevs.data[0]));
}

/* The text behind `key` in the kernel's command line, or NULL; *len is the length of its word. */
static const char *command_word(const char *text, const char *key, int *len)
{
    for (const char *at = text; at && (at = strstr(at, key)); at++) {
        if (at == text || at[-1] == ' ') {
            at += strlen(key);
            *len = (int)strcspn(at, " ");
            return at;
        }
    }
    return NULL;
}

static void show_root(const struct machine *m)
{
    const struct options *o = m->options;
    const char *root;
    int len = 0;

    begin_line(m, "root");
    if ((root = command_word(o->append, "rdinit=", &len)))
        fprintf(stderr, "the initial RAM disk, %.*s\n", len, root);
    else if ((root = command_word(o->append, "root=", &len)))
        fprintf(stderr, "%.*s%s\n", len, root,
                m->boot.initrd.len ? ", by the initial RAM disk" : "");
    else
        fprintf(stderr, "%s\n", m->boot.initrd.len ? "the initial RAM disk, /init" : "not given");
}

static void show_disk(const struct machine *m, const struct drive_option *d, unsigned *count,
                      char *letter)
{
    begin_line(m, (*count)++ ? "" : "disks");
    if (d->socket)
        fprintf(stderr, "%s", d->socket);
    else
        fprintf(stderr, "vd%c", (*letter)++);
    fprintf(stderr, " = %s%s\n", d->file,
            d->read_only  ? " (read-only)"
            : d->snapshot ? " (writes are forgotten)"
                          : "");
}

/* Disks in the order of their slots. */
static void show_disks(const struct machine *m)
{
    const struct options *o = m->options;
    unsigned count = 0;
    char letter = 'a';

    vec_for_each (&o->drives, drive) {
        if (!drive->taken)
            show_disk(m, drive, &count, &letter);
    }
    vec_for_each (&o->devices, device) {
        if (device->kind == VIRTIO_DEVICE_BLK)
            show_disk(m, &o->drives.data[device->index], &count, &letter);
    }
}

void machine_announce(const struct machine *m)
{
    const char *model = dt_string(m->dt, m->dt->nodes, "model", 0);

    begin_line(m, "board");
    fprintf(stderr, "%s, %" PRIu64 " MB\n", model ? model : m->info.summary,
            m->options->memory >> 20);
    show_cpus(m);
    show_boot(m);
    show_console(m);
    show_root(m);
    show_disks(m);
    begin_line(m, "command line");
    fprintf(stderr, "%s\n", m->options->append ? m->options->append : "(the device tree's)");
}
