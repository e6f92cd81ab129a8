/*
 * Executes a function of the IR on terms: all paths at once, with a guard for each.
 */
#ifndef GENCC_EXPORT_SYMBOLIC_H
#define GENCC_EXPORT_SYMBOLIC_H

#include "gencc/export/cells.h"
#include "gencc/ir/ir.h"

/* Why an instruction left; the numbers are in the scripts. */
enum leaving {
    LEFT_NOT,
    LEFT_EXCEPTION, /* take_exception(class, code) */
    LEFT_UNDEFINED, /* undefined_instruction() */
    LEFT_FAULT,     /* take_memory_fault(address, access, code) */
    LEFT_ACCESS,    /* a memory access that fails: address, bytes, 1 for a write */
    LEFT_TRAP,      /* trap() */
};
enum { LEAVING_ARGS = 3 };

/* The machine at a point of a path */
struct sym_state {
    const struct term **groups;   /* by group; NULL: as before the instruction */
    const struct term **features; /* by feature; likewise */
    const struct term *memory, *world;
    const struct term *branches; /* whether the PC was written */
    const struct term *target;   /* the PC that was written */
};

/* A path that left the instruction; LEFT_NOT: all that reach its end */
struct sym_exit {
    const struct term *guard;
    struct sym_state state;
    enum leaving kind;
    const struct term *args[LEAVING_ARGS]; /* of 64 bits; NULL: none */
};

struct symbolic {
    struct arena *arena;
    struct terms *terms;
    const struct model *model;
    const struct isa *isa;
    const struct cells *cells;
    const struct form *form;
    const struct term *word;    /* the instruction word, without its context */
    const struct term *context; /* the decode context; NULL: none */
    const struct term *pc;
    const struct term **fields; /* by field->index: computed fields; NULL: none */
    VEC(struct sym_exit) exits;
    const char *refused; /* what of the instruction cannot be said; NULL: nothing */
    struct src_pos refused_pos;
    unsigned depth; /* nesting of calls */
    unsigned steps; /* values executed, against explosions */
};

/* The lanes of a value */
typedef const struct term *const *sym_lanes;

/* A new state in which nothing has changed. */
struct sym_state symbolic_start(struct symbolic *s);

/* Executes a function of one word without state: decode functions. Sets s->fields and returns
 * whether the word is accepted. NULL after setting s->refused. */
const struct term *symbolic_decode(struct symbolic *s, const struct ir_func *f);
/* Executes a behaviour; all its ends are in s->exits. False after setting s->refused. */
bool symbolic_execute(struct symbolic *s, const struct ir_func *f);

/* The value of a group of registers, or of a feature, in a state. */
const struct term *symbolic_group(struct symbolic *s, const struct sym_state *st, unsigned group);
const struct term *symbolic_feature(struct symbolic *s, const struct sym_state *st,
                                    const struct feature *f);

/* The value of a raw field of the word. */
const struct term *symbolic_field(struct symbolic *s, const struct field *f);

/* ---- between the files of the executor ------------------------------------------------------- */

/* The run of one function */
struct sym_frame {
    struct symbolic *s;
    const struct ir_func *f;
    const sym_lanes *args;
    sym_lanes *slots; /* by value->id; calls have their outputs behind each other */
    sym_lanes *vars;  /* by variable->id */
    struct sym_state state;
    const struct term *guard; /* of the point that is executed */
};

/* Says once what cannot be expressed. Returns false. */
bool symbolic_refuse(struct symbolic *s, const struct ir_value *v, const char *what);

/* The lanes of a pure operation. NULL after refusing. */
sym_lanes symbolic_value(struct sym_frame *fr, const struct ir_value *v);
/* Calls of intrinsics and external functions: result and outputs, one behind the other. */
sym_lanes symbolic_call_fn(struct sym_frame *fr, const struct ir_value *v);
/* What a pure intrinsic computes; NULL: it has no expression and is a function by name. */
const struct term *symbolic_pure(struct terms *t, enum ir_intrinsic i,
                                 const struct term *const *args);
/* Executes a helper. */
bool symbolic_call(struct sym_frame *fr, const struct ir_value *v);

/* Room for the lanes of a value of `type` */
const struct term **symbolic_lanes(struct symbolic *s, unsigned n);
/* Lanes of the n-th output of a call (0: the result). */
sym_lanes symbolic_output(const struct sym_frame *fr, const struct ir_value *call, unsigned n);
unsigned symbolic_outputs(const struct ir_value *call);

#endif
