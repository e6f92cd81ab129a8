/*
 * The debugger's connection: what a GDB sends to two CPUs of the toy ISA, and to a process beside
 * them that stops after each turn that it takes part in. Each line of the input is
 * a packet, which gets its frame and sum here; after a '!' it is sent as it stands, and an empty
 * one lets the CPUs run. The link is a stand-in, linked before the real one. The CPUs are made
 * once, and reset for each input, which is fifty times as fast.
 */
#include "runtime/cpu/gdb_internal.h"
#include "tests/cpu/bench.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>
#include <sys/mman.h>

/* LeakSanitizer's, where there is one: memory in which pointers to allocations lie. */
__attribute__((weak)) void __lsan_register_root_region(const void *p, size_t size);

enum { MAX_TURNS = 64, TURN_TICKS = 16 };

struct gdb_link {
    const uint8_t *line, *end; /* the rest of the input */
    VEC(char) bytes;           /* packet made of the current line */
    size_t sent;
    bool opened;
};

static struct gdb_link only; /* a harness is a program of its own */

struct gdb_link *gdb_link_new(const char *address, struct clock *clock, struct error *err)
{
    (void)address, (void)clock, (void)err;
    only.opened = false;
    only.sent = only.bytes.len = 0;
    return &only;
}

void gdb_link_free(struct gdb_link *link)
{
    (void)link;
}

unsigned gdb_link_port(const struct gdb_link *link)
{
    (void)link;
    return 1;
}

/* The next line's bytes; false: it has none. */
static bool next_line(struct gdb_link *link)
{
    const uint8_t *end = memchr(link->line, '\n', (size_t)(link->end - link->line));
    struct gdb_text text = {0};
    uint8_t sum = 0;

    end = end ? end : link->end;
    for (const uint8_t *at = link->line; at < end; at++)
        sum = (uint8_t)(sum + *at);
    link->bytes.len = link->sent = 0;
    if (link->line < end && *link->line == '!') {
        for (const uint8_t *at = link->line + 1; at < end; at++)
            vec_push(&link->bytes, (char)*at);
    } else if (link->line < end) {
        vec_push(&link->bytes, '$');
        for (const uint8_t *at = link->line; at < end; at++)
            vec_push(&link->bytes, (char)*at);
        gdb_text_add(&text, "#%02x", sum);
        for (size_t n = 0; n < text.chars.len; n++)
            vec_push(&link->bytes, text.chars.data[n]);
        vec_free(&text.chars);
    }
    link->line = end < link->end ? end + 1 : end;
    return link->bytes.len > 0;
}

int gdb_link_get(struct gdb_link *link, bool wait)
{
    (void)wait;
    if (!link->opened) {
        link->opened = true;
        return GDB_LINK_OPENED;
    }
    if (link->sent == link->bytes.len && (link->line == link->end || !next_line(link)))
        return GDB_LINK_NOTHING;
    return (uint8_t)link->bytes.data[link->sent++];
}

int gdb_link_get_only(struct gdb_link *link, uint8_t byte)
{
    bool there = link->sent < link->bytes.len && (uint8_t)link->bytes.data[link->sent] == byte;

    return there ? gdb_link_get(link, false) : GDB_LINK_NOTHING;
}

/* Every byte of an answer is looked at, so that none is one that was never written. */
void gdb_link_put(struct gdb_link *link, const void *bytes, size_t len)
{
    static volatile uint8_t sum;

    (void)link;
    for (size_t n = 0; n < len; n++)
        sum = (uint8_t)(sum + ((const uint8_t *)bytes)[n]);
}

/* A loop for each CPU, with memory accesses for watchpoints. An exception's vector is a loop, too:
 * without code there each instruction would be another exception, which takes long. */
static void load_programs(struct bench *b)
{
    CODE(b, VECTOR, toy_word(TOY_B, 0, 0, 0));
    for (unsigned n = 0; n < 2; n++) {
        uint64_t at = RAM + 0x1000 * n;

        CODE(b, at, toy_word(TOY_ADDI, 1, 1, 1), toy_word(TOY_ST64, 1, 5, 8),
             toy_word(TOY_LD64, 2, 5, 8), toy_word(TOY_B, 0, 0, -3));
        b->cpu[n]->pc = at;
        toy_state(b->cpu[n])->x[5] = DATA;
        cpu_set_power(b->cpu[n], true);
    }
}

/* Restores the initial state, so that inputs are independent: RAM's pages become zeros again, and
 * nothing is remembered of them. */
static void reset_bench(struct bench *b)
{
    madvise(bus_find(b->bus, RAM)->host, RAM_SIZE, MADV_DONTNEED);
    memset(b->device, 0, sizeof(b->device));
    b->clock.now = 0;
    cpu_code_flush(b->cpu[0]);
    for (unsigned n = 0; n < 2; n++) {
        struct cpu *cpu = b->cpu[n];

        cpu_set_power(cpu, false);
        cpu_reset(cpu);
        cpu->ahead_ps = 0;
        toy_state(cpu)->special[TOY_VBAR] = VECTOR;
    }
}

static struct bench *make_bench(void)
{
    struct bench *b = bench_new(2);

    b->group.quantum = TURN_TICKS;
    madvise(bus_find(b->bus, RAM)->host, RAM_SIZE,
            MADV_NOHUGEPAGE); /* few pages are ever touched */
    for (unsigned n = 0; __lsan_register_root_region && n < 2; n++)
        __lsan_register_root_region(b->cpu[n], offsetof(struct cpu, tlbs)); /* from mmap() */
    return b;
}

static void run_monitor_command(void *opaque, struct cpu *cpu, const char *line, FILE *out)
{
    (void)opaque;
    fprintf(out, "%u %s\n", cpu->number, line);
}

/* ---- a process beside the CPUs --------------------------------------------------------------- */

struct peer {
    struct gdb *gdb;
    bool attached, runs;
    unsigned asked;
};

static bool attach(void *opaque, struct error *err)
{
    struct peer *peer = opaque;

    if (++peer->asked % 4 == 0)
        return error_set(err, "not now");
    peer->attached = true;
    return true;
}

static void detach(void *opaque)
{
    ((struct peer *)opaque)->attached = false;
}

static void take_packet(void *opaque, const char *text)
{
    struct peer *peer = opaque;

    if (!strncmp(text, "vCont", 5))
        peer->runs = true;
    else
        gdb_put(peer->gdb, "$OK#9a", 6);
}

static void halt(void *opaque)
{
    ((struct peer *)opaque)->runs = false;
}

static bool is_busy(void *opaque)
{
    return ++((struct peer *)opaque)->asked % 2;
}

/* Stops the process in the midst of an event, until GDB lets it go on, or says no more. */
static void stop_peer(struct peer *peer)
{
    peer->runs = false;
    gdb_peer_stopped(peer->gdb);
    while (!peer->runs && peer->attached && gdb_serve_peer(peer->gdb) == GDB_AGAIN)
        ;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    return fuzz_without_leaks(argc, argv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct bench *b;
    struct gdb_config config = {
        .address = "tcp::0", .stopped = true, .monitor = run_monitor_command};
    struct peer peer = {0};
    struct error err;
    struct gdb *gdb;

    if (!b)
        b = make_bench();
    reset_bench(b);
    load_programs(b);
    config.group = &b->group;
    config.log = &b->log;
    only.line = data;
    only.end = data + size;
    config.peer =
        (struct gdb_peer){&peer, attach, detach, take_packet, halt, is_busy, "held", "idle"};
    gdb = peer.gdb = gdb_new(&config, &err);
    for (unsigned turn = 0; gdb && turn < MAX_TURNS; turn++) {
        enum gdb_verdict verdict = gdb_serve(gdb);

        if (verdict == GDB_RUN)
            cpu_group_turn(&b->group);
        if (verdict == GDB_RUN && peer.attached && peer.runs)
            stop_peer(&peer);
        else if (verdict == GDB_END || only.line == only.end)
            break;
    }
    gdb_free(gdb);
    return 0;
}
