/*
 * The board's firmware as a kernel sees it: calls by instructions that a description hands to the
 * machine (firmware_call). Each kind is one file with a row in firmware.inc and is bound by the
 * `compatible` of a node, as devices are.
 */
#ifndef RUNTIME_MACHINE_FIRMWARE_H
#define RUNTIME_MACHINE_FIRMWARE_H

#include "runtime/machine/machine.h"

struct firmware_class {
    const char *const *compatible; /* ends with NULL */

    /* Makes the firmware for the first enabled node that lists one of these, when CPUs exist. NULL on
     * failure. */
    void *(*create)(struct machine *m, const struct dt_node *node, struct error *err);
    void (*destroy)(void *fw);

    /*
     * A call: true when it is this firmware's, and has been served. `conduit` and `imm` are what the
     * description gave; arguments and result are in registers (platform_get_args()). It may power
     * CPUs on and off and reset any, `cpu` included. NULL: it serves no calls.
     */
    bool (*call)(void *fw, struct cpu *cpu, uint32_t conduit, uint32_t imm);

    /* A device has something for firmware (device_env.tell_firmware); NULL: it does not listen. */
    void (*told)(void *fw, uint64_t value);

    /* What is served, for the message at the start: "PSCI 1.0 by SMC". Lives as long as fw. */
    const char *(*describe)(const void *fw);
};

/* All kinds, in the order of firmware.inc, ending with NULL. */
extern const struct firmware_class *const firmware_classes[];

/* Makes what the tree names and connects the CPUs' firmware hook. Without any, every call is
 * refused. NULL on failure. */
struct firmware *firmware_new(struct machine *m, struct error *err);
void firmware_free(struct firmware *fw);

/* Hands what a device said to whoever listens. */
void firmware_tell(struct firmware *fw, uint64_t value);

/* The `index`-th kind that is there, described; NULL: there are fewer. */
const char *firmware_describe(const struct firmware *fw, unsigned index);

#endif
