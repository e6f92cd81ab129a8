/*
 * The state of CPUs, devices, virtual clock, serial ports and statistics in a snapshot.
 *
 * Devices list their fields and add their events again when these are loaded (post_load). Events of
 * equal times run in the order in which they were added. So the snapshot lists all events in their
 * order, each by its device and place in it, and the order is restored when all devices have added
 * theirs.
 */
#include <inttypes.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/bits.h"
#include "runtime/cpu/saved.h"
#include "runtime/dev/chardev.h"
#include "runtime/dev/net.h"
#include "runtime/dev/virtio.h"
#include "runtime/machine/firmware.h"
#include "runtime/machine/snapshot.h"

static const struct state_field clock_fields[] = {
    STATE_FIELD(struct clock, now),
    STATE_END,
};

/* ---- bytes of any length as a section -------------------------------------------------------- */

/* A copy, with a final zero, to be freed; NULL: there is no such section. */
static char *load_bytes(const struct state_buf *buf, const char *name, size_t *len)
{
    const uint8_t *bytes = state_bytes(buf, name, len);

    return bytes ? memcpy(xcalloc(*len + 1, 1), bytes, *len) : NULL;
}

/* ---- events ---------------------------------------------------------------------------------- */

struct owned {
    size_t device, offset; /* place of an event */
};

/* The device in whose memory the event lies; false: the event is no device's. */
static bool owner_of(const struct machine *m, const struct event *event, struct owned *owner)
{
    struct machine_part part;

    for (size_t n = 0; machine_part(m, n, &part); n++) {
        uintptr_t offset = (uintptr_t)event - (uintptr_t)part.dev;

        if (part.dev && offset < malloc_usable_size(part.dev)) {
            *owner = (struct owned){n, offset};
            return true;
        }
    }
    return false;
}

/* All events in their order. */
static struct event **list_events(const struct machine *m, size_t *count)
{
    struct event **list = clock_list(&m->clock);

    *count = m->clock.heap.len;
    return list;
}

static void save_events(const struct machine *m, struct state_buf *buf)
{
    size_t count, len = 0;
    struct event **list = list_events(m, &count);
    uint64_t *words = xcalloc(count + 1, 24);

    for (size_t i = 0; i < count; i++) {
        struct owned owner;

        if (!owner_of(m, list[i], &owner))
            continue;
        words[len++] = list[i]->when;
        words[len++] = owner.device;
        words[len++] = owner.offset;
    }
    state_save_bytes(buf, "events", words, 8 * len);
    free(words);
    free(list);
}

/* Adds the events of devices again in the order of the snapshot, behind those of the host. Events
 * that no device has added are ignored: a snapshot may name any. */
static void order_events(struct machine *m, const struct state_buf *buf)
{
    size_t count, len = 0;
    struct event **list = list_events(m, &count);
    char *bytes = load_bytes(buf, "events", &len);

    for (size_t at = 0; bytes && at + 24 <= len; at += 24) {
        const struct owned saved = {le_get(bytes + at + 8, 8), le_get(bytes + at + 16, 8)};

        for (size_t i = 0; i < count; i++) {
            struct owned owner;

            if (!owner_of(m, list[i], &owner) || owner.device != saved.device ||
                owner.offset != saved.offset)
                continue;
            clock_cancel(&m->clock, list[i]);
            clock_add(&m->clock, list[i], le_get(bytes + at, 8));
        }
    }
    free(bytes);
    free(list);
}

/* Sets the clock. Events that are no device's stay, at their times. */
static void load_clock(struct machine *m, uint64_t now)
{
    size_t count;
    struct event **list = list_events(m, &count);

    clock_restore(&m->clock, now);
    for (size_t i = 0; i < count; i++) {
        struct owned owner;

        if (!owner_of(m, list[i], &owner))
            clock_add(&m->clock, list[i], list[i]->when);
    }
    free(list);
}

/* ---- devices --------------------------------------------------------------------------------- */

static void part_name(const struct machine_part *part, char name[256])
{
    snprintf(name, 256, "%s %.200s", part->cls->name, part->path);
}

static void function_name(const struct machine *m, size_t n, char name[256])
{
    snprintf(name, 256, "function%zu %s", n, m->functions.data[n]->cls->name);
}

/* Section of what a function saves besides its fields. */
static void contents_name(const struct machine *m, size_t n, char name[256])
{
    snprintf(name, 256, "function%zu %s contents", n, m->functions.data[n]->cls->name);
}

static void save_contents(const struct machine *m, size_t n, struct state_buf *buf)
{
    struct virtio_function *f = m->functions.data[n];
    struct state_buf own = {0};
    char name[256];

    if (!f->cls->save)
        return;
    f->cls->save(f, &own);
    contents_name(m, n, name);
    state_save_bytes(buf, name, own.data, own.len);
    state_buf_free(&own);
}

static bool load_contents(const struct machine *m, size_t n, const struct state_buf *buf,
                          bool apply, struct error *err)
{
    struct virtio_function *f = m->functions.data[n];
    const uint8_t *bytes;
    char name[256];
    size_t len;

    if (!f->cls->load)
        return true;
    contents_name(m, n, name);
    bytes = state_bytes(buf, name, &len);
    if (!bytes)
        return error_set(err, "state of %s: absent", name);
    if (f->cls->load(f, bytes, len, apply, err))
        return true;
    error_prefix(err, "state of %s: ", name);
    return false;
}

static void more_name(const struct machine_part *part, char name[256])
{
    snprintf(name, 256, "more of %s %.200s", part->cls->name, part->path);
}

/* The state of variable size. */
static void save_more(const struct machine_part *part, struct state_buf *buf)
{
    struct state_buf own = {0};
    char name[256];

    more_name(part, name);
    part->cls->save(part->dev, &own);
    state_save_bytes(buf, name, own.data, own.len);
    state_buf_free(&own);
}

static bool load_more(const struct machine_part *part, const struct state_buf *buf,
                      struct error *err)
{
    struct state_buf own = {0};
    char name[256];
    bool ok;

    more_name(part, name);
    own.data = (uint8_t *)load_bytes(buf, name, &own.len);
    ok = own.data ? part->cls->load(part->dev, &own, err) : error_set(err, "%s: absent", name);
    state_buf_free(&own);
    return ok;
}

static void save_devices(struct machine *m, struct state_buf *buf)
{
    struct machine_part part;
    char name[256];

    for (size_t n = 0; machine_part(m, n, &part); n++) {
        part_name(&part, name);
        if (part.dev && part.cls->fields)
            state_save(buf, name, part.cls->fields, part.dev);
        if (part.dev && part.cls->save)
            save_more(&part, buf);
    }
    for (size_t n = 0; n < m->functions.len; n++) {
        function_name(m, n, name);
        state_save(buf, name, m->functions.data[n]->cls->fields, m->functions.data[n]);
        save_contents(m, n, buf);
    }
}

/* Loads the fields of all devices. */
static bool load_fields(struct machine *m, const struct state_buf *buf, struct error *err)
{
    struct machine_part part;
    char name[256];

    for (size_t n = 0; machine_part(m, n, &part); n++) {
        part_name(&part, name);
        if (part.dev && part.cls->fields && !state_load(buf, name, part.cls->fields, part.dev, err))
            return false;
        if (part.dev && part.cls->load && !load_more(&part, buf, err))
            return false;
    }
    for (size_t n = 0; n < m->functions.len; n++) {
        function_name(m, n, name);
        if (!state_load(buf, name, m->functions.data[n]->cls->fields, m->functions.data[n], err) ||
            !load_contents(m, n, buf, true, err))
            return false;
    }
    return true;
}

/* The bytes that hold an object of these fields. */
static size_t room_of(const struct state_field *fields)
{
    size_t most = 0;

    for (; fields && fields->name; fields++)
        most = fields->offset + fields->size > most ? fields->offset + fields->size : most;
    return most;
}

static bool check_fields(const struct state_buf *buf, const char *name,
                         const struct state_field *fields, struct error *err)
{
    void *scratch = xcalloc(1, room_of(fields) + 1);
    bool ok = state_load(buf, name, fields, scratch, err);

    free(scratch);
    return ok;
}

/* Checks the state of variable size. */
static bool check_more(const struct machine_part *part, const struct state_buf *buf,
                       struct bus *memory, struct error *err)
{
    struct state_buf own = {0};
    char section[256], name[256];
    const struct device_saved saved = {buf, section, part->cls->fields, &own, memory};
    bool ok;

    part_name(part, section);
    more_name(part, name);
    own.data = (uint8_t *)load_bytes(buf, name, &own.len);
    ok = own.data || error_set(err, "%s: absent", name);
    ok = ok && (!part->cls->check || part->cls->check(part->dev, &saved, err));
    state_buf_free(&own);
    return ok;
}

static bool check_devices(struct machine *m, const struct state_buf *buf, struct bus *memory,
                          struct error *err)
{
    struct machine_part part;
    char name[256];

    for (size_t n = 0; machine_part(m, n, &part); n++) {
        part_name(&part, name);
        if (part.dev && part.cls->fields && !check_fields(buf, name, part.cls->fields, err))
            return false;
        if (part.dev && part.cls->load && !check_more(&part, buf, memory, err))
            return false;
    }
    for (size_t n = 0; n < m->functions.len; n++) {
        function_name(m, n, name);
        if (!check_fields(buf, name, m->functions.data[n]->cls->fields, err) ||
            !load_contents(m, n, buf, false, err))
            return false;
    }
    return true;
}

static bool settle_devices(struct machine *m, struct error *err)
{
    struct error why = {0};
    struct machine_part part;

    for (size_t n = 0; machine_part(m, n, &part); n++) {
        if (part.dev && part.cls->post_load)
            part.cls->post_load(part.dev, &why);
        if (*why.text)
            return error_set(err, "%.100s: %.100s", part.path, why.text);
    }
    return true;
}

/*
 * In two rounds: a device drives its outputs when it is loaded, and an interrupt controller that
 * has its state already would take these for edges. In the second round all lines have their
 * levels.
 */
static bool load_devices(struct machine *m, const struct state_buf *buf, struct error *err)
{
    for (unsigned round = 0; round < 2; round++) {
        if (!load_fields(m, buf, err) || !settle_devices(m, err))
            return false;
    }
    return true;
}

/* ---- serial ports ---------------------------------------------------------------------------- */

static void save_consoles(struct machine *m, struct state_buf *buf)
{
    for (size_t n = 0; n < m->chardevs.len; n++) {
        char name[32];
        struct state_buf own = {0};

        snprintf(name, sizeof(name), "serial%zu", n);
        chardev_save(m->chardevs.data[n], &own);
        state_save_bytes(buf, name, own.data, own.len);
        state_buf_free(&own);
    }
}

static void load_consoles(struct machine *m, const struct state_buf *buf)
{
    for (size_t n = 0; n < m->chardevs.len; n++) {
        char name[32];
        struct state_buf own = {0};

        snprintf(name, sizeof(name), "serial%zu", n);
        own.data = (uint8_t *)load_bytes(buf, name, &own.len);
        if (own.data)
            chardev_load(m->chardevs.data[n], &own);
        state_buf_free(&own);
    }
}

/* Devices that are loaded may ask for input, and lose it with what they have until then. */
static void hold_consoles(struct machine *m, bool held)
{
    vec_for_each (&m->chardevs, chr)
        chardev_hold(*chr, held);
}

/* ---- networks -------------------------------------------------------------------------------- */

static void network_name(size_t n, char name[32])
{
    snprintf(name, 32, "network%zu", n);
}

static void save_networks(struct machine *m, struct state_buf *buf)
{
    for (size_t n = 0; n < m->nets.len; n++) {
        const struct net_backend *net = m->nets.data[n];
        struct state_buf own = {0};
        char name[32];

        if (net->save)
            net->save(net, &own);
        network_name(n, name);
        state_save_bytes(buf, name, own.data, own.len);
        state_buf_free(&own);
    }
}

/* What comes of it is an event like any other, behind those of the snapshot. */
static void load_networks(struct machine *m, const struct state_buf *buf)
{
    for (size_t n = 0; n < m->nets.len; n++) {
        struct net_backend *net = m->nets.data[n];
        const uint8_t *bytes;
        char name[32];
        size_t len = 0;

        network_name(n, name);
        bytes = state_bytes(buf, name, &len);
        if (net->load)
            net->load(net, bytes, bytes ? len : 0);
    }
}

/* ---- all of it ------------------------------------------------------------------------------- */

void snapshot_save_state(struct machine *m, struct state_buf *buf)
{
    char *counters = stats_save(m->stats);

    state_save(buf, "clock", clock_fields, &m->clock);
    cpu_group_save(&m->group, buf);
    for (unsigned i = 0; i < m->cpu_count; i++)
        cpu_save(m->cpus[i], buf);
    firmware_save(m->firmware, buf);
    save_devices(m, buf);
    save_consoles(m, buf);
    save_networks(m, buf);
    machine_timing_save(m, buf);
    save_events(m, buf);
    state_save_bytes(buf, "statistics", counters, strlen(counters));
    free(counters);
}

bool snapshot_check_state(struct machine *m, const struct state_buf *buf, struct bus *memory,
                          struct error *err)
{
    for (unsigned i = 0; i < m->cpu_count; i++) {
        if (!cpu_check(m->cpus[i], buf, err))
            return false;
    }
    return check_fields(buf, "clock", clock_fields, err) && cpu_group_check(buf, err) &&
           firmware_check(m->firmware, buf, err) && machine_timing_load(m, buf, false, err) &&
           check_devices(m, buf, memory, err);
}

static bool load_all(struct machine *m, const struct state_buf *buf, struct error *err)
{
    struct clock saved = {0};
    char *counters;
    size_t len;

    if (!state_load(buf, "clock", clock_fields, &saved, err))
        return false;
    load_clock(m, saved.now);
    if (!cpu_group_load(&m->group, buf, err) || !firmware_load(m->firmware, buf, err) ||
        !machine_timing_load(m, buf, true, err) || !load_devices(m, buf, err))
        return false;
    load_consoles(m, buf);
    /* After devices, which have driven the CPUs' inputs. */
    for (unsigned i = 0; i < m->cpu_count; i++) {
        if (!cpu_load(m->cpus[i], buf, err))
            return false;
    }
    order_events(m, buf);
    load_networks(m, buf);
    counters = load_bytes(buf, "statistics", &len);
    if (counters)
        stats_load(m->stats, counters);
    free(counters);
    return true;
}

bool snapshot_load_state(struct machine *m, const struct state_buf *buf, struct error *err)
{
    bool ok;

    hold_consoles(m, true);
    ok = load_all(m, buf, err);
    hold_consoles(m, false);
    return ok;
}
