/*
 * Idle address spaces: what a soft TLB had of spaces that are not current now (space.c), so that a
 * program, or a kernel that hides the program's memory from itself for a while, finds it again. A
 * flush reaches idle entries as it does those of the current space.
 *
 * Only private entries are kept, since global ones stay in the soft TLB. Copying an entry costs far
 * less than the slow path and the walk that make it anew; a space with too many is emptied.
 */
#ifndef RUNTIME_CPU_IDLE_H
#define RUNTIME_CPU_IDLE_H

#include "runtime/cpu/internal.h"

enum {
    IDLE_SPACES = 16,   /* of each soft TLB; the one that was not current for longest is replaced */
    IDLE_ENTRIES = 512, /* of each space */
    IDLE_LARGE = 32,    /* of 2 MB, of each space */
    IDLE_HASH_BITS = 8,
};

struct idle_large {
    unsigned slot;
    struct tlb_entry entry;
};

struct idle_pages {
    struct tlb_private entry[IDLE_ENTRIES];
    struct idle_large large[IDLE_LARGE];
};

struct idle_space {
    uint64_t last;   /* idle_table.changes when it was current last; 0: not in use */
    uint64_t number; /* of its jumps (struct jump_pages); 0: none */
    uint32_t stamp;  /* of its code (stamp.h); 0: none */
    unsigned count, large_count;
    uint64_t retags;          /* value of cpu->retags when the entries were current */
    struct idle_pages *pages; /* NULL: none were kept so far */
};

/* The idle spaces of one soft TLB. The current one has a place, too, without entries. */
struct idle_table {
    uint64_t changes;
    uint64_t space[IDLE_SPACES];
    struct idle_space idle[IDLE_SPACES];
    /* By hash of the page: bit n: space n may have an entry of 4 KB there. */
    uint16_t holders[1 << IDLE_HASH_BITS];
    /* Slots of the soft TLB that were filled with private entries since the current space came;
     * slot_count: IDLE_ENTRIES + 1 if there were more. */
    uint16_t slot[IDLE_ENTRIES];
    unsigned slot_count;
};

/* Notes that a slot was filled with a private entry. */
static inline void idle_note(struct cpu *cpu, unsigned table, unsigned slot)
{
    struct idle_table *t = &cpu->idle[table];

    if (t->slot_count < IDLE_ENTRIES)
        t->slot[t->slot_count++] = (uint16_t)slot;
    else
        t->slot_count = IDLE_ENTRIES + 1;
}

/* Allocates and frees the CPU's idle spaces. */
void idle_init(struct cpu *cpu);
void idle_free(struct cpu *cpu);
/* Each forgets what idle spaces have: entries of one soft TLB; jumps of all; stamps of all. */
void idle_forget(struct cpu *cpu, unsigned table);
void idle_forget_jumps(struct cpu *cpu);
void idle_forget_stamps(struct cpu *cpu);
/* Forgets a soft TLB's idle entries of the page of an address. near: it may lie in a page of more
 * than 4 KB; huge: also in one of more than 2 MB. */
void idle_flush_page(struct cpu *cpu, unsigned table, uint64_t va, bool near, bool huge);
/* The place of a space in idle_table.idle; or else that of the one to replace, which is emptied. */
unsigned idle_place(struct idle_table *t, uint64_t space);
/* Notes that an entry for the page of an address was put into a place. */
void idle_hold(struct cpu *cpu, unsigned table, unsigned place, uint64_t va);
/* Forgets the entries of a place, after they were taken back. */
void idle_empty(struct idle_table *t, unsigned place);

#endif
