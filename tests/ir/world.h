/*
 * A small invented machine that IR is tested on: overlapping registers, an instruction format,
 * intrinsics whose calls are recorded, external C functions.
 */
#ifndef TESTS_IR_WORLD_H
#define TESTS_IR_WORLD_H

#include "gencc/ir/ir.h"
#include "gencc/model/model.h"

enum {
    WORLD_STATE = 512,
    WORLD_VIEWS = 6,
    WORLD_FIELDS = 5,
    WORLD_FNS = 24,
};

struct world {
    struct arena arena;
    struct diag diag;
    char *messages; /* what diag has printed, after world_messages() */
    size_t messages_size;
    struct reg_view views[WORLD_VIEWS];
    struct format format;
    struct field fields[WORLD_FIELDS];
    struct ir_callee *fns[WORLD_FNS];
    unsigned fn_count;
    VEC(struct ir_func *) funcs;
    struct ir_names names;
    /* state of one run */
    uint8_t state[WORLD_STATE];
    u128 computed[WORLD_FIELDS];
    uint64_t trace; /* hash of all calls with an effect, in their order */
    unsigned calls;
    unsigned leave_at; /* number of the call that leaves the behaviour; 0: none */
    struct ir_machine machine;
};

/* Makes the machine and its functions. Release with world_close(). */
void world_open(struct world *w);
void world_close(struct world *w);

/* Clears the last run; `seed` determines registers, word and fields. */
void world_reset(struct world *w, uint64_t seed);

/* Return the function, or the register view, of that name. */
struct ir_callee *world_fn(struct world *w, const char *name);
struct reg_view *world_view(struct world *w, const char *name);

/* Returns the messages since the last call. */
const char *world_messages(struct world *w);

/* Parses one function and makes it callable. Returns NULL after a message. */
struct ir_func *world_parse(struct world *w, const char *text);
/* Returns the text form of a function. */
char *world_print(struct world *w, const struct ir_func *f);

/* Returns the next number of a xorshift sequence. */
uint64_t random_next(uint64_t *seed);

#endif
