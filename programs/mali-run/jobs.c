/*
 * Job chains of a snapshot as text: headers, payloads, shaders.
 *
 * Bounds      the text of a chain ends where it comes back to a job, or after MAX_JOBS; that of all
 *             shaders after MAX_BUNDLES bundles; the text says so
 */
#include "programs/mali-run/run.h"

#include <string.h>

#include "common/vec.h"
#include "mali_layout.h"
#include "runtime/gpu/isa.h"
#include "runtime/gpu/shader/job.h"
#include "runtime/gpu/variant.h"
#include "runtime/gpu/walk.h"

enum { MAX_JOBS = 65536, INDENT = 4, MAX_BUNDLES = 1 << 18 };

struct walk {
    const struct gpu_snapshot *s;
    const struct gpu_variant *variant;
    const struct gpu_isa *isa;
    FILE *out;
    bool bytes;            /* also prints bytes of shaders, as a source for gencc asm */
    unsigned bundles;      /* printed so far */
    VEC(uint64_t) printed; /* shaders */
};

static bool fetch_bytes(struct walk *k, uint64_t va, void *to, size_t bytes)
{
    struct gpu_fault fault;

    if (gpu_memory_read(&k->s->space, va, to, bytes, &fault))
        return true;
    fprintf(k->out, "0x%llx: cannot be read\n", (unsigned long long)fault.va);
    return false;
}

/* Fetches and unpacks a descriptor; false: the reason was printed. */
#define READ(k, name, NAME, va, to)                                                      \
    ({                                                                                   \
        uint8_t raw_[MALI_##NAME##_BYTES] = {0};                                         \
        unsigned bytes_ = mali_##name##_bytes((k)->variant->architecture);               \
        bool good_ = bytes_ && fetch_bytes(k, va, raw_, bytes_);                         \
        const char *bad_ =                                                               \
            good_ ? mali_##name##_unpack((k)->variant->architecture, raw_, to) : NULL;   \
                                                                                         \
        if (bad_)                                                                        \
            fprintf((k)->out, "0x%llx: bad field %s\n", (unsigned long long)(va), bad_); \
        good_ && !bad_;                                                                  \
    })

/* Reads a descriptor and prints it under a title. */
#define SHOW(k, name, NAME, va, to)                                                \
    ({                                                                             \
        bool shown_ = READ(k, name, NAME, va, to);                                 \
                                                                                   \
        if (shown_) {                                                              \
            fprintf((k)->out, #name " at 0x%llx\n", (unsigned long long)(va));     \
            mali_##name##_print((k)->variant->architecture, (k)->out, INDENT, to); \
        }                                                                          \
        shown_;                                                                    \
    })

typedef void job_fn(struct walk *k, uint64_t va, const struct mali_job_header *h);

/*
 * Calls `fn` for each job of a chain. One visited job is remembered, at increasing intervals, so
 * that a circle of any length is noticed.
 */
static void each_job_from(struct walk *k, uint64_t va, job_fn *fn)
{
    uint64_t mark = 0;

    for (unsigned n = 0, next_mark = 0; va && n < MAX_JOBS; n++) {
        struct mali_job_header h;

        if (va == mark) {
            fprintf(k->out, "0x%llx: the chain is a circle\n", (unsigned long long)va);
            return;
        }
        if (n == next_mark) {
            mark = va;
            next_mark = 2 * n + 1;
        }
        if (!READ(k, job_header, JOB_HEADER, va, &h))
            return;
        fn(k, va, &h);
        va = h.next;
    }
    if (va)
        fprintf(k->out, "0x%llx: and more jobs\n", (unsigned long long)va);
}

static void each_job(struct walk *k, job_fn *fn)
{
    for (size_t i = 0; i < k->s->submit_count; i++)
        each_job_from(k, k->s->submits[i].head, fn);
}

/* ---- descriptors ----------------------------------------------------------------------------- */

/* Number of words of push uniforms. */
static uint32_t uniform_words(const struct mali_renderer_state *state)
{
    return 2 * (uint32_t)(state->preload.uniform_count + 2 * state->uniform_count);
}

static void dump_compute(struct walk *k, uint64_t va)
{
    struct mali_compute_payload p;
    struct mali_renderer_state state;
    struct mali_local_storage storage;

    if (!SHOW(k, compute_payload, COMPUTE_PAYLOAD, va, &p))
        return;
    if (p.draw.thread_storage)
        SHOW(k, local_storage, LOCAL_STORAGE, p.draw.thread_storage, &storage);
    if (!SHOW(k, renderer_state, RENDERER_STATE, p.draw.state, &state))
        return;
    for (unsigned i = 0; i < state.uniform_buffer_count; i++) {
        struct mali_uniform_buffer b;

        SHOW(k, uniform_buffer, UNIFORM_BUFFER,
             p.draw.uniform_buffers + i * MALI_UNIFORM_BUFFER_BYTES, &b);
    }
    for (unsigned i = 0; i < uniform_words(&state); i++) {
        uint32_t word;

        if (!fetch_bytes(k, p.draw.push_uniforms + 4 * (uint64_t)i, &word, sizeof(word)))
            break;
        fprintf(k->out, "push uniform u%u.w%u 0x%08x\n", i / 2, i % 2, word);
    }
}

static void dump_job(struct walk *k, uint64_t va, const struct mali_job_header *h)
{
    fprintf(k->out, "job_header at 0x%llx\n", (unsigned long long)va);
    mali_job_header_print(k->variant->architecture, k->out, INDENT, h);
    va += MALI_JOB_HEADER_BYTES;
    if (h->type == MALI_JOB_TYPE_COMPUTE) {
        dump_compute(k, va);
    } else if (h->type == MALI_JOB_TYPE_WRITE_VALUE) {
        struct mali_write_value_payload p;

        SHOW(k, write_value_payload, WRITE_VALUE_PAYLOAD, va, &p);
    } else if (h->type == MALI_JOB_TYPE_CACHE_FLUSH) {
        struct mali_cache_flush_payload p;

        SHOW(k, cache_flush_payload, CACHE_FLUSH_PAYLOAD, va, &p);
    }
}

void run_dump_jobs(const struct gpu_snapshot *s, const struct gpu_variant *variant, FILE *out)
{
    each_job(&(struct walk){.s = s, .variant = variant, .out = out}, dump_job);
}

/* ---- shaders --------------------------------------------------------------------------------- */

static void print_bytes(FILE *out, const uint8_t *code, size_t bytes)
{
    fputs("//= ", out);
    for (size_t i = 0; i < bytes; i++)
        fprintf(out, "%02x", code[i]);
    fputc('\n', out);
}

static bool print_bundle(void *opaque, const struct gpu_walked *bundle)
{
    struct walk *k = opaque;

    if (k->bundles++ >= MAX_BUNDLES) {
        fprintf(k->out, "0x%llx: and more %ss\n", (unsigned long long)bundle->address,
                k->isa->bundle_name);
        return false;
    }
    if (!bundle->bytes) {
        fprintf(k->out, "0x%llx: no valid %s\n", (unsigned long long)bundle->address,
                k->isa->bundle_name);
        return true;
    }
    fprintf(k->out, "%s_%u:\n", k->isa->bundle_name, bundle->index);
    if (k->bytes)
        print_bytes(k->out, bundle->code, bundle->bytes);
    fprintf(k->out, "%s\n", bundle->text);
    return true;
}

/* Notes a shader as printed. False: it was noted before, since draws of a chain share shaders. */
static bool note_printed(struct walk *k, uint64_t start)
{
    for (size_t i = 0; i < k->printed.len; i++)
        if (k->printed.data[i] == start)
            return false;
    vec_push(&k->printed, start);
    return true;
}

static void print_shader(struct walk *k, uint64_t start, uint32_t uniforms)
{
    if (!note_printed(k, start))
        return;
    fprintf(k->out, "%sshader at 0x%llx\n", k->bytes ? "// " : "", (unsigned long long)start);
    gpu_walk_shader(k->isa, &k->s->space, start, uniforms, print_bundle, k);
}

/* The shader of a draw for one stage; a draw that only writes depth has none for its fragments. */
static void disassemble_stage(struct walk *k, const struct mali_draw *draw,
                              enum gpu_job_stage stage)
{
    struct gpu_compute_job job = {.stage = stage};
    struct mali_renderer_state state;
    struct gpu_outcome ignored; /* the run that follows says what is wrong */

    if (gpu_stage_read(k->variant, &k->s->space, draw, &job, &state, &ignored) &&
        job.shader_address)
        print_shader(k, job.shader_address, job.uniform_words);
    gpu_compute_job_release(&job);
}

static void disassemble_job(struct walk *k, uint64_t va, const struct mali_job_header *h)
{
    va += MALI_JOB_HEADER_BYTES;
    if (h->type == MALI_JOB_TYPE_COMPUTE) {
        struct mali_compute_payload p;
        struct mali_renderer_state state;

        if (READ(k, compute_payload, COMPUTE_PAYLOAD, va, &p) &&
            READ(k, renderer_state, RENDERER_STATE, p.draw.state, &state))
            print_shader(k, state.shader, uniform_words(&state));
    } else if (h->type == MALI_JOB_TYPE_VERTEX) {
        struct mali_compute_payload p;

        if (READ(k, compute_payload, COMPUTE_PAYLOAD, va, &p))
            disassemble_stage(k, &p.draw, GPU_STAGE_VERTEX);
    } else if (h->type == MALI_JOB_TYPE_TILER) {
        struct mali_tiler_payload p;

        if (READ(k, tiler_payload, TILER_PAYLOAD, va, &p))
            disassemble_stage(k, &p.draw, GPU_STAGE_FRAGMENT);
    } else if (h->type == MALI_JOB_TYPE_INDEXED_VERTEX) {
        struct mali_indexed_vertex_payload p;

        if (!READ(k, indexed_vertex_payload, INDEXED_VERTEX_PAYLOAD, va, &p))
            return;
        disassemble_stage(k, &p.vertex_draw, GPU_STAGE_VERTEX);
        if (p.primitive.secondary_shader)
            disassemble_stage(k, &p.vertex_draw, GPU_STAGE_VARYING);
        disassemble_stage(k, &p.fragment_draw, GPU_STAGE_FRAGMENT);
    }
}

void run_disassemble(const struct gpu_snapshot *s, const struct gpu_variant *variant,
                     const struct gpu_isa *isa, bool bytes, FILE *out)
{
    struct walk k = {.s = s, .variant = variant, .isa = isa, .out = out, .bytes = bytes};

    each_job(&k, disassemble_job);
    vec_free(&k.printed);
}
