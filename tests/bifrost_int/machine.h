/*
 * A warp that runs one instruction word at a time, without an engine: sources are slots that a test
 * fills, memory is an array.
 */
#ifndef TESTS_BIFROST_INT_MACHINE_H
#define TESTS_BIFROST_INT_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/gpu/isa.h"

/* Slots, by number: the source that selector s names is at MACHINE_SOURCES + s. */
enum {
    MACHINE_SOURCES = 0,
    MACHINE_STAGING = 16,
    MACHINE_RESULT = 32,
    MACHINE_MEMORY = 4096, /* bytes, from address MACHINE_BASE */
};
#define MACHINE_BASE   UINT64_C(0x1fffff000)
#define MACHINE_LOCAL  (MACHINE_BASE + 0x400) /* of the work-group */
#define MACHINE_THREAD (MACHINE_BASE + 0x800) /* of lane 0; 64 bytes each */
#define MACHINE_CLAUSE UINT64_C(0x7fffff80)   /* address of the running clause */

struct machine {
    struct gpu_warp *w;
    struct gpu_op *op; /* the decoded word */
    uint32_t word;     /* itself */
    uint64_t header;   /* of the clause, when it is decoded; 0 unless a test sets it */
    uint8_t memory[MACHINE_MEMORY];
    uint32_t texel[4]; /* what pixel_store was given last */
    uint32_t texel_format, texel_register_format, texel_count;
    bool bad_access; /* an access outside of the memory */
};

/* A warp of so many lanes, all active. Only one exists at a time. */
struct machine *machine_new(unsigned width);
void machine_free(struct machine *m);

/* false: no instruction. */
bool machine_decode(struct machine *m, const struct gpu_unit *unit, uint32_t word);
/* Runs what was decoded; the warp's flags (ended, branched …) are cleared before. */
void machine_run(struct machine *m);

uint32_t *machine_slot(struct machine *m, unsigned slot, unsigned lane);
void machine_set_active(struct machine *m, uint32_t lanes);

uint32_t machine_random(uint64_t *seed);

/* A unit, and the texts of its source selectors. */
struct machine_unit {
    const struct gpu_unit *unit;
    unsigned word_bits;
    const char *sources[8];
};
extern const struct machine_unit machine_fma, machine_add;

/* The slot of the source with this text. A test fails when there is none. */
unsigned machine_source(const struct machine_unit *u, const char *name);

/* Tries the word that is decoded; false: it is not for this test. */
typedef bool machine_check(struct machine *m, const struct machine_unit *u, const char *text,
                           uint64_t *seed);

/* Decodes all words of a unit, in an order that mixes forms, and has `check` try each form up to
 * `runs` times, unless it refuses thousands of words. Returns of how many forms words were tried. */
unsigned machine_each_word(struct machine *m, const struct machine_unit *u, unsigned runs,
                           uint64_t seed, machine_check *check);

#endif
