/*
 * Signal frames of an ABI as carriers of a CPU's state: rt_sigreturn() sets all registers from a
 * frame, and a signal saves all in one.
 */
#ifndef GENCC_TEST_FRAME_H
#define GENCC_TEST_FRAME_H

#include "gencc/test/registers.h"

/* A register or user value of the frame. */
struct carried {
    const char *name;
    enum abi_item_kind kind;
    unsigned at, bytes; /* in the frame */
    struct place place; /* of a register */
    uint64_t value;     /* number of a value */
    bool control;       /* a system register or a value: not one of a bank */
    u128 bits;          /* those that tests set */
    bool lost;          /* the other side's frames do not carry it */
};

struct frame {
    struct machine *m;
    const struct abi_facts *facts;
    const struct ir_func *get, *set; /* user_value(), set_user_value(), or NULL */
    VEC(struct carried) parts;
    unsigned info_at;
    unsigned extent; /* bytes up to the end of the last part and of the signal's number */
};

/* Finds the registers of the ABI's frame. Returns false after reporting. */
bool frame_prepare(struct frame *f, struct machine *m);

/* Numbers in the guest's byte order. */
void guest_put(const struct abi_facts *f, uint8_t *to, u128 value, unsigned bytes);
u128 guest_get(const struct abi_facts *f, const uint8_t *from, unsigned bytes);

/* The value that a frame has for the part in the machine's present state. */
u128 frame_part(struct frame *f, const struct carried *part);
/* All bits that the part can have. */
u128 frame_part_mask(const struct carried *part);
/* Sets the part in the machine; values that are the PC are left alone. */
void frame_set_part(struct frame *f, const struct carried *part, u128 value);

/* Writes the machine's state as a frame of facts->frame_bytes; `alt` is the signal stack. */
void frame_write(struct frame *f, uint8_t *to, uint64_t alt, uint64_t alt_bytes);
/* A frame whose registers are 0 but for those of a system call, and that continues at `pc`. */
struct frame_call {
    const char *name; /* of the call */
    unsigned count;
    uint64_t argument[4];
    uint64_t sp, pc;
};
bool frame_write_call(struct frame *f, uint8_t *to, const struct frame_call *call, uint64_t alt,
                      uint64_t alt_bytes);

#endif
