/* Failures of jobs, and messages about what the GPU cannot execute, for the host's log. Each
 * kind is reported once. */
#include "runtime/gpu/shader/core.h"

#include <inttypes.h>
#include <stdlib.h>

#include "common/asm_text.h"
#include "runtime/base/alloc.h"

enum { SHOWN_BYTES = 16 }; /* shown bytes of a bundle in which no instruction is found */

static void describe_bytes(const struct gpu_code *code, struct gpu_refusal *r)
{
    int at = code->missing
                 ? snprintf(r->text, sizeof(r->text),
                            "a bundle that requires the feature %s, at %#" PRIx64 ":",
                            code->missing, code->address)
                 : snprintf(r->text, sizeof(r->text),
                            "a bundle that cannot be decoded, at %#" PRIx64 ":", code->address);

    r->detail = code->missing;
    for (unsigned i = 0; i < SHOWN_BYTES && i < code->bytes && at < (int)sizeof(r->text); i++)
        at += snprintf(r->text + at, sizeof(r->text) - (size_t)at, " %02x", code->raw[i]);
}

void gpu_refusal_describe(const struct gpu_worker *k, const struct gpu_warp *w,
                          const struct gpu_code *code, struct gpu_refusal *r)
{
    const struct gpu_isa *isa = k->cores->decoder.isa;
    const struct gpu_op *op = w->refused;
    char word[40];
    struct asm_out text = {.text = word, .size = sizeof(word)};
    struct gpu_bundle bundle;
    gpu_word bits;

    if (!op || !isa->unpack(code->raw, code->bytes, code->address, &bundle)) {
        describe_bytes(code, r);
        return;
    }
    r->name = isa->unit[op->unit]->forms[op->form].name;
    r->detail = w->refused_detail;
    bits = bundle.stage[op->stage].word[op->unit];
    asm_put_wide(&text, (uint64_t)(bits >> 64), (uint64_t)bits);
    snprintf(r->text, sizeof(r->text),
             "%s%s%s (%s word %s, stage %u of the bundle at %#" PRIx64 ")", r->name,
             r->detail ? ": " : "", r->detail ? r->detail : "", isa->unit[op->unit]->name, word,
             op->stage, code->address);
}

const char *gpu_refusal_keep(struct gpu_cores *c, const struct gpu_refusal *r)
{
    struct gpu_refusal *kept;

    for (const struct gpu_refusal *k = c->refusals; k; k = k->next)
        if (k->name == r->name && k->detail == r->detail)
            return NULL;
    kept = xcalloc(1, sizeof(*kept));
    *kept = *r;
    kept->next = c->refusals;
    c->refusals = kept;
    return kept->text;
}

void gpu_refusals_free(struct gpu_cores *c)
{
    while (c->refusals) {
        struct gpu_refusal *r = c->refusals;

        c->refusals = r->next;
        free(r);
    }
}

void gpu_worker_fail(struct gpu_worker *k, uint32_t error, uint64_t address,
                     const struct gpu_refusal *refusal)
{
    struct gpu_cores *c = k->cores;
    struct gpu_compute *job = c->job;

    pthread_mutex_lock(&c->lock);
    if (job->error == GPU_JOB_OK || k->group->index < job->error_group) {
        job->error = error;
        job->error_address = address;
        job->error_group = k->group->index;
        job->refusal = refusal ? *refusal : (struct gpu_refusal){0};
    }
    pthread_mutex_unlock(&c->lock);
}
