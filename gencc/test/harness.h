/*
 * The harness: a Linux program without code of its own but for one instruction, made from the ABI.
 * It reads a state, code and memory from its standard input, executes the code until a signal, and
 * writes the signal's frame and the memory to its standard output, and so on.
 *
 * Everything is done by rt_sigreturn(): a chain of frames in memory, each of which has the
 * registers of one system call and continues at the instruction of calls, behind which the words
 * that call rt_sigreturn() follow, with the stack pointer at the next frame. The handler of signals
 * is one instruction that sets the stack pointer to the chain, and these words. The instruction is
 * found by trying words of the description.
 */
#ifndef GENCC_TEST_HARNESS_H
#define GENCC_TEST_HARNESS_H

#include "gencc/test/frame.h"

/* Offsets from the base, which the instruction puts into the stack pointer. */
enum {
    CHAIN_BYTES = 0x10000,
    GADGET_AT = 0x10000,
    DATA_AT = 0x11000,
    ALT_AT = 0x12000,
    ALT_BYTES = 0x8000,
    BOOT_AT = 0x20000,
    BOOT_BYTES = 0x10000,
    CODE_AT = 0x34000,
    MEMORY_AT = 0x38000,
    HARNESS_BYTES = 0x3a000
};

struct harness {
    struct frame *frame;
    uint64_t base;
    u128 word; /* sets the stack pointer to the base */
    unsigned word_bytes;
    uint8_t *image;   /* HARNESS_BYTES */
    unsigned stride;  /* bytes from frame to frame */
    unsigned call_at; /* offset of an instruction of calls, behind which a frame is returned to */
    /* Where the ALT stack's frames are written from, and how much of it. */
    unsigned dump_at, dump_bytes;
};

/* Finds the instruction, and so where the program lies; reports why there is none. */
bool harness_prepare(struct harness *h, struct frame *frame);
/* Makes the program's image for replies of dump_bytes. Changes the machine's state. */
bool harness_build(struct harness *h);
/* The signals that the handler catches, by name and by their numbers on the host. */
enum { HARNESS_SIGNALS = 5 };
struct harness_signal {
    const char *name;
    uint32_t host;
};
extern const struct harness_signal harness_signals[HARNESS_SIGNALS];

/* Parts of it: the handler and its data in an empty image; the calls that install the handler, of
 * which there are BOOT_CALLS; a chain of calls at an offset, the last with the stack pointer
 * `then`. */
enum { BOOT_CALLS = 6 };
bool harness_begin(struct harness *h);
unsigned harness_boot(const struct harness *h, struct frame_call *calls);
bool harness_chain(struct harness *h, uint64_t at, struct frame_call *calls, unsigned count,
                   uint64_t then);
/* Writes the program as an ELF file. It begins with the frame at BOOT_AT in place of the first. */
bool harness_write(const struct harness *h, const char *path);

#endif
