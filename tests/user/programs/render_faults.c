/*
 * Jobs that fail on the GPU of -gpu, and processes that share its render node. A job that reads or
 * writes nowhere, and a shader without an end, are over for the program as others are, since Linux
 * resets the GPU; the next job runs. QEMU has no GPU.
 */
// options: -gpu g52
//= a job: 0, fence: 0, wrote: 1
//= writes nowhere: 0, fence: 0, wrote: 0
//= a job: 0, fence: 0, wrote: 1
//= is nowhere: 0, fence: 0, wrote: 0
//= of an unknown type: 0, fence: 0, wrote: 0
//= a circle of jobs: 0, fence: 0, wrote: 1
//= an endless shader: 0, fence: 0, wrote: 0
//= a shader nowhere: 0, fence: 0, wrote: 0
//= a job: 0, fence: 0, wrote: 1
//= in the child: 19, mapping: 19
//= a node of its own: 0, fence: 0, wrote: 1
//= in the parent: 0, fence: 0, wrote: 1
//= an inherited node: 25
//= after execve: 0, fence: 0, wrote: 1
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "panfrost.h"

/* Offsets in the buffer. */
enum { RESULT = 0, JOB = 64, SHADER = 1024, STATE = 2048, STORAGE = 2560, PAGE = 4096 };

#define NOWHERE UINT64_C(0xe0000000)

static struct create_bo buffer;
static uint8_t *memory;

static void open_node(void)
{
    render_fd = open("/dev/dri/renderD128", O_RDWR);
    create(PAGE, 0, &buffer);
    memory = map_bo(&buffer);
}

/* Submits the chain, and says whether its fence is signalled and a number was written. */
static void run(const char *what, uint64_t head)
{
    struct sync s = {0};
    struct sync_fd file = {.flags = 1, .fd = -1};
    int failed, fence;
    uint32_t wrote;

    call(SYNC_CREATE, &s);
    file.handle = s.handle;
    memset(memory + RESULT, 0, 4);
    failed = submit(head, &buffer, s.handle);
    fence = call(SYNC_EXPORT, &file);
    close(file.fd);
    call(SYNC_DESTROY, &s);
    memcpy(&wrote, memory + RESULT, 4);
    printf("%s: %d, fence: %d, wrote: %d\n", what, failed, fence, wrote == 0x600d);
}

/* Runs a job that writes a number; `next` is the one behind it. */
static void run_write(const char *what, uint64_t to, uint64_t next)
{
    write_job(memory + JOB, IMMEDIATE_32, to, 0x600d, next);
    run(what, buffer.offset + JOB);
}

static void put_word(unsigned offset, uint32_t word)
{
    memcpy(memory + offset, &word, 4);
}

static void put_address(unsigned offset, uint64_t address)
{
    memcpy(memory + offset, &address, 8);
}

/* Runs a compute job of one thread with the shader at the address. */
static void run_shader(const char *what, uint64_t shader)
{
    enum { PAYLOAD = JOB + 32, DRAW = JOB + 64, TYPE_COMPUTE = 4 };

    memset(memory + JOB, 0, 192);
    put_word(JOB + 16, 1 | TYPE_COMPUTE << 1 | 1 << 16); /* 64 bits, index 1 */
    put_word(PAYLOAD + 8, 0x28000000);                   /* what Mesa puts for the split of tasks */
    put_address(DRAW + 56, buffer.offset + STATE);
    put_address(DRAW + 112, buffer.offset + STORAGE);
    put_address(STATE, shader);
    put_word(STATE + 16, 0x2000); /* 32 registers */
    put_word(STORAGE + 4, 0x1f);  /* no local memory */
    run(what, buffer.offset + JOB);
}

static void run_bad_jobs(void)
{
    /* ds(0) nbb ncph { *NOP t0; +JUMP t1, clause_0 } */
    static const uint8_t loop[32] = {0x0b, 0x40, 0,    0,    0x40, 0x18, 0xcb, 0x80, 0xd3,
                                     0xfc, 0x03, 0xc0, 0x08, 0,    0,    0,    0x70, [31] = 0xa0};

    run_write("a job", buffer.offset + RESULT, 0);
    run_write("writes nowhere", NOWHERE, 0);
    run_write("a job", buffer.offset + RESULT, 0);
    run("is nowhere", NOWHERE);
    put_word(JOB + 16, 1 | 100 << 1 | 1 << 16);
    run("of an unknown type", buffer.offset + JOB);
    run_write("a circle of jobs", buffer.offset + RESULT, buffer.offset + JOB);
    memcpy(memory + SHADER, loop, sizeof(loop));
    run_shader("an endless shader", buffer.offset + SHADER);
    run_shader("a shader nowhere", NOWHERE);
    run_write("a job", buffer.offset + RESULT, 0);
}

/* The child's copy of the node is closed to it; a new one is its own. */
static void run_in_child(void)
{
    struct get_param product = {0};
    int failed;
    void *at;

    fflush(stdout);
    if (!fork()) {
        failed = call(GET_PARAM, &product);
        at = mmap(NULL, PAGE, PROT_READ, MAP_SHARED, render_fd, (off_t)buffer.offset);
        printf("in the child: %d, mapping: %d\n", failed, at == MAP_FAILED ? errno : 0);
        open_node();
        run_write("a node of its own", buffer.offset + RESULT, 0);
        fflush(stdout);
        _exit(0);
    }
    wait(NULL);
    run_write("in the parent", buffer.offset + RESULT, 0);
}

int main(int argc, char **argv)
{
    if (argc > 1) {
        struct get_param product = {0};

        render_fd = atoi(argv[1]);
        printf("an inherited node: %d\n", call(GET_PARAM, &product));
        open_node();
        run_write("after execve", buffer.offset + RESULT, 0);
        return 0;
    }
    open_node();
    run_bad_jobs();
    run_in_child();

    char fd[12];

    snprintf(fd, sizeof(fd), "%d", render_fd);
    fflush(stdout);
    execl(argv[0], argv[0], fd, (char *)NULL);
    return 1;
}
