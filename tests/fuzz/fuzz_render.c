/*
 * A render node's calls (runtime/user/render), as a program makes them. The input is a list of
 * steps: ioctl() with any number and structure, mappings of any part of the node, writes to them,
 * by which jobs come into buffers, and other openings of the node. Each step is three bytes (what,
 * number, count) and `count` bytes of data. Inputs can name buffers, which begin at GPU address
 * 0x2000000, and the program's memory, which begins at ARENA. Chains have fewer cycles than the 500
 * ms that a program's have.
 */
#include "runtime/gpu/chain.h"
#include "runtime/user/abi.h"
#include "runtime/user/render/render.h"
#include "runtime/user/user.h"
#include "tests/fuzz/fuzz.h"

#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
    ARENA = 0x10000, /* guest address of the calls' structures and arrays */
    ARENA_BYTES = 0x10000,
    MAPS = 0x1000000, /* guest addresses of mappings of the node */
    MAP_STRIDE = 0x100000,
    MAP_COUNT = 8,
    STEP_BYTES = 3,
    MAX_CYCLES = 20000, /* of a chain; an endless shader would be interpreted for minutes */
};

const struct user_abi user_abi = {
    .machine = "AArch64", .elf_machine = EM_AARCH64, .word_bytes = 8, .address_bits = 39};

extern const struct gpu_isa bifrost_isa;

struct program {
    struct process process;
    struct thread thread;
    const struct served_entry *node;
    int fd;
    int first; /* descriptors from here on are the input's */
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    return fuzz_without_leaks(argc, argv);
}

void __real_gpu_chain_run(struct gpu_chain *c, const struct gpu_address_space *as, uint64_t head,
                          unsigned flags, struct gpu_chain_budget *budget,
                          struct gpu_chain_outcome *out);
void __wrap_gpu_chain_run(struct gpu_chain *c, const struct gpu_address_space *as, uint64_t head,
                          unsigned flags, struct gpu_chain_budget *budget,
                          struct gpu_chain_outcome *out);

void __wrap_gpu_chain_run(struct gpu_chain *c, const struct gpu_address_space *as, uint64_t head,
                          unsigned flags, struct gpu_chain_budget *budget,
                          struct gpu_chain_outcome *out)
{
    uint64_t kept = budget->cycles > MAX_CYCLES ? budget->cycles - MAX_CYCLES : 0;

    budget->cycles -= kept;
    __real_gpu_chain_run(c, as, head, flags, budget, out);
    budget->cycles += kept;
}

static bool start(struct program *g)
{
    static const struct gpu_isa *const isas[] = {&bifrost_isa, NULL};
    static const struct user_device gpu = {.create = render_create, .opaque = isas};
    static const struct user_options options = {
        .gpu = "g52", .gpu_threads = 1, .ps_per_tick = 1000};
    static struct log log;
    const struct space_shape shape = {.bits = user_abi.address_bits};
    const struct space_source none = {.fd = -1};
    struct process *p = &g->process;
    struct error err;

    getrlimit64(RLIMIT_NOFILE, &p->nofile);
    p->options = &options;
    p->log = &log;
    p->bus = bus_new(NULL);
    clock_init(&p->clock);
    if (!space_init(&p->space, p->bus, &p->group, &shape, &err))
        return false;
    space_map(&p->space, ARENA, ARENA_BYTES, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, &none);
    p->served = gpu.create(&gpu, p, &err);
    g->thread.process = p;
    g->first = dup(STDERR_FILENO);
    g->fd = -1;
    g->node = served_find(p, "/dev/dri/renderD128");
    return p->served && g->node;
}

static void put(struct program *g, uint64_t va, const uint8_t *data, unsigned count)
{
    guest_put(&g->thread, va, data, count);
}

/* The number of a call: mostly those of panfrost and of synchronisation objects. */
static unsigned call_number(uint8_t number)
{
    if (number < 0x40)
        return number;
    return number < 0x80 ? 0x40 + number % 9 : number < 0xc0 ? 0xbf + number % 15 : number;
}

static void call(struct program *g, uint8_t number, const uint8_t *data, unsigned count)
{
    struct thread *t = &g->thread;
    uint32_t request = _IOC(_IOC_READ | _IOC_WRITE, 'd', call_number(number), count);
    int64_t result;

    put(g, ARENA, data, count);
    served_ioctl(t, g->fd, request, ARENA, &result);
    if (result == CALL_WAITS)
        clock_cancel(&t->process->clock, &t->wait.timer);
    t->wait = (struct wait){0};
}

static void map(struct program *g, uint8_t number, const uint8_t *data, unsigned count)
{
    uint32_t word[2] = {0};
    uint64_t args[6] = {MAPS + number % MAP_COUNT * MAP_STRIDE};

    memcpy(word, data, count < sizeof(word) ? count : sizeof(word));
    args[1] = (word[1] % (MAP_STRIDE >> 12) + 1) << 12;
    args[2] = PROT_READ | PROT_WRITE;
    args[3] = MAP_FIXED | (word[1] >> 31 ? MAP_PRIVATE : MAP_SHARED);
    args[4] = (uint64_t)g->fd;
    args[5] = (uint64_t)word[0] << 12;
    sys_mmap(&g->thread, args);
}

static void open_node(struct program *g)
{
    if (g->fd >= 0)
        close(g->fd);
    g->fd = (int)served_open(&g->process, g->node, O_RDWR);
}

static void step(struct program *g, const uint8_t *head, const uint8_t *data, unsigned count)
{
    uint8_t number = head[1];

    switch (head[0] % 8) {
    case 0:
        map(g, number, data, count);
        break;
    case 1:
        space_unmap(&g->process.space, MAPS + number % MAP_COUNT * MAP_STRIDE, MAP_STRIDE);
        break;
    case 2:
        put(g, MAPS + number % MAP_COUNT * MAP_STRIDE + number / MAP_COUNT * 64, data, count);
        break;
    case 3:
        put(g, ARENA + number * 64, data, count);
        break;
    case 4:
        open_node(g);
        break;
    default:
        call(g, number, data, count);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct program g;

    if (!g.node && !start(&g))
        return 0;
    g.fd = -1;
    open_node(&g);
    for (size_t at = 0; at + STEP_BYTES <= size;) {
        const uint8_t *head = data + at;
        size_t left = size - at - STEP_BYTES;
        unsigned count = head[2] < left ? head[2] : (unsigned)left;

        step(&g, head, head + STEP_BYTES, count);
        at += STEP_BYTES + count;
    }
    space_unmap(&g.process.space, MAPS, MAP_COUNT * MAP_STRIDE);
    close_range((unsigned)g.first, UINT_MAX, 0); /* the node, and files of fences */
    return 0;
}
