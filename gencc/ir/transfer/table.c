/*
 * The table of transfer functions. Who adds an operation adds its row here; an empty row is right,
 * and says that nothing is known of the operation.
 */
#include "gencc/ir/transfer/rules.h"

enum { FIRST = 1, SECOND = 2, BOTH = 3 }; /* operands, as sets in `want_reads` */

#define BINARY_RANGE(rule) .range = (rule), .range_operands = 2
#define UNARY_RANGE(rule)  .range = (rule), .range_operands = 1
#define JOIN(from, step)   .join_from = (from), .join_step = (step)
#define ORDER              .range = range_truth, .known = known_order, .explain = explain_comparison
#define EQUALITY                                                                              \
    .range = range_truth, .known = known_equality, .want = want_equality, .want_reads = BOTH, \
    .explain = explain_comparison
#define ROTATION \
    BINARY_RANGE(range_rotation), .known = known_shift, .want = want_shift, .want_reads = SECOND

const struct ir_transfer ir_transfers[IR_OP_COUNT] = {
    [IR_PARAM] = {.place = place_param},
    [IR_FIELD] = {.range = range_field, .place = place_field},
    [IR_WORD] = {.place = place_word},
    [IR_PHI] = {JOIN(0, 1), .demand = demand_same},

    [IR_ADD] = {BINARY_RANGE(range_sum), .opaque = true, .known = known_sum, .want = want_sum,
                .want_reads = BOTH, .explain = explain_sum},
    [IR_SUB] = {BINARY_RANGE(range_difference), .opaque = true, .known = known_sum,
                .want = want_sum, .want_reads = BOTH, .explain = explain_sum},
    [IR_MUL] = {BINARY_RANGE(range_product), .known = known_sum, .want = want_product,
                .want_reads = BOTH, .explain = explain_product},
    [IR_DIV] = {BINARY_RANGE(range_quotient)},
    [IR_MOD] = {BINARY_RANGE(range_quotient)},
    [IR_NEG] = {.want = want_negation, .explain = explain_sum},
    [IR_NOT] = {UNARY_RANGE(range_not), .known = known_not, .want = want_not, .demand = demand_same,
                .explain = explain_same},
    [IR_AND] = {BINARY_RANGE(range_and), .known = known_and, .want = want_and, .want_reads = BOTH,
                .demand = demand_and, .explain = explain_and},
    [IR_OR] = {BINARY_RANGE(range_or), .known = known_or, .want = want_or, .want_reads = BOTH,
               .demand = demand_same, .explain = explain_or},
    [IR_XOR] = {BINARY_RANGE(range_xor), .opaque = true, .known = known_xor, .want = want_xor,
                .want_reads = BOTH, .demand = demand_same, .explain = explain_same},
    [IR_SHL] = {BINARY_RANGE(range_left), .known = known_shift, .want = want_shift,
                .want_reads = SECOND, .demand = demand_left, .explain = explain_shift},
    [IR_SHR] = {BINARY_RANGE(range_right), .known = known_shift, .want = want_shift,
                .want_reads = SECOND, .demand = demand_right, .explain = explain_shift},
    [IR_ROL] = {ROTATION},
    [IR_ROR] = {ROTATION},

    [IR_EQ] = {EQUALITY},
    [IR_NE] = {EQUALITY},
    [IR_LT] = {ORDER},
    [IR_LE] = {ORDER},
    [IR_GT] = {ORDER},
    [IR_GE] = {ORDER},

    /* Known and wanted bits: by the solver, which follows a decided condition. */
    [IR_SELECT] = {JOIN(1, 1), .demand = demand_chosen, .explain = explain_choice},
    [IR_CONVERT] = {UNARY_RANGE(range_conversion), .known = known_conversion,
                    .want = want_conversion, .demand = demand_conversion,
                    .explain = explain_conversion},
    [IR_BITCAST] = {UNARY_RANGE(range_bitcast), .known = known_bitcast, .want = want_bitcast},
    [IR_SPLAT] = {JOIN(0, 1)},
    [IR_EXTRACT] = {UNARY_RANGE(range_lane)},
    [IR_INSERT] = {JOIN(0, 2)},
    [IR_BUILD] = {JOIN(0, 1)},
    [IR_CONCAT] = {JOIN(0, 1)},

    [IR_INTRINSIC] = {.range = range_intrinsic},
    [IR_CBR] = {.explain = explain_branch},
};
