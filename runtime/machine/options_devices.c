/* Disks, folders and network cards of the command line, and -device, which connects them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/base/values.h"
#include "runtime/dev/virtio.h"
#include "runtime/machine/options_internal.h"

static void replace_string(char **where, const char *value)
{
    free(*where);
    *where = xstrdup(value);
}

/* Parses a MAC address: 52:54:00:12:34:56. */
static bool read_mac(struct net_option *n, const char *option, const char *text, struct error *err)
{
    char end;

    if (strspn(text, "0123456789abcdefABCDEF:") != strlen(text) || strlen(text) != 17 ||
        sscanf(text, "%2hhx:%2hhx:%2hhx:%2hhx:%2hhx:%2hhx%c", &n->mac[0], &n->mac[1], &n->mac[2],
               &n->mac[3], &n->mac[4], &n->mac[5], &end) != 6)
        return error_set(err, "%s mac is an address such as 52:54:00:12:34:56, not '%s'", option,
                         text);
    if (n->mac[0] & 1)
        return error_set(err, "%s mac: '%s' is an address of a group", option, text);
    n->has_mac = true;
    return true;
}

/* ---- -drive ---------------------------------------------------------------------------------- */

static bool drive_socket(struct drive_option *d, const char *value, struct error *err)
{
    free(d->socket);
    d->apart = !strcmp(value, "none");
    d->socket = d->apart || !strcmp(value, "virtio") ? NULL : xstrdup(value);
    return !d->socket || !strcmp(value, "sd") || !strcmp(value, "pflash") ||
           error_set(err, "-drive knows if=virtio, sd, pflash and none, not '%s'", value);
}

static void free_drive(struct drive_option *d)
{
    free(d->file);
    free(d->socket);
    free(d->id);
}

static bool drive_key(struct drive_option *d, const char *key, char *value, struct error *err)
{
    if (!key || !strcmp(key, "file")) {
        replace_string(&d->file, value);
        return true;
    }
    if (!strcmp(key, "format")) {
        d->raw = !strcmp(value, "raw");
        d->qcow2 = !strcmp(value, "qcow2");
        return d->raw || d->qcow2 ||
               error_set(err,
                         "-drive knows format=raw and qcow2, not '%s'; this makes a raw image of "
                         "it: qemu-img convert -O raw FILE NEW",
                         value);
    }
    if (!strcmp(key, "readonly") || !strcmp(key, "read-only"))
        return value_switch(value, "-drive readonly", &d->read_only, err);
    if (!strcmp(key, "snapshot"))
        return value_switch(value, "-drive snapshot", &d->snapshot, err);
    if (!strcmp(key, "if"))
        return drive_socket(d, value, err);
    if (!strcmp(key, "id")) {
        replace_string(&d->id, value);
        return true;
    }
    return error_set(err, "-drive has no '%s' (file, format, if, id, readonly, snapshot)", key);
}

bool options_add_drive(void *options, char *value, struct error *err)
{
    struct options *o = options;
    struct drive_option d = {0};
    char *key, *word;
    bool ok = true;

    while (ok && value_next(&value, &key, &word))
        ok = drive_key(&d, key, word, err);
    if (ok && !d.file)
        ok = error_set(err, "-drive needs file=FILE");
    if (ok && d.apart && !d.id)
        ok = error_set(err, "-drive if=none needs id=ID, by which a -device finds it");
    if (!ok) {
        free_drive(&d);
        return false;
    }
    vec_push(&o->drives, d);
    return true;
}

/* ---- -virtfs and -fsdev ---------------------------------------------------------------------- */

static bool folder_key(struct folder_option *f, const char *option, const char *key, char *value,
                       struct error *err)
{
    if (!key)
        return !strcmp(value, "local") || error_set(err, "%s knows local, not '%s'", option, value);
    if (!strcmp(key, "path")) {
        replace_string(&f->path, value);
        return true;
    }
    if (!strcmp(key, "mount_tag") && !f->apart) {
        replace_string(&f->tag, value);
        return true;
    }
    if (!strcmp(key, "readonly") || !strcmp(key, "read-only"))
        return value_switch(value, "readonly", &f->read_only, err);
    if (!strcmp(key, "security_model"))
        return ninep_model_by_name(value, &f->model) ||
               error_set(err, "%s security_model is none, passthrough or mapped-xattr, not '%s'",
                         option, value);
    if (!strcmp(key, "id")) {
        replace_string(&f->id, value);
        return true;
    }
    return error_set(err, "%s has no '%s' (path, %s, readonly, security_model)", option, key,
                     f->apart ? "id" : "mount_tag");
}

static void free_folder(struct folder_option *f)
{
    free(f->path);
    free(f->tag);
    free(f->id);
}

static bool add_folder(struct options *o, bool apart, char *value, struct error *err)
{
    const char *option = apart ? "-fsdev" : "-virtfs";
    struct folder_option f = {.apart = apart};
    char *key, *word;
    bool ok = true;

    while (ok && value_next(&value, &key, &word))
        ok = folder_key(&f, option, key, word, err);
    if (ok && (!f.path || !(apart ? f.id : f.tag)))
        ok = error_set(err, "%s needs path=DIR and %s", option, apart ? "id=ID" : "mount_tag=TAG");
    if (!ok) {
        free_folder(&f);
        return false;
    }
    vec_push(&o->folders, f);
    return true;
}

bool options_add_virtfs(void *options, char *value, struct error *err)
{
    return add_folder(options, false, value, err);
}

bool options_add_fsdev(void *options, char *value, struct error *err)
{
    return add_folder(options, true, value, err);
}

/* ---- -nic and -netdev ------------------------------------------------------------------------ */

static void free_net(struct net_option *n)
{
    vec_for_each (&n->host_forward, forward)
        free(*forward);
    vec_free(&n->host_forward);
    free(n->model);
    free(n->id);
}

static bool net_key(struct net_option *n, const char *option, const char *key, char *value,
                    struct error *err)
{
    if (!strcmp(key, "hostfwd")) {
        vec_push(&n->host_forward, xstrdup(value));
        return true;
    }
    if (!strcmp(key, "restrict"))
        return value_switch(value, "restrict", &n->restricted, err);
    if (!strcmp(key, "model")) {
        free(n->model);
        n->model = strncmp(value, "virtio", 6) ? xstrdup(value) : NULL;
        return true;
    }
    if (!strcmp(key, "mac"))
        return read_mac(n, option, value, err);
    if (!strcmp(key, "id")) {
        replace_string(&n->id, value);
        return true;
    }
    return error_set(err, "%s user has no '%s' (model, mac, id, hostfwd, restrict)", option, key);
}

static bool add_net(struct options *o, const char *option, char *value, struct error *err)
{
    struct net_option n = {0};
    char *key, *word;

    if (!strcmp(value, "none"))
        return true;
    if (!value_next(&value, &key, &word) || key || strcmp(word, "user"))
        return error_set(err, "%s knows 'user' and 'none'", option);
    while (value_next(&value, &key, &word)) {
        bool ok = key ? net_key(&n, option, key, word, err)
                      : error_set(err, "%s user: '%s' needs a value", option, word);

        if (!ok) {
            free_net(&n);
            return false;
        }
    }
    vec_push(&o->nets, n);
    return true;
}

bool options_add_nic(void *options, char *value, struct error *err)
{
    return add_net(options, "-nic", value, err);
}

bool options_add_netdev(void *options, char *value, struct error *err)
{
    return add_net(options, "-netdev", value, err);
}

/* ---- -device --------------------------------------------------------------------------------- */

/* Functions of virtio slots. In -device, "-device" behind the name is optional, as in QEMU. */
static const struct device_model {
    const char *name;
    const char *backend; /* property that names the back end, and the option that makes it */
    const char *made_by;
    const char *extra; /* a further property, needed or optional */
    bool needs_extra;
    const char *help;
    bool has_size; /* xres and yres */
} models[] = {
    [VIRTIO_DEVICE_BLK] = {"virtio-blk", "drive", "-drive", NULL, false, "a disk"},
    [VIRTIO_DEVICE_NET] = {"virtio-net", "netdev", "-netdev", "mac", false, "a network card"},
    [VIRTIO_DEVICE_9P] = {"virtio-9p", "fsdev", "-fsdev", "mount_tag", true, "a folder"},
    [VIRTIO_DEVICE_RNG] = {"virtio-rng", NULL, NULL, NULL, false,
                           "entropy; there is one without being asked for, where a slot is left"},
    [VIRTIO_DEVICE_GPU] = {"virtio-gpu", NULL, NULL, NULL, false,
                           "a screen of 1024x768 unless told otherwise, drawn by the CPUs", true},
};

#define SCREEN_WIDTH  1024u
#define SCREEN_HEIGHT 768u

void options_print_devices(void)
{
    for (unsigned i = 0; i < ARRAY_SIZE(models); i++) {
        const struct device_model *m = &models[i];

        printf("%s-device", m->name);
        if (m->backend)
            printf(",%s=ID", m->backend);
        if (m->extra)
            printf(m->needs_extra ? ",%s=…" : "[,%s=…]", m->extra);
        if (m->has_size)
            printf("[,xres=PIXELS][,yres=PIXELS]");
        printf("\n          %s", m->help);
        if (m->made_by)
            printf(" (%s …,id=ID)", m->made_by);
        printf("\n");
    }
}

/* Finds a model by its name. QEMU's names end with the bus. */
static const struct device_model *find_model(const char *name, struct error *err)
{
    for (unsigned i = 0; i < ARRAY_SIZE(models); i++) {
        const struct device_model *m = &models[i];
        const char *bus = name + strlen(m->name);

        if (strncmp(name, m->name, strlen(m->name)) || (*bus && *bus != '-'))
            continue;
        if (!*bus || !strcmp(bus, "-device"))
            return m;
        if (!strncmp(bus, "-pci", 4))
            return error_null(err, "-device %s: this board has no PCI; it has %s-device", name,
                              m->name);
        return error_null(err, "-device %s: on this board it is %s-device", name, m->name);
    }
    return error_null(err,
                      "-device knows no '%s' (virtio-blk-device, virtio-net-device, "
                      "virtio-9p-device, virtio-rng-device, virtio-gpu-device; -device help tells "
                      "more)",
                      name);
}

static void free_device(struct device_option *d)
{
    free(d->backend);
    free(d->extra);
}

static bool read_side(const char *key, const char *text, uint64_t *side, struct error *err)
{
    char what[32];

    snprintf(what, sizeof(what), "-device virtio-gpu %s", key);
    return value_number(text, what, VIRTIO_GPU_MIN_SIDE, VIRTIO_GPU_MAX_SIDE, side, err);
}

static bool device_key(struct device_option *d, const struct device_model *m, const char *key,
                       const char *value, struct error *err)
{
    if (key && m->backend && !strcmp(key, m->backend))
        replace_string(&d->backend, value);
    else if (key && m->extra && !strcmp(key, m->extra))
        replace_string(&d->extra, value);
    else if (key && m->has_size && !strcmp(key, "xres"))
        return read_side(key, value, &d->width, err);
    else if (key && m->has_size && !strcmp(key, "yres"))
        return read_side(key, value, &d->height, err);
    else if (!key || strcmp(key, "id"))
        return error_set(err, "-device %s-device has no '%s' (%s%s%s%s%sid)", m->name,
                         key ? key : value, m->backend ? m->backend : "", m->backend ? ", " : "",
                         m->extra ? m->extra : "", m->extra ? ", " : "",
                         m->has_size ? "xres, yres, " : "");
    return true;
}

static bool is_whole(const struct device_option *d, const struct device_model *m, struct error *err)
{
    if (m->backend && !d->backend)
        return error_set(err, "-device %s-device needs %s=ID, of a %s …,id=ID", m->name, m->backend,
                         m->made_by);
    if (m->needs_extra && !d->extra)
        return error_set(err, "-device %s-device needs %s=…", m->name, m->extra);
    return true;
}

bool options_add_device(void *options, char *value, struct error *err)
{
    struct options *o = options;
    struct device_option d = {.width = SCREEN_WIDTH, .height = SCREEN_HEIGHT};
    const struct device_model *m;
    char *key, *word;
    bool ok;

    if (!value_next(&value, &key, &word))
        return error_set(err, "-device needs the name of a device (-device help lists them)");
    if (!key && !strcmp(word, "help")) {
        o->list_devices = true;
        return true;
    }
    m = key ? error_null(err, "-device begins with a device's name, not '%s='", key)
            : find_model(word, err);
    if (!m)
        return false;
    d.kind = (enum virtio_device)(m - models);
    for (ok = true; ok && value_next(&value, &key, &word);)
        ok = device_key(&d, m, key, word, err);
    if (!ok || !is_whole(&d, m, err)) {
        free_device(&d);
        return false;
    }
    vec_push(&o->devices, d);
    return true;
}

/* ---- which device has what ------------------------------------------------------------------- */

/* The common part of a drive, a folder and a network. */
struct backend {
    const char *id;
    bool apart;       /* needs a -device */
    bool is_implicit; /* is connected without -device, so that none may name it */
    bool *taken;
};

static bool backend_at(struct options *o, enum virtio_device kind, size_t n, struct backend *b)
{
    if (kind == VIRTIO_DEVICE_BLK && n < o->drives.len) {
        struct drive_option *d = &o->drives.data[n];

        *b = (struct backend){d->id, d->apart, !d->apart, &d->taken};
        return true;
    }
    if (kind == VIRTIO_DEVICE_NET && n < o->nets.len) {
        struct net_option *net = &o->nets.data[n];

        *b = (struct backend){net->id, false, net->model != NULL, &net->taken};
        return true;
    }
    if (kind == VIRTIO_DEVICE_9P && n < o->folders.len) {
        struct folder_option *f = &o->folders.data[n];

        *b = (struct backend){f->id, f->apart, !f->apart, &f->taken};
        return true;
    }
    return false;
}

static bool find_backend(struct options *o, struct device_option *d, struct error *err)
{
    const struct device_model *m = &models[d->kind];
    struct backend b;

    for (size_t n = 0; backend_at(o, d->kind, n, &b); n++) {
        if (!b.id || strcmp(b.id, d->backend))
            continue;
        if (b.is_implicit)
            return error_set(err, "-device %s-device: '%s' is plugged in already%s", m->name, b.id,
                             d->kind == VIRTIO_DEVICE_BLK ? "; its -drive needs if=none" : "");
        if (*b.taken)
            return error_set(err, "-device %s-device: '%s' has a device already", m->name, b.id);
        *b.taken = true;
        d->index = n;
        return true;
    }
    return error_set(err, "-device %s-device: no %s has id=%s", m->name, m->made_by, d->backend);
}

/* Copies the device's MAC address or mount tag to its network or folder. */
static bool hand_extra(struct options *o, struct device_option *d, struct error *err)
{
    if (d->kind == VIRTIO_DEVICE_NET && d->extra)
        return read_mac(&o->nets.data[d->index], "-device virtio-net-device", d->extra, err);
    if (d->kind == VIRTIO_DEVICE_9P)
        replace_string(&o->folders.data[d->index].tag, d->extra);
    return true;
}

/* Refuses an id that is used twice, and a back end that needs a -device and has none. */
static bool check_backends(struct options *o, enum virtio_device kind, struct error *err)
{
    struct backend a, b;

    for (size_t n = 0; backend_at(o, kind, n, &a); n++) {
        for (size_t k = n + 1; a.id && backend_at(o, kind, k, &b); k++) {
            if (b.id && !strcmp(a.id, b.id))
                return error_set(err, "%s: id=%s is there twice", models[kind].made_by, a.id);
        }
        if (a.apart && !*a.taken)
            return error_set(err, "%s …,id=%s is on no device: -device %s-device,%s=%s",
                             models[kind].made_by, a.id, models[kind].name, models[kind].backend,
                             a.id);
    }
    return true;
}

bool options_connect(struct options *o, struct error *err)
{
    vec_for_each (&o->devices, d) {
        if (models[d->kind].backend && (!find_backend(o, d, err) || !hand_extra(o, d, err)))
            return false;
    }
    return check_backends(o, VIRTIO_DEVICE_BLK, err) && check_backends(o, VIRTIO_DEVICE_NET, err) &&
           check_backends(o, VIRTIO_DEVICE_9P, err);
}

void options_free_devices(struct options *o)
{
    vec_for_each (&o->drives, drive)
        free_drive(drive);
    vec_for_each (&o->nets, net)
        free_net(net);
    vec_for_each (&o->folders, folder)
        free_folder(folder);
    vec_for_each (&o->devices, device)
        free_device(device);
    vec_free(&o->drives);
    vec_free(&o->nets);
    vec_free(&o->folders);
    vec_free(&o->devices);
}
