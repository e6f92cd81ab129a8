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
#include <sys/mman.h>
#include <unistd.h>

#include "panfrost.h"

static void run_jobs(const struct create_bo *c, uint8_t *memory)
{
    struct submit s = {.head = c->offset, .requirements = 8};
    struct wait_bo w = {.handle = c->handle, .timeout_ns = INT64_MAX};
    uint64_t numbers[2];

    write_job(memory, IMMEDIATE_64, c->offset + 2048, 0x123456789abcdef0, c->offset + 64);
    write_job(memory + 64, IMMEDIATE_32, c->offset + 2056, 0xfeedface, 0);
    printf("jobs: %d\n", submit(c->offset, c, 0));
    printf("wait: %d\n", call(WAIT_BO, &w));
    memcpy(numbers, memory + 2048, sizeof(numbers));
    printf("numbers: %#jx %#jx\n", (uintmax_t)numbers[0], (uintmax_t)numbers[1]);
    printf("a slot that does not exist: %d\n", call(SUBMIT, &s));
}

int main(void)
{
    char name[16] = "";
    struct version v = {.name = name, .name_bytes = sizeof(name) - 1};
    struct get_param product = {0}, none = {.param = 1000};
    struct create_bo c;
    struct offset o = {.handle = 77};
    uint8_t *memory;

    render_fd = open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC);
    printf("version: %d, ", call(VERSION, &v));
    printf("%s\n", name);
    printf("product: %d, ", call(GET_PARAM, &product));
    printf("%#jx\n", (uintmax_t)product.value);
    printf("a parameter that does not exist: %d\n", call(GET_PARAM, &none));
    printf("no bytes: %d\n", create(0, 0, &c));
    printf("an unknown flag: %d\n", create(4096, 4, &c));
    printf("a heap with code: %d\n", create(4096, HEAP, &c));
    printf("a buffer: %d\n", create(4096, NOEXEC, &c));
    memory = map_bo(&c);
    printf("its bytes are zeros: %d\n", memory != MAP_FAILED && !memory[0] && !memory[4095]);
    printf("offset of no buffer: %d\n", call(GET_OFFSET, &o));
    run_jobs(&c, memory);
    munmap(memory, 4096);
    printf("closed: %d\n", close_bo(c.handle));
    printf("closed twice: %d\n", close_bo(c.handle));
    printf("a device that does not exist: %d\n", open("/dev/dri/renderD129", O_RDWR));
    return 0;
}
