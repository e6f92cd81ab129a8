/* ioctl() on the render node: the table of numbers, and what DRM serves for every driver. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/ioctl.h>

#include "runtime/base/bits.h"
#include "runtime/user/render/internal.h"

/* Largest structure of the table. */
enum { MAX_BYTES = 64 };

/* ---- calls of every driver ------------------------------------------------------------------- */

/* Writes a name of the version as Linux does: as much as there is room for, and its whole length.
 * `slot` is a length and a pointer, words of the guest. */
static int64_t put_name(struct thread *t, uint64_t slot, const char *name)
{
    uint64_t room, to;

    if (guest_get_word(t, slot, &room) || guest_get_word(t, slot + user_abi.word_bytes, &to) ||
        guest_put_word(t, slot, strlen(name)))
        return -EFAULT;
    room = room < strlen(name) ? room : strlen(name);
    return to && room ? guest_put(t, to, name, room) : 0;
}

/* The structure has words of the guest's size, so it is read and written in place. */
static int64_t get_version(struct thread *t, uint64_t va)
{
    static const uint32_t version[] = {1, 3, 0};
    static const char *const names[] = {"panfrost", "20180908", "panfrost DRM"};
    uint64_t at = align_up(va + sizeof(version), user_abi.word_bytes);

    for (unsigned n = 0; n < 3; n++) {
        if (guest_put_number(t, va + 4 * n, version[n], 4) ||
            put_name(t, at + 2 * user_abi.word_bytes * n, names[n]))
            return -EFAULT;
    }
    return 0;
}

struct get_cap {
    uint64_t capability, value;
};

static int64_t get_cap(struct thread *t, struct render_file *f, void *arg)
{
    enum { PRIME = 0x5, TIMESTAMP_MONOTONIC = 0x6, SYNCOBJ = 0x13, SYNCOBJ_TIMELINE = 0x14 };
    struct get_cap *c = arg;
    uint64_t capability = c->capability;

    (void)t, (void)f;
    c->value = capability == TIMESTAMP_MONOTONIC || capability == SYNCOBJ;
    return capability == PRIME || capability == SYNCOBJ_TIMELINE || c->value ? 0 : -EOPNOTSUPP;
}

struct gem_close {
    uint32_t handle, pad;
};

static int64_t gem_close(struct thread *t, struct render_file *f, void *arg)
{
    const struct gem_close *c = arg;
    struct render_buffer *b = render_buffer_find(f, c->handle);

    (void)t;
    if (!b)
        return -EINVAL;
    render_buffer_free(f, b);
    return 0;
}

static int64_t no_access(struct thread *t, struct render_file *f, void *arg)
{
    (void)t, (void)f, (void)arg;
    return -EACCES;
}

static int64_t not_supported(struct thread *t, struct render_file *f, void *arg)
{
    (void)t, (void)f, (void)arg;
    return -EOPNOTSUPP;
}

/* Linux has performance counters if its module is told to have them. */
static int64_t no_counters(struct thread *t, struct render_file *f, void *arg)
{
    (void)t, (void)f, (void)arg;
    return -ENOSYS;
}

/* ---- the table ------------------------------------------------------------------------------- */

enum { DRM_TYPE = 'd', NR_VERSION = 0x00, DRIVER = 0x40 };

static const struct {
    uint8_t number, bytes; /* bytes of Linux's structure */
    render_call *call;
} calls[] = {
    {0x01, 16, no_access},     /* GET_UNIQUE */
    {0x02, 4, no_access},      /* GET_MAGIC */
    {0x07, 16, no_access},     /* SET_VERSION */
    {0x09, 8, gem_close},      /* GEM_CLOSE */
    {0x0c, 16, get_cap},       /* GET_CAP */
    {0x0d, 16, no_access},     /* SET_CLIENT_CAP */
    {0x2d, 12, not_supported}, /* PRIME_HANDLE_TO_FD */
    {0x2e, 12, not_supported}, /* PRIME_FD_TO_HANDLE */
    {0xbf, 8, render_sync_create},
    {0xc0, 8, render_sync_destroy},
    {0xc1, 16, render_sync_export},
    {0xc2, 16, render_sync_import},
    {0xc3, 40, render_sync_wait},
    {0xc4, 16, render_sync_reset},
    {0xc5, 16, render_sync_signal},
    {0xca, 48, not_supported}, /* SYNCOBJ_TIMELINE_WAIT: panfrost has no timelines */
    {0xcb, 24, not_supported}, /* SYNCOBJ_QUERY */
    {0xcc, 32, not_supported}, /* SYNCOBJ_TRANSFER */
    {0xcd, 24, not_supported}, /* SYNCOBJ_TIMELINE_SIGNAL */
    {DRIVER + 0, 48, render_submit},
    {DRIVER + 1, 16, render_wait_bo},
    {DRIVER + 2, 24, render_create_bo},
    {DRIVER + 3, 16, render_mmap_bo},
    {DRIVER + 4, 16, render_get_param},
    {DRIVER + 5, 16, render_get_bo_offset},
    {DRIVER + 6, 4, no_counters}, /* PERFCNT_ENABLE */
    {DRIVER + 7, 8, no_counters}, /* PERFCNT_DUMP */
    {DRIVER + 8, 12, render_madvise},
};

static int64_t report_unknown(struct render_device *d, unsigned number)
{
    if (!(d->unknown[number / 64] >> number % 64 & 1))
        log_printf(d->process->log, LOG_UNIMP, "DRM ioctl %#x is not known\n", number);
    d->unknown[number / 64] |= UINT64_C(1) << number % 64;
    return -EINVAL;
}

/* The guest's structure may be shorter or longer than Linux's: what it has not is zero. */
static int64_t call_with(struct thread *t, struct render_file *f, unsigned n, uint32_t request,
                         uint64_t argument)
{
    unsigned bytes = _IOC_SIZE(request), own = calls[n].bytes;
    uint8_t data[MAX_BYTES] = {0};
    int64_t result;

    if (bytes > own)
        bytes = own;
    if ((_IOC_DIR(request) & _IOC_WRITE) && guest_get(t, argument, data, bytes))
        return -EFAULT;
    result = calls[n].call(t, f, data);
    if (result != CALL_WAITS && (_IOC_DIR(request) & _IOC_READ) &&
        guest_put(t, argument, data, bytes))
        return -EFAULT;
    return result;
}

int64_t render_ioctl(struct thread *t, void *file, uint32_t request, uint64_t argument)
{
    struct render_file *f = file;
    unsigned number = _IOC_NR(request);

    if (_IOC_TYPE(request) != DRM_TYPE)
        return -ENOTTY;
    if (number == NR_VERSION)
        return get_version(t, argument);
    for (unsigned n = 0; n < ARRAY_SIZE(calls); n++) {
        if (calls[n].number == number)
            return call_with(t, f, n, request, argument);
    }
    return report_unknown(f->device, number);
}
