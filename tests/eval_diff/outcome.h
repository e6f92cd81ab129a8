/*
 * The state before and after an instruction, which both sides of the comparison share: the register
 * blob, memory, and the rest of the CPU.
 */
#ifndef TESTS_EVAL_DIFF_OUTCOME_H
#define TESTS_EVAL_DIFF_OUTCOME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The address space, physical addresses like virtual ones: a page of code, which can be read; and
 * four pages of memory: two for all, one for ring 1 and higher, one that is read-only.
 */
#define CODE   UINT64_C(0x04000000)
#define MEMORY UINT64_C(0x20000000)
enum {
    CODE_BYTES = 4096,
    MEMORY_PAGES = 4,
    MEMORY_BYTES = MEMORY_PAGES * 4096,
    FAULT_NOTHING = 7,  /* nothing is mapped there */
    FAULT_DENIED = 0xf, /* something that the ring may not use so */
    MAX_FEATURES = 32,
    MAX_EFFECTS = 16,
    BREAKPOINTS = 32, /* as a CPU has them */
    WATCHPOINTS = 16,
    STATE_BYTES = 8192, /* at most, of a register blob */
};

enum access { ACCESS_READ, ACCESS_WRITE, ACCESS_FETCH };

/* 0, or the fault of an access to one address. */
static inline uint32_t access_fault(uint64_t va, enum access access, unsigned ring)
{
    if (va - CODE < CODE_BYTES)
        return access == ACCESS_WRITE ? FAULT_DENIED : 0;
    if (va - MEMORY >= MEMORY_BYTES)
        return FAULT_NOTHING;
    switch ((va - MEMORY) / 4096) {
    case 2:
        return ring ? 0 : FAULT_DENIED;
    case 3:
        return access == ACCESS_WRITE ? FAULT_DENIED : 0;
    default:
        return 0;
    }
}

/* The values that devices, firmware and configuration return. */
static inline uint64_t device_value(unsigned device, uint32_t reg)
{
    return (device + 1) * UINT64_C(0x9e3779b97f4a7c15) ^ (reg + 1) * UINT64_C(0xd1342543de82ef95);
}
static inline bool firmware_serves(uint32_t conduit, uint32_t imm)
{
    return (conduit ^ imm) & 1;
}
static inline uint64_t config_value(unsigned number)
{
    return device_value(100, number);
}

/* An instruction as it lies in memory. */
struct code_bytes {
    uint8_t byte[4];
    unsigned count;
};

/* Something done to the surroundings. */
struct effect {
    char kind; /* 'r', 'w': device; 'f': firmware */
    uint32_t a, b;
    uint64_t value;
};

/* A breakpoint or watchpoint of a debugger in the guest. */
struct point {
    uint64_t on, first, last; /* on: 0 if disabled; a breakpoint has offsets in its page */
};

enum leaving { WENT_ON, TOOK_EXCEPTION, WAS_UNDEFINED, TOOK_FAULT, BROKE_DOWN };

struct situation {
    uint8_t state[STATE_BYTES]; /* the slot of the PC is 0 */
    uint8_t memory[MEMORY_BYTES];
    uint64_t pc; /* address of the instruction, in the page of code */
    uint32_t features[MAX_FEATURES];
    uint32_t ring, lines;
    uint32_t mode; /* index of the ISA that decodes */
    bool event;

    /* Afterwards: */
    enum leaving leaving;
    uint64_t code, va;      /* code and address of the exception or fault */
    uint32_t klass, access; /* class of the exception, access that faulted */
    bool halted, waits, pends, single_step;
    unsigned flushes;       /* number of TLB flushes */
    uint64_t tables, space; /* translation tables and address space that were set */
    struct point breakpoint[BREAKPOINTS], watchpoint[WATCHPOINTS];
    unsigned effects;
    struct effect effect[MAX_EFFECTS];
    const char *broke; /* what was missing */
};

static inline void add_effect(struct situation *s, char kind, uint32_t a, uint32_t b,
                              uint64_t value)
{
    if (s->effects < MAX_EFFECTS)
        s->effect[s->effects] = (struct effect){kind, a, b, value};
    s->effects++;
}

#endif
