/*
 * The texture unit behind a pipe: memory, descriptors and requests as lines of text.
 *
 *     version N             version of the GPU's descriptors
 *     put ADDRESS HEX       writes bytes to memory; ADDRESS is decimal
 *     textures N ADDRESS    the job's texture descriptors; hexadecimal
 *     samplers N ADDRESS
 *     thread fragment       threads are those of fragments, and have neighbours; helper: it is one
 *                           of those that only complete a quad; compute: as at first
 *     ask OPERATION WHICH=HEX …    a request; operands by number (enum gpu_texture_operand)
 *     run                   runs a job; answers each request by four words, or by its refusal
 *
 * Memory begins at BENCH_DATA; its contents stay for later jobs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mali_layout.h"
#include "runtime/gpu/lane_memory.h"
#include "runtime/gpu/shader/core.h"
#include "runtime/gpu/texture/texture.h"
#include "tests/gpu_core/bench.h"

enum {
    LANES = 4,
    ASKED = 4096,
    DRAW = BENCH_JOB + MALI_JOB_HEADER_BYTES + MALI_COMPUTE_PAYLOAD_DRAW_OFFSET,
    LINE = 1 << 20,
};

static struct asked {
    uint32_t operation, operand[GPU_TEXTURE_OPERANDS];
} asked[ASKED];
static unsigned asked_count;
static bool is_fragment, is_helper;

static void answer_request(struct gpu_warp *w, const struct asked *a)
{
    for (uint32_t i = 0; i < GPU_TEXTURE_OPERANDS; i++)
        gpu_texture_operand(w, i, a->operand[i]);
    gpu_texture_request(w, NULL, 0, a->operation);
    if (w->faulted != GPU_FAULT_NONE)
        printf("refused %s\n", w->refused_detail ? w->refused_detail : "memory");
    else
        printf("%08" PRIx32 " %08" PRIx32 " %08" PRIx32 " %08" PRIx32 "\n",
               gpu_texture_result(w, 0), gpu_texture_result(w, 1), gpu_texture_result(w, 2),
               gpu_texture_result(w, 3));
    w->faulted = GPU_FAULT_NONE;
    w->refused_detail = NULL;
}

static void answer_requests(const struct gpu_warp *w)
{
    struct gpu_warp *own = (struct gpu_warp *)(uintptr_t)w;
    struct gpu_compute_job *job = &own->core->worker->cores->job->job;
    enum gpu_job_stage stage = job->stage;

    if (is_fragment)
        job->stage = GPU_STAGE_FRAGMENT;
    own->helpers = is_helper;
    for (unsigned i = 0; i < asked_count; i++)
        answer_request(own, &asked[i]);
    asked_count = 0;
    own->helpers = 0;
    job->stage = stage;
}

#define PUT(b, at, NAME, value) bench_put(b, at, MALI_##NAME##_BIT, MALI_##NAME##_WIDTH, value)

static bool put_bytes(struct bench *b, const char *text)
{
    char *hex;
    uint64_t at = strtoull(text, &hex, 0);

    hex += strspn(hex, " ");
    for (; hex[0] && hex[1]; hex += 2) {
        unsigned byte;

        if (at >= sizeof(b->memory) || sscanf(hex, "%2x", &byte) != 1)
            return false;
        b->memory[at++] = (uint8_t)byte;
    }
    return true;
}

static bool add_request(char *text)
{
    struct asked *a = &asked[asked_count];
    char *rest, *word = strtok_r(text, " ", &rest);

    if (asked_count == ASKED || !word)
        return false;
    *a = (struct asked){.operation = (uint32_t)strtoul(word, NULL, 0)};
    while ((word = strtok_r(NULL, " ", &rest)) != NULL) {
        unsigned which;
        uint32_t value;

        if (sscanf(word, "%u=%" SCNx32, &which, &value) != 2 || which >= GPU_TEXTURE_OPERANDS)
            return false;
        a->operand[which] = value;
    }
    asked_count++;
    return true;
}

static bool run_requests(struct bench *b)
{
    bool done = bench_run(b, 1).progress == GPU_PROGRESS_DONE;

    fputs(done ? "done\n" : "failed\n", stdout);
    fflush(stdout);
    asked_count = 0;
    return true;
}

static bool obey_line(struct bench *b, char *line)
{
    unsigned n;
    uint64_t at;

    line[strcspn(line, "\n")] = 0;
    if (sscanf(line, "version %u", &n) == 1) {
        b->variant.architecture = n;
    } else if (sscanf(line, "textures %u %" SCNx64, &n, &at) == 2) {
        PUT(b, BENCH_STATE, RENDERER_STATE_TEXTURE_COUNT, n);
        PUT(b, DRAW, DRAW_TEXTURES, at);
    } else if (sscanf(line, "samplers %u %" SCNx64, &n, &at) == 2) {
        PUT(b, BENCH_STATE, RENDERER_STATE_SAMPLER_COUNT, n);
        PUT(b, DRAW, DRAW_SAMPLERS, at);
    } else if (!strncmp(line, "thread ", 7)) {
        is_helper = !strcmp(line + 7, "helper");
        is_fragment = is_helper || !strcmp(line + 7, "fragment");
    } else if (!strncmp(line, "put ", 4)) {
        return put_bytes(b, line + 4);
    } else if (!strncmp(line, "ask ", 4)) {
        return add_request(line + 4);
    } else {
        return !strcmp(line, "run") && run_requests(b);
    }
    return true;
}

int main(void)
{
    static char line[LINE];
    struct bench *b = bench_new(LANES, 1, 1);
    int status = 0;

    bench_simple(b, GPU_BUNDLE_END, toy_word(TOY_DUMP, 0, 0, 0), 0, 0, TOY_REGISTERS);
    toy_dump = answer_requests;
    while (!status && fgets(line, sizeof(line), stdin))
        if (!obey_line(b, line)) {
            fprintf(stderr, "probe: not understood: %.60s\n", line);
            status = 2;
        }
    bench_free(b);
    return status;
}
