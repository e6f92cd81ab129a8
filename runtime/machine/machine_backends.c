/* Back ends of serial ports, disks, network cards, screens and entropy sources. */
#include <string.h>
#include <unistd.h>

#include "runtime/base/bits.h"
#include "runtime/dev/chardev.h"
#include "runtime/dev/disk.h"
#include "runtime/dev/net.h"
#include "runtime/dev/virtio.h"
#include "runtime/machine/leave.h"
#include "runtime/machine/machine.h"
#include "runtime/machine/seeds.h"
#include "runtime/obs/journal.h"

/* First MAC address: of QEMU's locally administered range, which users recognise. */
static const uint8_t first_mac[6] = {0x52, 0x54, 0x00, 0x12, 0x34, 0x56};

static bool add_function(struct machine *m, struct virtio_function *f)
{
    if (f)
        vec_push(&m->functions, f);
    return f != NULL;
}

static void next_mac(struct machine *m, uint8_t mac[6])
{
    memcpy(mac, first_mac, sizeof(first_mac));
    mac[5] = (uint8_t)(mac[5] + m->cards++);
}

static struct net_backend *open_net(struct machine *m, const struct net_option *o,
                                    struct error *err)
{
    struct net_backend *net = NULL;

    if (!m->journal || !journal_is_replay(m->journal)) {
        net = net_user_new(&m->clock, &m->log, o->restricted, o->host_forward.data,
                           o->host_forward.len, err);
        if (!net)
            return NULL;
    }
    return m->journal ? net_journal_new(net, m->journal, (uint32_t)m->nets.len) : net;
}

static bool add_net(struct machine *m, const struct net_option *o, struct error *err)
{
    struct net_backend *net = open_net(m, o, err);
    struct machine_plug plug = {.option = "-nic", .kind = o->model, .net = net};

    if (!net)
        return false;
    vec_push(&m->nets, net);
    if (o->has_mac)
        memcpy(plug.mac, o->mac, sizeof(plug.mac));
    else
        next_mac(m, plug.mac);
    if (!o->model)
        return add_function(m, virtio_net_new(net, plug.mac));
    vec_push(&m->plugs, plug);
    return true;
}

/* Opens the file, as a qcow2 image if it is one. */
static struct disk *open_disk(const struct drive_option *d, struct error *err)
{
    bool image = !d->raw && disk_file_is_qcow2(d->file);

    if (d->qcow2 && !image)
        return error_null(err, "%s: this is no qcow2 image", d->file);
    if (image)
        return disk_open_qcow2(d->file, d->read_only, d->snapshot, err);
    if (!d->raw && !disk_file_is_raw(d->file, err))
        return NULL;
    return disk_open(d->file, d->read_only, d->snapshot, err);
}

static bool add_drive(struct machine *m, const struct drive_option *d, struct error *err)
{
    struct disk *disk = open_disk(d, err);
    struct machine_plug plug = {.option = "-drive", .kind = d->socket, .disk = disk};

    if (!disk)
        return false;
    vec_push(&m->disks, disk);
    if (!d->socket)
        return add_function(m, virtio_blk_new(disk));
    vec_push(&m->plugs, plug);
    return true;
}

/* ---- devices of the board -------------------------------------------------------------------- */

/* Whether a compatible of the node, without its vendor prefix, is `model`. */
static bool is_model(const struct dt *dt, const struct dt_node *node, const char *model)
{
    const char *name = NULL;

    while ((name = dt_next_string(dt, node, "compatible", name)) != NULL) {
        const char *comma = strchr(name, ',');

        if (!strcmp(comma ? comma + 1 : name, model))
            return true;
    }
    return false;
}

static bool plug_fits_device(const struct machine *m, const struct machine_plug *plug,
                             const struct dt_node *node, const struct device_class *cls)
{
    if (plug->net)
        return cls->nic && is_model(m->dt, node, plug->kind);
    return cls->drive && !strcmp(cls->drive, plug->kind);
}

void machine_plug(struct machine *m, const struct dt_node *node, const struct device_class *cls,
                  struct device_env *env)
{
    vec_for_each (&m->plugs, plug) {
        if (plug->taken || !plug_fits_device(m, plug, node, cls))
            continue;
        plug->taken = true;
        env->net = plug->net;
        env->disk = plug->disk;
        memcpy(env->mac, plug->mac, sizeof(env->mac));
        return;
    }
    if (cls->nic)
        next_mac(m, env->mac);
}

bool machine_all_plugged(const struct machine *m, struct error *err)
{
    vec_for_each (&m->plugs, plug) {
        if (!plug->taken)
            return error_set(err, "%s: the board has no '%s', or not so many", plug->option,
                             plug->kind);
    }
    return true;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static bool add_folder(struct machine *m, const struct folder_option *f, struct error *err)
{
    struct virtio_function *share = virtio_9p_new(f->path, f->tag, f->model, f->read_only, err);

    if (share && m->journal)
        virtio_9p_journal(share, m->journal, (uint32_t)m->functions.len);
    return add_function(m, share);
}

static bool add_entropy(struct machine *m, struct error *err)
{
    uint8_t seed[8];

    return seed_bytes(m->options, SEED_VIRTIO_RNG, seed, sizeof(seed), err) &&
           add_function(m, virtio_rng_new(m->options->host_random ? NULL : seed, err));
}

static bool add_device(struct machine *m, const struct device_option *d, struct error *err)
{
    const struct options *o = m->options;

    switch (d->kind) {
    case VIRTIO_DEVICE_BLK:
        return add_drive(m, &o->drives.data[d->index], err);
    case VIRTIO_DEVICE_NET:
        return add_net(m, &o->nets.data[d->index], err);
    case VIRTIO_DEVICE_9P:
        return add_folder(m, &o->folders.data[d->index], err);
    case VIRTIO_DEVICE_RNG:
        m->entropy_asked = true;
        return add_entropy(m, err);
    case VIRTIO_DEVICE_GPU:
        return add_function(m, virtio_gpu_new((uint32_t)d->width, (uint32_t)d->height));
    }
    return error_set(err, "-device: no such device");
}

/* Back ends without a -device get the first slots. */
bool machine_open_functions(struct machine *m, struct error *err)
{
    const struct options *o = m->options;

    vec_for_each (&o->drives, drive) {
        if (!drive->taken && !add_drive(m, drive, err))
            return false;
    }
    vec_for_each (&o->nets, net) {
        if (!net->taken && !add_net(m, net, err))
            return false;
    }
    vec_for_each (&o->folders, folder) {
        if (!folder->taken && !add_folder(m, folder, err))
            return false;
    }
    vec_for_each (&o->devices, device) {
        if (!add_device(m, device, err))
            return false;
    }
    return m->entropy_asked || add_entropy(m, err);
}

void machine_drop_spare_function(struct machine *m, size_t slots)
{
    if (!m->entropy_asked && m->functions.len > slots)
        virtio_function_free(m->functions.data[--m->functions.len]);
}

static void on_quit(void *opaque)
{
    machine_stop(opaque, 0);
}

static void on_leave(void *opaque)
{
    struct machine *m = opaque;

    leave_request(m->leave);
}

/* ---- the monitor, which Ctrl-A c of a serial port reaches ------------------------------------ */

static void forward_keys(void *opaque, const uint8_t *bytes, size_t len)
{
    struct machine *m = opaque;

    m->watch.keys(m->watch.opaque, bytes, len);
}

static bool add_console(struct machine *m, const char *spec, struct error *err)
{
    struct chardev_host host = {.clock = &m->clock,
                                .quit = on_quit,
                                .leave = on_leave,
                                .opaque = m,
                                .journal = m->journal,
                                .number = (uint32_t)m->chardevs.len};
    struct chardev *chr;

    if (m->watch.keys)
        host.monitor = forward_keys;
    chr = chardev_open(spec, &host, err);
    if (chr)
        vec_push(&m->chardevs, chr);
    return chr != NULL;
}

bool machine_open_consoles(struct machine *m, struct error *err)
{
    const struct options *o = m->options;

    if (!o->serials.len)
        return add_console(m, o->terminal_taken ? "null" : "stdio", err);
    for (size_t i = 0; i < o->serials.len; i++) {
        if (!add_console(m, o->serials.data[i], err))
            return false;
    }
    return true;
}

/* Whether a back end of a serial port or of the monitor can have a peer that sends input. */
static bool is_live(const char *spec)
{
    return !strcmp(spec, "pty") || !strncmp(spec, "tcp:", 4) || !strncmp(spec, "unix:", 5) ||
           (!strcmp(spec, "stdio") && isatty(STDIN_FILENO));
}

bool machine_is_interactive(const struct machine *m)
{
    const struct options *o = m->options;

    if (o->nets.len || o->gdb || o->vnc || (o->monitor && is_live(o->monitor)))
        return true;
    if (!o->serials.len)
        return isatty(STDIN_FILENO);
    for (size_t i = 0; i < o->serials.len; i++) {
        if (is_live(o->serials.data[i]))
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
    while (m->plugs.len) {
        struct machine_plug *plug = &m->plugs.data[--m->plugs.len];

        if (plug->net)
            plug->net->destroy(plug->net);
        disk_close(plug->disk);
    }
    vec_free(&m->chardevs);
    vec_free(&m->functions);
    vec_free(&m->plugs);
    vec_free(&m->nets);
    vec_free(&m->disks);
}
