/*
 * The rules that the table of transfer functions consists of, by file, and what they share.
 */
#ifndef GENCC_IR_TRANSFER_RULES_H
#define GENCC_IR_TRANSFER_RULES_H

#include "gencc/ir/transfer/facts.h"
#include "gencc/ir/transfer/transfer.h"

/* leaves.c: copies of the word, results of intrinsics. */
ir_place_rule place_field, place_param, place_word;
ir_range_rule range_field, range_intrinsic;

/* gates.c: AND, OR, XOR, NOT. `same`: a result bit depends on the same bit of each operand. */
ir_range_rule range_and, range_or, range_xor, range_not;
ir_known_rule known_and, known_or, known_xor, known_not;
ir_want_rule want_and, want_or, want_xor, want_not;
ir_demand_rule demand_and, demand_same;
ir_explain_rule explain_and, explain_or, explain_same;

/* sums.c: ADD, SUB, MUL, DIV, MOD, NEG. */
ir_range_rule range_sum, range_difference, range_product, range_quotient;
ir_known_rule known_sum;
ir_want_rule want_sum, want_product, want_negation;
ir_explain_rule explain_sum, explain_product;

/* shifts.c: SHL, SHR, ROL, ROR. */
ir_range_rule range_left, range_right, range_rotation;
ir_known_rule known_shift;
ir_want_rule want_shift;
ir_demand_rule demand_left, demand_right;
ir_explain_rule explain_shift;

/* choices.c: comparisons, SELECT, CBR. */
ir_range_rule range_truth;
ir_known_rule known_equality, known_order;
ir_want_rule want_equality;
ir_demand_rule demand_chosen;
ir_explain_rule explain_comparison, explain_choice, explain_branch;

/* conversions.c: CONVERT, BITCAST, EXTRACT. */
ir_range_rule range_conversion, range_bitcast, range_lane;
ir_known_rule known_conversion, known_bitcast;
ir_want_rule want_conversion, want_bitcast;
ir_demand_rule demand_conversion;
ir_explain_rule explain_conversion;

#endif
