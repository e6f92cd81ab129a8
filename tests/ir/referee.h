/* Operations computed on gcc's own types; make_referee.py writes the table. */
#ifndef TESTS_IR_REFEREE_H
#define TESTS_IR_REFEREE_H

#include "gencc/ir/ir.h"

struct referee {
    enum ir_op op;
    struct ir_type result;
    unsigned n;
    struct ir_type args[3];
    void (*compute)(const void *const *in, void *out);
};

extern const struct referee referees[];
extern const unsigned referee_count;

#endif
