/*
 * Evaluates one instruction from its IR; see evaluate.h.
 */
#include "gencc/referee/evaluate.h"

#include <string.h>

/* The reason why an evaluation did not finish. */
static const char *outcome_text(const struct ir_machine *m, enum ir_outcome outcome)
{
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

const char *evaluate_fields(struct ir_machine *m, const struct form *form, u128 word,
                            u128 fields[EVALUATE_MAX_FIELDS])
{
    static struct ir_data argument, result;
    enum ir_outcome outcome;

    if (form->instr->format->fields.len > EVALUATE_MAX_FIELDS)
        return "more fields than there is room for";
    memset(fields, 0, EVALUATE_MAX_FIELDS * sizeof(*fields));
    m->word = word;
    m->fields = fields;
    argument.lane[0] = word;
    outcome = ir_eval(m, form->decode, &argument, &result);
    return outcome == IR_DONE && (uint8_t)result.lane[0] ? NULL : outcome_text(m, outcome);
}

const char *evaluate_form(struct ir_machine *m, const struct form *form, u128 word,
                          bool (*has_left)(void *opaque))
{
    static u128 fields[EVALUATE_MAX_FIELDS];
    static struct ir_data result;
    const char *broke = evaluate_fields(m, form, word, fields);
    enum ir_outcome outcome;

    if (broke)
        return broke;
    outcome = ir_eval(m, form->exec, NULL, &result);
    if (outcome == IR_DONE || (outcome == IR_LEFT && (!has_left || has_left(m->opaque))))
        return NULL;
    return outcome_text(m, outcome);
}
