#include "tests/diff/evaluate.h"

#include <string.h>

enum { MAX_FIELDS = 64 };

const char *evaluate_form(struct ir_machine *m, const struct form *form, uint32_t word,
                          bool (*has_left)(void *opaque))
{
    static u128 fields[MAX_FIELDS];
    static struct ir_data argument, result;
    enum ir_outcome outcome;

    if (form->instr->format->fields.count > MAX_FIELDS)
        return "more fields than the test has room for";
    memset(fields, 0, sizeof(fields));
    m->word = word;
    m->fields = fields;
    argument.lane[0] = word;
    outcome = ir_eval(m, form->decode, &argument, &result);
    if (outcome == IR_DONE && (uint8_t)result.lane[0]) {
        outcome = ir_eval(m, form->exec, NULL, &result);
        if (outcome == IR_DONE || (outcome == IR_LEFT && has_left(m->opaque)))
            return NULL;
    }
    switch (outcome) {
    case IR_LIMIT:
        return "the evaluator does not end";
    case IR_NO_FN:
        return m->missing;
    case IR_DONE:
        return "the decode function refuses the word";
    default:
        return "the evaluator left without a reason";
    }
}
