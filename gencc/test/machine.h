/*
 * One CPU of a description, executed by the evaluator of the IR: state, code, memory, and how an
 * instruction leaves.
 */
#ifndef GENCC_TEST_MACHINE_H
#define GENCC_TEST_MACHINE_H

#include "gencc/abi/facts.h"
#include "gencc/disasm/disasm.h"

enum {
    PAGE_BYTES = 4096, /* of code, and of memory */
    MAX_MODES = 4,     /* ISAs, by mode */
    MAX_FEATURES = 256
};

enum leaving {
    WENT_ON,
    TOOK_EXCEPTION, /* number: its class */
    WAS_UNDEFINED,
    TOOK_FAULT,  /* number: the fault's code; va: the address */
    MISSED,      /* an access of va, where nothing is mapped */
    STRAYED,     /* an access of va, where only the other side has memory */
    UNSUPPORTED, /* broke: what the evaluator or a test cannot do */
};

/* Everything that an instruction can change but the registers. */
struct cpu_world {
    uint64_t pc;
    unsigned mode, ring;
    bool event;
    uint32_t features[MAX_FEATURES];
    uint8_t memory[PAGE_BYTES];
    enum leaving leaving;
    uint32_t number;
    uint64_t va;
    uint32_t word; /* the word that was executed last */
    const char *broke;
};

struct machine {
    const struct model *model;
    const struct abi_facts *facts;
    struct isa *isa[MAX_MODES];
    struct text *text[MAX_MODES];
    uint64_t code_at, memory_at;    /* addresses of the pages */
    uint64_t other_at, other_bytes; /* the other side's memory, with these pages */
    uint8_t code[PAGE_BYTES];
    struct cpu_world w;
    uint8_t *state;   /* model->state_bytes */
    uint8_t *touched; /* per byte of state: whether it was read or written; never cleared here */
    bool wrote_pc, changed_context;
    uint64_t next_pc;
};

/* A copy of a machine's world and registers. */
struct snapshot {
    struct cpu_world w;
    uint8_t *state;
};

/* Prepares ISAs and state; `machine` is zeroed but for its model. Returns false after reporting. */
bool machine_prepare(struct machine *m);

void machine_save(const struct machine *m, struct snapshot *s);
void machine_load(struct machine *m, const struct snapshot *s);

/* Decodes the word at the PC; NULL if it is undefined. *width receives its bits. */
struct form *machine_decode(struct machine *m, u128 *word, unsigned *width);
/* Executes the instruction at the PC. m->w.leaving says how it ended; the PC is then that of the
 * next instruction, or of this one if it did not go on. */
void machine_step(struct machine *m);
/* The description's signal, such as "SIGSEGV", for how the last instruction left. */
const char *machine_signal(const struct machine *m);

/* Evaluates a function of the description: `count` arguments. Returns false if it left. */
bool machine_call(struct machine *m, const struct ir_func *f, unsigned count, const uint64_t *args,
                  uint64_t *result);
/* The exported helper of this name, or NULL. */
const struct ir_func *machine_export(const struct machine *m, const char *name);

#endif
