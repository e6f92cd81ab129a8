/*
 * Memory of the render node of -gpu: which parts of it a program can map, and what a closed buffer
 * leaves behind. QEMU has no GPU; the error numbers are those of Linux's drm_gem.c, and a mapping
 * keeps a buffer's memory there.
 */
// options: -gpu g52
//= may read and write: 0 0, execute: 13
//= may write a text: 13, read it: 0, enter a folder: 0
//= a text: 19
//= two pages of one: 22
//= no buffer's offset: 22
//= within a buffer: 22
//= private: 22
//= a heap: 22, its offset: 22
//= closed while mapped: 0, 0x5a
//= its offset: 22
//= the next buffer has zeros: 1, the mapping: 0x5a
//= an old mapping does not see the GPU: 0x5a, a new one does: 0x1234
//= buffers after all were closed: 0
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include "panfrost.h"

enum { PAGE = 4096 };

static const char node[] = "/dev/dri/renderD128";
static const char text[] = "/sys/dev/char/226:128/uevent";

static int may(const char *path, int mode)
{
    return access(path, mode) ? errno : 0;
}

/* The error of mmap(); 0: none. */
static int map_error(int fd, size_t bytes, int flags, uint64_t offset)
{
    void *at = mmap(NULL, bytes, PROT_READ, flags, fd, (off_t)offset);

    if (at == MAP_FAILED)
        return errno;
    munmap(at, bytes);
    return 0;
}

static void map_wrongly(void)
{
    struct create_bo c, large, heap;
    struct offset o = {0};

    printf("may read and write: %d %d, execute: %d\n", may(node, R_OK), may(node, W_OK),
           may(node, X_OK));
    printf("may write a text: %d, read it: %d, enter a folder: %d\n", may(text, W_OK),
           may(text, R_OK), may("/dev/dri", X_OK));
    printf("a text: %d\n", map_error(open(text, O_RDONLY), PAGE, MAP_SHARED, 0));
    create(PAGE, NOEXEC, &c);
    create(2 * PAGE, NOEXEC, &large);
    create(PAGE, NOEXEC | HEAP, &heap);
    printf("two pages of one: %d\n", map_error(render_fd, 2 * PAGE, MAP_SHARED, c.offset));
    printf("no buffer's offset: %d\n", map_error(render_fd, PAGE, MAP_SHARED, 0));
    printf("within a buffer: %d\n", map_error(render_fd, PAGE, MAP_SHARED, large.offset + PAGE));
    printf("private: %d\n", map_error(render_fd, PAGE, MAP_PRIVATE, c.offset));
    printf("a heap: %d", map_error(render_fd, PAGE, MAP_SHARED, heap.offset));
    o.handle = heap.handle;
    printf(", its offset: %d\n", call(MMAP_BO, &o));
    close_bo(c.handle);
    close_bo(large.handle);
    close_bo(heap.handle);
}

static void close_mapped(void)
{
    struct create_bo old, c;
    volatile uint8_t *kept, *memory;
    volatile uint16_t *number;

    create(PAGE, NOEXEC, &old);
    kept = map_bo(&old);
    kept[8] = 0x5a;
    printf("closed while mapped: %d, ", close_bo(old.handle));
    printf("%#x\n", kept[8]);
    printf("its offset: %d\n", map_error(render_fd, PAGE, MAP_SHARED, old.offset));
    create(PAGE, NOEXEC, &c);
    memory = map_bo(&c);
    number = (volatile uint16_t *)(memory + 8);
    printf("the next buffer has zeros: %d, the mapping: %#x\n", !*number, kept[8]);
    write_job((void *)(memory + 64), IMMEDIATE_32, c.offset + 8, 0x1234, 0);
    submit(c.offset + 64, &c, 0);
    printf("an old mapping does not see the GPU: %#x, a new one does: %#x\n", kept[8], *number);
    munmap((void *)kept, PAGE);
    munmap((void *)memory, PAGE);
    close_bo(c.handle);
}

/* All GPU addresses, again and again, each time with mappings that outlive their buffers. */
static void use_up(void)
{
    enum { BYTES = 256 << 20, COUNT = 14 };
    struct create_bo c;
    int failed = 0;

    for (unsigned turn = 0; turn < 3; turn++) {
        void *memory[COUNT];

        for (unsigned n = 0; n < COUNT; n++) {
            failed |= create(BYTES, NOEXEC, &c);
            memory[n] = map_bo(&c);
            close_bo(c.handle);
        }
        for (unsigned n = 0; n < COUNT; n++)
            munmap(memory[n], BYTES);
    }
    printf("buffers after all were closed: %d\n", failed);
}

int main(void)
{
    render_fd = open(node, O_RDWR | O_CLOEXEC);
    map_wrongly();
    close_mapped();
    use_up();
    return 0;
}
