/*
 * Jobs saved in their midst: a chain that is saved at a random step, and continued by new cores and
 * a new chain in the memory as it was then, gives the same memory, cycles of all further steps and
 * counters as one that was not. Windows are short, so that groups go on from step to step. Saved
 * state that is cut is refused; with random damage it is refused, or runs to an end.
 *
 *     mali_saved ROUNDS SEED SNAP.elf …
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "runtime/base/random.h"
#include "runtime/base/state.h"
#include "runtime/gpu/chain.h"
#include "runtime/gpu/isa.h"
#include "runtime/gpu/snapshot.h"
#include "runtime/gpu/stats.h"
#include "runtime/gpu/variant.h"

enum {
    MAX_STEPS = 80,
    MAX_WINDOW = 12,
    LONGEST_WINDOW = 1 << 16,
    DAMAGED_STEPS = 50,
    LARGEST_HASHED = 1 << 20,
};

extern const struct gpu_isa bifrost_isa, midgard_isa;

struct subject {
    const char *path;
    struct gpu_snapshot *s;
    struct gpu_snapshot_kept *kept;
    const struct gpu_variant *variant;
    unsigned window;
};

/* Cores and a chain. */
struct engine {
    struct gpu_cores *cores;
    struct gpu_chain *chain;
    struct gpu_chain_counters counters;
};

/* All that two runs must have in common. */
struct result {
    struct gpu_counters work;
    struct gpu_chain_counters counters;
    uint64_t active[GPU_MAX_CORES];
    uint64_t memory, steps; /* hashes */
    uint64_t count;         /* steps */
};

static unsigned saves, in_jobs, refused; /* saves; those in the midst of a job */

static uint64_t mix_in(uint64_t hash, uint64_t v)
{
    hash = (hash ^ v) * UINT64_C(0x100000001b3);
    return hash ^ hash >> 29;
}

/* Heaps are mapped large, and no job of the snapshots uses more than a little of them. */
static bool is_hashed(const struct gpu_snapshot_segment *g)
{
    return g->bytes <= LARGEST_HASHED;
}

static uint64_t hash_memory(const struct subject *t)
{
    uint64_t hash = 0;

    for (size_t i = 0; i < t->s->segment_count; i++)
        for (uint64_t at = 0; is_hashed(&t->s->segments[i]) && at < t->s->segments[i].bytes;
             at += 8) {
            uint64_t v;

            memcpy(&v, t->s->segments[i].host + at, sizeof(v));
            hash = mix_in(hash, v);
        }
    return hash;
}

/* ---- engines --------------------------------------------------------------------------------- */

static void engine_open(struct engine *e, const struct subject *t, unsigned translate)
{
    const struct gpu_isa *isa =
        strcmp(t->variant->isa, midgard_isa.name) ? &bifrost_isa : &midgard_isa;

    e->cores = gpu_cores_new(t->variant, isa, 1);
    if (!e->cores) {
        fprintf(stderr, "%s: no cores, since the host gives no thread\n", t->path);
        exit(1);
    }
    gpu_cores_set_window(e->cores, t->window);
    gpu_cores_translate(e->cores, translate);
    e->chain = gpu_chain_new(&(struct gpu_chain_env){
        .variant = t->variant, .cores = e->cores, .counters = &e->counters});
}

static void engine_close(struct engine *e)
{
    gpu_chain_free(e->chain);
    gpu_cores_free(e->cores);
}

static bool save(struct engine *e, struct state_buf *buf)
{
    struct gpu_job_shape shape;

    if (!gpu_chain_can_save(e->chain))
        return false;
    saves++;
    in_jobs += gpu_chain_shape(e->chain, &shape);
    gpu_chain_save(e->chain, buf);
    gpu_cores_save(e->cores, buf);
    return true;
}

static bool load(struct engine *e, struct subject *t, const struct state_buf *buf,
                 struct error *err)
{
    return gpu_chain_load(e->chain, &t->s->space, buf, err) && gpu_cores_load(e->cores, buf, err);
}

/* Saves the engine, and goes on in a new one that was never used. */
static bool change_engine(struct engine *e, struct subject *t, unsigned translate)
{
    struct state_buf buf = {0};
    struct error err = {0};
    bool ok;

    if (!save(e, &buf))
        return false;
    engine_close(e);
    engine_open(e, t, translate);
    ok = load(e, t, &buf, &err);
    if (!ok)
        fprintf(stderr, "%s: %s\n", t->path, err.text);
    state_buf_free(&buf);
    return ok;
}

/* ---- runs ------------------------------------------------------------------------------------ */

static void start_chain(struct engine *e, const struct subject *t)
{
    gpu_snapshot_restore(t->s, t->kept);
    gpu_chain_start(e->chain, &t->s->space, t->s->submits[0].head, 0, GPU_CHAIN_WRITE_BACK);
}

/* Runs the chain twice, so that something is counted before the second time, and changes the engine
 * before steps whose number is a multiple of `every` plus `first`. false: it cannot be saved, or
 * does not end. */
static bool run(struct subject *t, unsigned first, unsigned every, unsigned translate,
                struct result *r)
{
    struct gpu_chain_outcome out = {.progress = GPU_CHAIN_MORE};
    struct engine e = {0};
    unsigned again = 0;
    bool ok = true;

    *r = (struct result){0};
    engine_open(&e, t, 0);
    start_chain(&e, t);
    for (; ok && r->count < MAX_STEPS && out.progress <= GPU_CHAIN_DONE; r->count++) {
        if (out.progress == GPU_CHAIN_DONE) {
            if (again++)
                break;
            start_chain(&e, t);
        }
        if (every && r->count >= first && (r->count - first) % every == 0)
            ok = change_engine(&e, t, translate);
        gpu_chain_step(e.chain, &out);
        r->steps = mix_in(mix_in(r->steps, out.cycles), out.progress + 16 * out.tail);
    }
    r->memory = hash_memory(t);
    r->work = *gpu_stats_total(gpu_cores_stats(e.cores));
    r->counters = e.counters;
    memcpy(r->active, gpu_cores_active(e.cores), sizeof(r->active));
    engine_close(&e);
    return ok && out.progress == GPU_CHAIN_DONE && again == 2;
}

static bool check(struct subject *t, uint64_t *random)
{
    struct result whole, parts;
    unsigned first, every, translate;

    while (!run(t, 0, 0, 0, &whole))
        if ((t->window *= 4) > LONGEST_WINDOW) {
            fprintf(stderr, "%s: does not end\n", t->path);
            return false;
        }
    first = (unsigned)(random_next(random) % whole.count);
    every = 1 + (unsigned)(random_next(random) % 64 < 16 ? random_next(random) % 4 : MAX_STEPS);
    translate = (unsigned)(random_next(random) % 3);
    if (run(t, first, every, translate, &parts) && !memcmp(&whole, &parts, sizeof(whole)))
        return true;
    fprintf(stderr, "%s: saved at step %u of %u and every %u, windows of %u: another%s%s%s%s%s\n",
            t->path, first, (unsigned)whole.count, every, t->window,
            whole.memory != parts.memory ? " memory" : "",
            whole.steps != parts.steps ? ", cycles of steps" : "",
            memcmp(&whole.work, &parts.work, sizeof(whole.work)) ? ", work" : "",
            memcmp(&whole.counters, &parts.counters, sizeof(whole.counters)) ? ", counters" : "",
            memcmp(whole.active, parts.active, sizeof(whole.active)) ? ", activity" : "");
    return false;
}

/* ---- damaged state --------------------------------------------------------------------------- */

/* Whether an engine refuses the state without its last bytes. */
static bool refuses_cut(struct subject *t, const struct state_buf *whole, uint64_t *random)
{
    struct state_buf cut = *whole;
    struct engine e = {0};
    struct error err = {0};
    bool refuses;

    cut.len = random_next(random) % whole->len;
    engine_open(&e, t, 0);
    refuses = !load(&e, t, &cut, &err);
    engine_close(&e);
    if (!refuses)
        fprintf(stderr, "%s: %zu of %zu bytes of the state are taken for all\n", t->path, cut.len,
                whole->len);
    return refuses;
}

static bool run_damaged(struct subject *t, uint64_t *random)
{
    struct gpu_chain_outcome out = {.progress = GPU_CHAIN_MORE};
    struct state_buf buf = {0};
    struct engine e = {0};
    struct error err = {0};
    unsigned steps = (unsigned)(random_next(random) % 12);
    bool ok = true;

    gpu_snapshot_restore(t->s, t->kept);
    engine_open(&e, t, 0);
    gpu_chain_start(e.chain, &t->s->space, t->s->submits[0].head, 0, 0);
    for (unsigned i = 0; i < steps; i++)
        gpu_chain_step(e.chain, &out);
    if (save(&e, &buf)) {
        ok = refuses_cut(t, &buf, random);
        for (unsigned n = 1 + random_next(random) % 3; n; n--)
            buf.data[random_next(random) % buf.len] = (uint8_t)random_next(random);
        engine_close(&e);
        engine_open(&e, t, 0);
        refused += !load(&e, t, &buf, &err);
        for (unsigned i = 0; i < DAMAGED_STEPS; i++)
            gpu_chain_step(e.chain, &out);
    }
    state_buf_free(&buf);
    engine_close(&e);
    return ok;
}

int main(int argc, char **argv)
{
    unsigned rounds = argc > 3 ? (unsigned)strtoul(argv[1], NULL, 0) : 0;
    uint64_t random = argc > 3 ? strtoull(argv[2], NULL, 0) : 0;
    bool ok = rounds;

    for (int i = 3; i < argc && ok; i++) {
        struct subject t = {.path = argv[i]};
        struct error err;

        t.s = gpu_snapshot_read(argv[i], &err);
        t.variant = t.s ? gpu_variant_by_product(t.s->product) : NULL;
        if (!t.variant)
            return 1;
        t.kept = gpu_snapshot_keep(t.s);
        for (unsigned n = 0; n < rounds && ok; n++) {
            t.window = 1 + (unsigned)(random_next(&random) % MAX_WINDOW);
            ok = check(&t, &random) && run_damaged(&t, &random);
        }
        gpu_snapshot_kept_free(t.kept);
        gpu_snapshot_free(t.s);
    }
    printf("%u saves, %u in the midst of a job; %u damaged states refused\n", saves, in_jobs,
           refused);
    return !ok || !in_jobs;
}
