/*
 * Snapshots with random damage to job headers, descriptors, uniforms and shaders, and with pointers
 * bent back into the chain; of frames also with damage between their chains, which meets lists of
 * primitives. Each run must end by completion, by a fault or by its budget, without a crash, within
 * PATIENCE seconds of the processor; otherwise the program names the run and exits. After each one
 * the undamaged snapshot must give its first result again: no effect of the damage is left.
 *
 *     mutate RUNS SEED SNAP.elf …
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "runtime/base/alloc.h"
#include "runtime/base/random.h"
#include "runtime/gpu/chain.h"
#include "runtime/gpu/isa.h"
#include "runtime/gpu/snapshot.h"
#include "runtime/gpu/variant.h"

enum {
    MAX_JOBS = 300,
    MAX_CYCLES = 400000,
    MAX_DAMAGE = 4,
    PAGE = 4096,
    KEPT = 64 * PAGE, /* bytes at the start of a segment that are damaged, restored and compared */
    NEXT = 24,        /* offset in a job header: address of the next one */
    PATIENCE = 60,    /* of the processor: LLVM may take seconds for one shader */
    DEADLOCK = 500,   /* of the clock, on a busy host */
};

extern const struct gpu_isa bifrost_isa, midgard_isa;

/* A snapshot, its original memory, and cores to run it. */
struct subject {
    struct gpu_snapshot *s;
    const struct gpu_variant *variant;
    struct gpu_cores *cores;
    struct gpu_chain *chain;
    uint8_t **original; /* the first KEPT bytes of each segment */
    bool single;        /* a single host thread: results are bitwise reproducible */
    uint64_t result;    /* hash of the memory after an undamaged run */
};

static unsigned ends[5]; /* by enum gpu_chain_progress */
static char hung[64];    /* text that is printed when patience ends */

static void on_alarm(int signal)
{
    ssize_t written = write(STDERR_FILENO, hung, strlen(hung));

    _exit(written < 0 ? 2 : signal);
}

/* Ends the process after so many seconds of its threads, and of the clock; 0: never. */
static void limit_time(int own, unsigned elapsed)
{
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = own}, NULL);
    alarm(elapsed);
}

static const struct gpu_isa *isa_of(const struct gpu_variant *v)
{
    return strcmp(v->isa, midgard_isa.name) ? &bifrost_isa : &midgard_isa;
}

static size_t kept_bytes(const struct gpu_snapshot_segment *g)
{
    return g->bytes < KEPT ? g->bytes : KEPT;
}

static bool open_subject(struct subject *t, const char *path, unsigned threads)
{
    struct error err;

    t->single = threads == 1;
    t->s = gpu_snapshot_read(path, &err);
    t->variant = t->s ? gpu_variant_by_product(t->s->product) : NULL;
    t->cores = t->variant ? gpu_cores_new(t->variant, isa_of(t->variant), threads) : NULL;
    if (!t->cores) {
        fprintf(stderr, "%s: cannot be used\n", path);
        return false;
    }
    gpu_cores_keep_code(t->cores, NULL, NULL); /* most of the undamaged shaders come up again */
    t->chain = gpu_chain_new(&(struct gpu_chain_env){.variant = t->variant, .cores = t->cores});
    t->original = xcalloc(t->s->segment_count, sizeof(*t->original));
    for (size_t i = 0; i < t->s->segment_count; i++) {
        const struct gpu_snapshot_segment *g = &t->s->segments[i];

        t->original[i] = xcalloc(1, kept_bytes(g));
        memcpy(t->original[i], g->host, kept_bytes(g));
    }
    return true;
}

static void close_subject(struct subject *t)
{
    gpu_chain_free(t->chain);
    gpu_cores_free(t->cores);
    for (size_t i = 0; i < t->s->segment_count; i++)
        free(t->original[i]);
    free(t->original);
    gpu_snapshot_free(t->s);
}

static void restore_memory(struct subject *t)
{
    for (size_t i = 0; i < t->s->segment_count; i++)
        memcpy(t->s->segments[i].host, t->original[i], kept_bytes(&t->s->segments[i]));
}

/* Makes a job's next pointer name the first job, itself, or any place in memory. */
static void bend_pointer(struct subject *t, uint64_t *random)
{
    uint64_t head = t->s->submits[0].head, how = random_next(random);
    const struct gpu_snapshot_segment *g = &t->s->segments[how % t->s->segment_count];
    uint64_t next = how & 1 ? head : g->va + (how >> 8) % g->bytes / 64 * 64;
    struct gpu_fault ignored;
    uint64_t at = head;

    for (unsigned n = how >> 4 & 3; n; n--) {
        uint64_t further = 0;

        if (!gpu_memory_read(&t->s->space, at + NEXT, &further, sizeof(further), &ignored) ||
            !further)
            break;
        at = further;
    }
    gpu_memory_write(&t->s->space, at + NEXT, &next, sizeof(next), &ignored);
}

/* Changes a bit, a byte or a word that is not zero, favouring headers and descriptors. */
static void damage_memory(struct subject *t, uint64_t *random)
{
    for (unsigned tries = 0; tries < 200; tries++) {
        size_t which = random_next(random) % t->s->segment_count;
        const struct gpu_snapshot_segment *g = &t->s->segments[which];
        uint64_t at = random_next(random) % (g->bytes < 2 * PAGE ? g->bytes : 2 * PAGE);
        uint64_t how = random_next(random);

        if (!g->host[at] && tries < 190)
            continue;
        if (how % 3 == 0)
            g->host[at] = (uint8_t)(how >> 8);
        else if (how % 3 == 1)
            g->host[at] ^= (uint8_t)(1u << (how >> 8) % 8);
        else
            memset(g->host + (at & ~(uint64_t)3), how & 8 ? 0xff : 0, 4);
        return;
    }
}

static uint64_t hash_memory(const struct subject *t)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < t->s->segment_count; i++)
        for (uint64_t at = 0; at + 8 <= kept_bytes(&t->s->segments[i]); at += 8) {
            uint64_t v;

            memcpy(&v, t->s->segments[i].host + at, sizeof(v));
            hash = (hash ^ v) * UINT64_C(0x100000001b3);
            hash ^= hash >> 29;
        }
    return hash;
}

/* Runs the chains one after the other, up to one that does not complete. `random` (or NULL) damages
 * memory between them. */
static enum gpu_chain_progress run_chains(struct subject *t, uint64_t *random)
{
    struct gpu_chain_outcome out = {.progress = GPU_CHAIN_DONE};

    for (size_t i = 0; i < t->s->submit_count && out.progress == GPU_CHAIN_DONE; i++) {
        struct gpu_chain_budget budget = {MAX_JOBS, MAX_CYCLES};

        if (i && random && random_next(random) % 2)
            damage_memory(t, random);
        limit_time(PATIENCE, DEADLOCK);
        gpu_chain_run(t->chain, &t->s->space, t->s->submits[i].head, GPU_CHAIN_WRITE_BACK, &budget,
                      &out);
        limit_time(0, 0);
    }
    return out.progress;
}

/* Runs the undamaged snapshot. Returns false if the result differs from the first one. */
static bool run_undamaged(struct subject *t)
{
    uint64_t hash;
    enum gpu_chain_progress end;

    restore_memory(t);
    end = run_chains(t, NULL);
    hash = hash_memory(t);
    if (!t->result)
        t->result = hash;
    return end == GPU_CHAIN_DONE && (!t->single || hash == t->result);
}

static bool run_damaged(struct subject *t, unsigned number, uint64_t *random)
{
    restore_memory(t);
    snprintf(hung, sizeof(hung), "run %u hangs\n", number);
    for (uint64_t n = 1 + random_next(random) % MAX_DAMAGE; n; n--)
        if (random_next(random) % 8)
            damage_memory(t, random);
        else
            bend_pointer(t, random);
    ends[run_chains(t, random)]++;
    return run_undamaged(t);
}

int main(int argc, char **argv)
{
    unsigned runs = argc > 3 ? (unsigned)strtoul(argv[1], NULL, 0) : 0, files = 0;
    uint64_t random = argc > 3 ? strtoull(argv[2], NULL, 0) : 0;
    struct subject *subjects = xcalloc((size_t)argc, sizeof(*subjects));
    int status = 0;

    signal(SIGALRM, on_alarm);
    signal(SIGPROF, on_alarm);
    for (int i = 3; i < argc && !status; i++)
        status = open_subject(&subjects[files], argv[i], 1 + (unsigned)i % 2) ? files++, 0 : 1;
    for (unsigned i = 0; i < files && !status; i++)
        status = !run_undamaged(&subjects[i]);
    for (unsigned i = 0; i < runs && !status; i++) {
        status = !run_damaged(&subjects[i % files], i, &random);
        if (status)
            fprintf(stderr, "run %u: the undamaged %s does not run as before\n", i,
                    argv[3 + i % files]);
    }
    printf("%u more, %u done, %u stopped, %u page faults, %u failed\n", ends[0], ends[1], ends[2],
           ends[3], ends[4]);
    for (unsigned i = 0; i < files; i++)
        close_subject(&subjects[i]);
    free(subjects);
    return status || !runs;
}
