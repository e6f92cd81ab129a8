/* The other ends of serial ports, disks, network cards and entropy sources. */
#include <string.h>
#include <unistd.h>

#include "runtime/base/bits.h"
#include "runtime/dev/chardev.h"
#include "runtime/dev/virtio.h"
#include "runtime/machine/leave.h"
#include "runtime/machine/machine.h"
#include "runtime/machine/seeds.h"

/* Locally administered addresses of QEMU's range, which users recognise. */
static const uint8_t first_mac[6] = {0x52, 0x54, 0x00, 0x12, 0x34, 0x56};

static bool add_function(struct machine *m, struct virtio_function *f)
{
    if (f)
        vec_push(&m->functions, f);
    return f != NULL;
}

static bool add_net(struct machine *m, const struct net_option *o, unsigned n, struct error *err)
{
    struct net_backend *net = virtio_net_user(&m->clock, &m->log, o->restricted,
                                              o->host_forward.data, o->host_forward.len, err);
    uint8_t mac[6];

    if (!net)
        return false;
    memcpy(mac, first_mac, sizeof(mac));
    mac[5] = (uint8_t)(mac[5] + n);
    return add_function(m, virtio_net_new(net, mac));
}

bool machine_open_functions(struct machine *m, struct error *err)
{
    const struct options *o = m->options;
    uint8_t seed[8];

    for (size_t i = 0; i < o->drives.len; i++) {
        const struct drive_option *d = &o->drives.data[i];

        if (!add_function(m, virtio_blk_new(d->file, d->read_only, d->snapshot, err)))
            return false;
    }
    for (size_t i = 0; i < o->nets.len; i++) {
        if (!add_net(m, &o->nets.data[i], (unsigned)i, err))
            return false;
    }
    for (size_t i = 0; i < o->folders.len; i++) {
        const struct folder_option *f = &o->folders.data[i];

        if (!add_function(m, virtio_9p_new(f->path, f->tag, f->model, f->read_only, err)))
            return false;
    }
    if (!seed_bytes(o, SEED_VIRTIO_RNG, seed, sizeof(seed), err))
        return false;
    return add_function(m, virtio_rng_new(o->host_random ? NULL : seed, err));
}

static void quit(void *opaque)
{
    machine_stop(opaque, 0);
}

static void leave(void *opaque)
{
    struct machine *m = opaque;

    leave_request(m->leave);
}

static bool add_console(struct machine *m, const char *spec, struct error *err)
{
    struct chardev_host host = {.clock = &m->clock, .quit = quit, .leave = leave, .opaque = m};
    struct chardev *chr = chardev_open(spec, &host, err);

    if (chr)
        vec_push(&m->chardevs, chr);
    return chr != NULL;
}

bool machine_open_consoles(struct machine *m, struct error *err)
{
    const struct options *o = m->options;

    if (!o->serials.len)
        return add_console(m, "stdio", err);
    for (size_t i = 0; i < o->serials.len; i++) {
        if (!add_console(m, o->serials.data[i], err))
            return false;
    }
    return true;
}

bool machine_is_interactive(const struct machine *m)
{
    const struct options *o = m->options;

    if (o->nets.len || o->gdb)
        return true;
    if (!o->serials.len)
        return isatty(STDIN_FILENO);
    for (size_t i = 0; i < o->serials.len; i++) {
        const char *spec = o->serials.data[i];

        if (!strcmp(spec, "pty") || !strncmp(spec, "tcp:", 4) ||
            (!strcmp(spec, "stdio") && isatty(STDIN_FILENO)))
            return true;
    }
    return false;
}

void machine_close_backends(struct machine *m)
{
    while (m->chardevs.len)
        chardev_close(m->chardevs.data[--m->chardevs.len]);
    while (m->functions.len)
        virtio_function_free(m->functions.data[--m->functions.len]);
    vec_free(&m->chardevs);
    vec_free(&m->functions);
}
