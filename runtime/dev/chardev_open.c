/*
 * Opens and closes character back ends by their specs.
 *
 * Bounds      none of its own: chardev.c has the queue
 */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/dev/chardev_backend.h"

static const struct chardev_backend *const backends[] = {
    &chardev_stdio, &chardev_null,   &chardev_file,   &chardev_pty,
    &chardev_tcp,   &chardev_script, &chardev_memory,
};

static bool open_backend(struct chardev *chr, const char *spec, struct error *err)
{
    size_t len = strcspn(spec, ":");

    for (size_t i = 0; i < sizeof(backends) / sizeof(backends[0]); i++) {
        const struct chardev_backend *b = backends[i];

        if (strlen(b->name) != len || strncmp(b->name, spec, len) != 0)
            continue;
        chr->backend = b;
        return b->open(chr, spec[len] ? spec + len + 1 : "", err);
    }
    return error_set(err,
                     "unknown serial back end '%s'; known: stdio, null, file:PATH, pty, "
                     "tcp:[HOST]:PORT[,server], script:PATH, memory",
                     spec);
}

struct chardev *chardev_open(const char *spec, const struct chardev_host *host, struct error *err)
{
    struct chardev *chr = xcalloc(1, sizeof(*chr));

    chr->host = *host;
    chr->reader.in_fd = chr->reader.listen_fd = -1;
    chr->reader.out_fd = -1;
    chr->reader.wake[0] = chr->reader.wake[1] = -1;
    pthread_mutex_init(&chr->lock, NULL);
    pthread_cond_init(&chr->room, NULL);
    if (open_backend(chr, spec, err))
        return chr;
    pthread_cond_destroy(&chr->room);
    pthread_mutex_destroy(&chr->lock);
    free(chr);
    return NULL;
}

void chardev_close(struct chardev *chr)
{
    if (!chr)
        return;
    chr->attached = false;
    chardev_stop_reader(chr);
    clock_unpost(chr->host.clock, chr);
    if (chr->backend->close)
        chr->backend->close(chr);
    pthread_cond_destroy(&chr->room);
    pthread_mutex_destroy(&chr->lock);
    free(chr);
}
