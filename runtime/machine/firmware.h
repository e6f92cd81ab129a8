/*
 * The board's firmware as a kernel sees it: calls by instructions, which a description passes to
 * the machine (firmware_call). Each kind is one file with a row in firmware.inc, and is bound by a
 * node's `compatible` as devices are.
 */
#ifndef RUNTIME_MACHINE_FIRMWARE_H
#define RUNTIME_MACHINE_FIRMWARE_H

#include "runtime/machine/machine.h"

struct firmware_class {
    const char *const *compatible; /* ends with NULL */

    /* Makes the firmware of the first enabled node with one of these compatibles, after the CPUs
     * are made. NULL on failure. */
    void *(*create)(struct machine *m, const struct dt_node *node, struct error *err);
    void (*destroy)(void *fw);

    /*
     * Serves a call; false: the call is not this firmware's. `conduit` and `imm` come from the
     * description; arguments and result are in registers (platform_get_args()). The function may
     * power CPUs on and off and reset any CPU, `cpu` included. NULL: the firmware serves no calls.
     */
    bool (*call)(void *fw, struct cpu *cpu, uint32_t conduit, uint32_t imm);

    /* Receives a value from a device (device_env.tell_firmware); NULL: values are ignored. */
    void (*receive_value)(void *fw, uint64_t value);

    const struct state_field *fields; /* what a snapshot holds; NULL: nothing */

    /* What is served, for the message at the start: "PSCI 1.0 by SMC". Valid as long as fw. */
    const char *(*describe)(const void *fw);
};

/* All kinds, in the order of firmware.inc, ending with NULL. */
extern const struct firmware_class *const firmware_classes[];

/* Makes the firmware that the tree names, and sets the CPUs' firmware hook. Without any firmware,
 * every call is refused. NULL on failure. */
struct firmware *firmware_new(struct machine *m, struct error *err);
void firmware_free(struct firmware *fw);

/* Passes a device's value to every firmware that has receive_value(). */
void firmware_tell(struct firmware *fw, uint64_t value);

/* The state of all kinds in a snapshot. */
void firmware_save(const struct firmware *fw, struct state_buf *buf);
bool firmware_load(struct firmware *fw, const struct state_buf *buf, struct error *err);
/* Whether firmware_load() would succeed; changes nothing. */
bool firmware_check(const struct firmware *fw, const struct state_buf *buf, struct error *err);

/* The description of the `index`-th kind that the machine has; NULL: none. */
const char *firmware_describe(const struct firmware *fw, unsigned index);

#endif
