/*
 * Bundles that are inspected: executed stage by stage.
 *
 * The operations of a bundle call each other up to the one with the mark `last`. Here the last
 * operation of each stage gets the mark while the stage runs. Bundles are not shared, as inspected
 * cores have one thread.
 */
#include "runtime/gpu/inspect.h"

#include "runtime/gpu/lane.h"
#include "runtime/gpu/shader/core.h"

static struct gpu_op *next_op(struct gpu_op *op)
{
    return (struct gpu_op *)(void *)((char *)op + op->bytes);
}

/* The last operation of the stage whose first is `op`. Copies of results have stage 0, and belong
 * to the stage that they follow. */
static struct gpu_op *end_of_stage(struct gpu_op *op)
{
    unsigned stage = op->stage;

    while (!op->last && next_op(op)->stage <= stage) {
        op = next_op(op);
        stage = op->stage > stage ? op->stage : stage;
    }
    return op;
}

static void execute_stages(struct gpu_worker *k, struct gpu_warp *w, struct gpu_code *code)
{
    const struct gpu_inspector *in = k->cores->inspector;

    for (struct gpu_op *first = code->ops;;) {
        struct gpu_op *end = end_of_stage(first);
        uint8_t last = end->last;

        end->last = 1;
        first->exec(w, first);
        end->last = last;
        if (last)
            return;
        first = next_op(end);
        in->stage(in->opaque, &(struct gpu_inspected){k, w, code, first->stage});
    }
}

void gpu_inspect_bundle(struct gpu_worker *k, struct gpu_warp *w, struct gpu_code *code)
{
    const struct gpu_inspector *in = k->cores->inspector;
    struct gpu_inspected at = {k, w, code, 0};

    if (!in->begin(in->opaque, &at))
        return;
    execute_stages(k, w, code);
    in->end(in->opaque, &at);
}
