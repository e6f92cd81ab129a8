/*
 * A warp that runs one instruction word at a time, without a shader core: sources are slots that a
 * test fills, memory is an array.
 */
#ifndef TESTS_BIFROST_INT_MACHINE_H
#define TESTS_BIFROST_INT_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/gpu/isa.h"

/* Slots: MACHINE_SOURCES + s is the source that selector s names. */
enum {
    MACHINE_SOURCES = 0,
    MACHINE_STAGING = 16,
    MACHINE_RESULT = 32,
    MACHINE_MEMORY = 4096, /* bytes, from address MACHINE_BASE */
};
#define MACHINE_BASE  UINT64_C(0x1fffff000)
#define MACHINE_LOCAL (MACHINE_BASE + 0x400) /* local memory of the work-group */
/* private memory of lane 0, then of the next lane; 64 bytes each */
#define MACHINE_THREAD (MACHINE_BASE + 0x800)
#define MACHINE_CLAUSE UINT64_C(0x7fffff80) /* address of the running clause */

struct machine {
    struct gpu_warp *w;
    struct gpu_op *op; /* the decoded word */
    uint32_t word;     /* the word that op was decoded from */
    uint64_t header;   /* the clause's header while decoding; 0 unless a test sets it */
    uint8_t memory[MACHINE_MEMORY];
    uint32_t texel[4]; /* the last texel that pixel_store received */
    uint32_t texel_format, texel_register_format, texel_count;
    bool bad_access; /* whether an access was outside of the memory */
};

/* Makes a warp of `width` active lanes. Only one machine may exist at a time. */
struct machine *machine_new(unsigned width);
void machine_free(struct machine *m);

/* Decodes a word of the unit. Returns false if it is not an instruction. */
bool machine_decode(struct machine *m, const struct gpu_unit *unit, uint32_t word);
/* Clears the warp's flags (ended, branched …) and runs the decoded word. */
void machine_run(struct machine *m);

/* Returns a lane's part of a slot. */
uint32_t *machine_slot(struct machine *m, unsigned slot, unsigned lane);
/* Sets the mask of active lanes. */
void machine_set_active(struct machine *m, uint32_t lanes);

/* Returns 32 random bits and advances the seed. */
uint32_t machine_random(uint64_t *seed);

/* A unit, and the texts of its source selectors. */
struct machine_unit {
    const struct gpu_unit *unit;
    unsigned word_bits;
    const char *sources[8];
};
extern const struct machine_unit machine_fma, machine_add;

/* Returns the slot of the source with this text. The test fails if there is none. */
unsigned machine_source(const struct machine_unit *u, const char *name);

/* Tests the decoded word. Returns false if the word does not suit this test. */
typedef bool machine_check(struct machine *m, const struct machine_unit *u, const char *text,
                           uint64_t *seed);

/*
 * Decodes all words of a unit, in an order that mixes forms. Has `check` test up to `runs` words of
 * each form, unless it refuses thousands of them. Returns the number of forms with tested words.
 */
unsigned machine_each_word(struct machine *m, const struct machine_unit *u, unsigned runs,
                           uint64_t seed, machine_check *check);

#endif
