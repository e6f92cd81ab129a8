/*
 * Frames: descriptors, shaders, vertices and lists of primitives. The input's first byte says which
 * scene of tests/mali/snapshots is drawn; then come 8-byte changes of its memory, each before the
 * first chain or between the chains, where the list of primitives is in memory. The cores of a GPU
 * are made once, and keep what they made of a shader for other inputs with the same bytes at its
 * address.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/bits.h"
#include "runtime/gpu/chain.h"
#include "runtime/gpu/isa.h"
#include "runtime/gpu/snapshot.h"
#include "runtime/gpu/variant.h"
#include "tests/fuzz/fuzz.h"

enum {
    MAX_JOBS = 50,
    MAX_CYCLES = 20000,
    CHANGE_BYTES = 8,
    MAX_CHANGES = 64,
    TRANSLATED = 32,     /* 1 / TRANSLATED of the inputs has shaders as host code */
    AFTER = 8,           /* executions before a shader becomes host code */
    WINDOW_BUNDLES = 64, /* a step has 16 windows of 64 groups, and ends far behind MAX_CYCLES */
};

/* The first byte of a change: what is written, where from, and when. */
enum { BYTE, BIT, WORD, POINTER };
enum { KIND = 3, FROM_JOB = 4, BETWEEN = 8 };

extern const struct gpu_isa bifrost_isa, midgard_isa;

/* New scenes go to the end: inputs name them by their number. */
static const char *const scenes[] = {
    "gfx/clear.T760",     "gfx/depth.G52",       "gfx/flat.G71",        "scenes/anisorow.G52",
    "scenes/astcs.T860",  "scenes/bminmax.T720", "scenes/bminmax.T860", "scenes/bsat.G52",
    "scenes/cubem.G52",   "scenes/depth.T624",   "scenes/etcs.G52",     "scenes/fetchfb.T860",
    "scenes/fixed.G72",   "scenes/inst11.T860",  "scenes/places.G52",   "scenes/points.T624",
    "scenes/restart.G72", "scenes/r8ui.G52",     "scenes/scissor.G31",  "scenes/shadow.G76",
    "scenes/sprite.T760", "scenes/stencil.T720", "scenes/texelvs.T860", "scenes/xfbpts.G52",
};

/* A scene, its memory before the first chain, and the cores that draw it: interpreting ones, and
 * ones that make host code, which other inputs must not execute. */
struct subject {
    struct gpu_snapshot *s;
    struct gpu_snapshot_kept *kept;
    const struct gpu_variant *variant;
    struct gpu_cores *cores[2];
};

static bool open_subject(struct subject *t, const char *name)
{
    char path[4096];
    struct error err;

    if (t->s)
        return true;
    snprintf(path, sizeof(path), FUZZ_SNAPSHOTS "/%s.snap.elf", name);
    t->s = gpu_snapshot_read(path, &err);
    if (!t->s) {
        fprintf(stderr, "%s: %s\n", path, err.text);
        exit(1);
    }
    t->kept = gpu_snapshot_keep(t->s);
    t->variant = gpu_variant_by_product(t->s->product);
    return t->kept && t->variant;
}

static struct gpu_cores *cores_of(struct subject *t, bool is_translated)
{
    struct gpu_cores **cores = &t->cores[is_translated];
    bool is_midgard = !strcmp(t->variant->isa, midgard_isa.name);

    if (!*cores)
        *cores = gpu_cores_new(t->variant, is_midgard ? &midgard_isa : &bifrost_isa, 1);
    if (*cores) {
        gpu_cores_set_window(*cores, WINDOW_BUNDLES);
        gpu_cores_translate(*cores, is_translated ? AFTER : 0);
    }
    return *cores;
}

/* ---- changes --------------------------------------------------------------------------------- */

/* Address of byte `at` of the number'th segment, modulo their number and its size. */
static uint64_t address_in(const struct gpu_snapshot *s, unsigned number, uint64_t at)
{
    const struct gpu_snapshot_segment *g = &s->segments[number % s->segment_count];

    return g->va + at % g->bytes;
}

/*
 * A change: kind, number of a segment or chain, offset in words (16 bits), value (32 bits). A
 * pointer has the number of its segment in the value's upper eight bits and an offset in the rest.
 */
static void change_memory(const struct gpu_snapshot *s, const uint8_t *data)
{
    uint64_t at = le_get(data + 2, 2) * 4, value = le_get(data + 4, 4), old = 0;
    uint64_t va = data[0] & FROM_JOB ? s->submits[data[1] % s->submit_count].head + at
                                     : address_in(s, data[1], at);
    struct gpu_fault ignored;
    unsigned bytes = 4;

    if (!gpu_memory_read(&s->space, va, &old, 4, &ignored))
        return;
    switch (data[0] & KIND) {
    case BYTE:
        va += value >> 8 & 3;
        bytes = 1;
        break;
    case BIT:
        value = old ^ UINT64_C(1) << value % 32;
        break;
    case POINTER:
        value = address_in(s, (unsigned)(value >> 24), value & 0xffffff);
        bytes = 8;
        break;
    }
    gpu_memory_write(&s->space, va, &value, bytes, &ignored);
}

/* Makes the changes that are due before the chain of that number. */
static void change_before(const struct gpu_snapshot *s, size_t chain, const uint8_t *data,
                          size_t size)
{
    for (unsigned i = 0; i < MAX_CHANGES && size >= CHANGE_BYTES; i++) {
        if (chain == (data[0] & BETWEEN ? 1 : 0))
            change_memory(s, data);
        data += CHANGE_BYTES;
        size -= CHANGE_BYTES;
    }
}

static void draw(struct subject *t, struct gpu_cores *cores, const uint8_t *data, size_t size)
{
    struct gpu_chain_env env = {.variant = t->variant, .cores = cores};
    struct gpu_chain *chain = cores ? gpu_chain_new(&env) : NULL;
    struct gpu_chain_outcome out;

    for (size_t i = 0; chain && i < t->s->submit_count; i++) {
        struct gpu_chain_budget budget = {MAX_JOBS, MAX_CYCLES};

        change_before(t->s, i, data, size);
        gpu_chain_run(chain, &t->s->space, t->s->submits[i].head, GPU_CHAIN_WRITE_BACK, &budget,
                      &out);
    }
    gpu_chain_free(chain);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    return fuzz_without_leaks(argc, argv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct subject subjects[ARRAY_SIZE(scenes)];
    unsigned which = size ? data[0] % ARRAY_SIZE(scenes) : 0, sum = 0;

    for (size_t i = 1; i < size; i++)
        sum += data[i];
    if (!size || !open_subject(&subjects[which], scenes[which]))
        return 0;
    draw(&subjects[which], cores_of(&subjects[which], size > 1 && sum % TRANSLATED == 0), data + 1,
         size - 1);
    gpu_snapshot_restore(subjects[which].s, subjects[which].kept);
    return 0;
}
