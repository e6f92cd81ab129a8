/* Appending guest instructions to a trace, one by one. */
#include <stdio.h>

#include "runtime/jit/quick/commit.h"
#include "runtime/jit/quick/job.h"
#include "runtime/jit/quick/tier.h"

/* Leaves an instruction to its handler; no register's value is known afterwards. */
static void append_handler(struct quick *q, unsigned source, unsigned index)
{
    struct quick_trace *t = q->trace;

    q_append(q, (struct q_node){.op = Q_HANDLER, .imm = (uint64_t)source << 16 | index});
    memset(t->now, 0, (q->map->slots.len + 1) * sizeof(*t->now));
    memset(t->shared, 0, sizeof(t->shared));
}

/* The end of a block whose last instruction is left to its handler. */
static struct commit_end after_handler(struct quick *q)
{
    uint32_t pc = q_append(q, (struct q_node){.op = Q_CPU_MEMBER,
                                              .type = JIT_U64,
                                              .result = JIT_U64,
                                              .known = 64,
                                              .imm = offsetof(struct cpu, pc)});

    return (struct commit_end){.value = q_value_of(pc, JIT_U64), .mode = Q_SAME_MODE};
}

/* Why an instruction is left to its handler before its translator is tried; NULL: it is tried. */
static const char *why_handler(const struct quick *q, unsigned source, unsigned index,
                               insn_translate_fn *translate)
{
    if (!translate)
        return "it has no translator";
    if (q->tier->jit->options.handlers)
        return "option -jit-handlers";
    if (quick_prefers_handler(q_facts_of(q, source), index))
        return "it deoptimised often, with all its paths translated";
    return NULL;
}

struct commit_end q_append_insn(struct quick *q, unsigned source, unsigned index,
                                const int64_t *next)
{
    const struct source *s = &q->r->sources[source];
    const struct insn *i = source_insn(q->r, s, index);
    bool last = index + 1 == s->count;
    insn_translate_fn *translate = isa_map_translator(q->map, i);
    const char *why = why_handler(q, source, index, translate);
    struct commit_end end = {0};

    if (!why) {
        record_begin(q, i, source, index, last);
        q->record->all_ways = quick_wants_all_ways(q_facts_of(q, source), index);
        translate((struct jit_build *)(void *)q, i);
        record_end(q);
        if (commit_insn(q, next, &end))
            return end;
        why = q->trace->refused;
    }
    if (q->tier->jit->options.dump)
        fprintf(stderr, "%s is left to its handler: %s\n", q->map->isa->forms[i->form].name, why);
    append_handler(q, source, index);
    return last ? after_handler(q) : end;
}
