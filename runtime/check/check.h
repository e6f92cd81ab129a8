/*
 * Checks of compute jobs: races between work-items, reads of private and local memory that nobody
 * wrote, accesses beside the kernel's buffers, misaligned accesses, and barriers that not all
 * work-items reach. The checks follow the traces of runtime/timing, so they see each access of each
 * work-item, and cost the shader cores nothing when they are off.
 *
 * Two accesses race if they touch the same byte, at least one is a store, they are not both atomic,
 * and nothing orders them: no barrier between them in their work-group, and for two work-groups no
 * atomic operation on one address, behind the access of the lower group and before that of the
 * higher. Stores of the same value are no race, as OpenCL programs rely on that. To know values a
 * second run of the jobs is needed (check_needs_values()).
 */
#ifndef RUNTIME_CHECK_CHECK_H
#define RUNTIME_CHECK_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct check;
struct gpu_address_space;
struct gpu_cores;
struct gpu_isa;

/* A buffer of the kernel, and the memory around it that belongs to nothing else. */
struct check_buffer {
    unsigned argument; /* index of the kernel's argument */
    uint64_t va, bytes;
    uint64_t area_va, area_bytes; /* accesses in here, but not in a buffer, are beside it */
};

/* Makes a check. `isa` and `as` are for the text of instructions. The buffers are copied; without
 * any, accesses beside buffers are not found. */
struct check *check_new(const struct gpu_isa *isa, const struct gpu_address_space *as,
                        const struct check_buffer *buffers, size_t count);
void check_free(struct check *c);

/* Observes the jobs of cores that have run none. The check must live as long as the cores. */
void check_attach(struct check *c, struct gpu_cores *cores);
/* Whether stores were found that are races unless they store the same. The jobs must then run
 * again, with the same memory, on other cores that check_attach_values() observes. */
bool check_needs_values(const struct check *c);
void check_attach_values(struct check *c, struct gpu_cores *cores);

/* Prints what was found, in the order of jobs. Returns the number of findings; 0: nothing wrong. */
size_t check_print(struct check *c, FILE *out);

/* An access at which a debugger can stop: the later one of a race, or a read of what nobody
 * wrote. */
struct check_place {
    bool race;
    uint64_t shader, bundle; /* addresses */
    uint64_t group;          /* index of the work-group */
    unsigned item;           /* number of the work-item in it */
    uint64_t address;
    const char *text; /* a line; valid during the call */
};
/* Calls `fn` for the first example of each such finding. */
void check_each_place(const struct check *c,
                      void (*fn)(void *opaque, const struct check_place *place), void *opaque);

#endif
