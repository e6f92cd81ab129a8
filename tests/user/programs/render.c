/*
 * The render node of -gpu: Linux's panfrost driver as a program sees it. Its GPU runs two jobs that
 * write a number each. QEMU has no GPU; the error numbers are those of Linux's panfrost_drv.c and
 * drm_gem.c, the product that of a Mali-G52, the words of the jobs those of Mesa's v7.xml.
 */
// options: -gpu g52
//= version: 0, panfrost
//= product: 0, 0x7212
//= a parameter that does not exist: 22
//= no bytes: 22
//= an unknown flag: 22
//= a heap with code: 22
//= a buffer: 0
//= its bytes are zeros: 1
//= offset of no buffer: 2
//= jobs: 0
//= wait: 0
//= numbers: 0x123456789abcdef0 0xfeedface
//= a slot that does not exist: 22
//= closed: 0
//= closed twice: 22
//= a device that does not exist: -1
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define DRM(number, type) _IOWR('d', number, type)

struct version {
    int major, minor, patch;
    size_t name_bytes;
    char *name;
    size_t date_bytes;
    char *date;
    size_t text_bytes;
    char *text;
};

struct submit {
    uint64_t head, in_syncs;
    uint32_t in_sync_count, out_sync;
    uint64_t handles;
    uint32_t handle_count, requirements;
};

struct wait_bo {
    uint32_t handle, pad;
    int64_t timeout_ns;
};

struct create_bo {
    uint32_t size, flags, handle, pad;
    uint64_t offset;
};

struct offset {
    uint32_t handle, flags;
    uint64_t offset;
};

struct get_param {
    uint32_t param, pad;
    uint64_t value;
};

struct close_bo {
    uint32_t handle, pad;
};

static int fd;

static int call(unsigned long request, void *arg)
{
    return ioctl(fd, request, arg) ? errno : 0;
}

static int create(uint32_t size, uint32_t flags, struct create_bo *c)
{
    *c = (struct create_bo){.size = size, .flags = flags};
    return call(DRM(0x42, struct create_bo), c);
}

/* A job at `job`, which writes `value` of the type to `to`; `next` is the one behind it. */
static void write_job(uint32_t *job, uint32_t type, uint64_t to, uint64_t value, uint64_t next)
{
    memset(job, 0, 64);
    job[4] = 1 | 2 << 1 | 1 << 16; /* 64 bits, a job that writes a value, index 1 */
    memcpy(job + 6, &next, 8);
    memcpy(job + 8, &to, 8);
    job[10] = type;
    memcpy(job + 12, &value, 8);
}

static void run_jobs(const struct create_bo *c, uint8_t *memory)
{
    enum { IMMEDIATE_32 = 6, IMMEDIATE_64 = 7 };
    struct submit s = {.head = c->offset, .handles = (uintptr_t)&c->handle, .handle_count = 1};
    struct wait_bo w = {.handle = c->handle, .timeout_ns = INT64_MAX};
    uint64_t numbers[2];

    write_job((uint32_t *)memory, IMMEDIATE_64, c->offset + 2048, 0x123456789abcdef0,
              c->offset + 64);
    write_job((uint32_t *)(memory + 64), IMMEDIATE_32, c->offset + 2056, 0xfeedface, 0);
    printf("jobs: %d\n", call(_IOW('d', 0x40, struct submit), &s));
    printf("wait: %d\n", call(_IOW('d', 0x41, struct wait_bo), &w));
    memcpy(numbers, memory + 2048, sizeof(numbers));
    printf("numbers: %#jx %#jx\n", (uintmax_t)numbers[0], (uintmax_t)numbers[1]);
    s.requirements = 8;
    printf("a slot that does not exist: %d\n", call(_IOW('d', 0x40, struct submit), &s));
}

int main(void)
{
    char name[16] = "";
    struct version v = {.name = name, .name_bytes = sizeof(name) - 1};
    struct get_param product = {0}, none = {.param = 1000};
    struct create_bo c;
    struct offset o = {.handle = 77};
    uint8_t *memory;

    fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    printf("version: %d, ", call(DRM(0x00, struct version), &v));
    printf("%s\n", name);
    printf("product: %d, ", call(DRM(0x44, struct get_param), &product));
    printf("%#jx\n", (uintmax_t)product.value);
    printf("a parameter that does not exist: %d\n", call(DRM(0x44, struct get_param), &none));
    printf("no bytes: %d\n", create(0, 0, &c));
    printf("an unknown flag: %d\n", create(4096, 4, &c));
    printf("a heap with code: %d\n", create(4096, 2, &c));
    printf("a buffer: %d\n", create(4096, 1, &c));
    struct offset m = {.handle = c.handle};
    struct close_bo close_bo = {.handle = c.handle};

    call(DRM(0x43, struct offset), &m);
    memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)m.offset);
    printf("its bytes are zeros: %d\n", memory != MAP_FAILED && !memory[0] && !memory[4095]);
    printf("offset of no buffer: %d\n", call(DRM(0x45, struct offset), &o));
    run_jobs(&c, memory);
    munmap(memory, 4096);
    printf("closed: %d\n", call(_IOW('d', 0x09, struct close_bo), &close_bo));
    printf("closed twice: %d\n", call(_IOW('d', 0x09, struct close_bo), &close_bo));
    printf("a device that does not exist: %d\n", open("/dev/dri/renderD129", O_RDWR));
    return 0;
}
