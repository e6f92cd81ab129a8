/* Several CPUs that share memory, code and time, and take turns. */
#ifndef RUNTIME_CPU_GROUP_H
#define RUNTIME_CPU_GROUP_H

#include "runtime/cpu/cpu.h"

/* The pointers are borrowed. All CPUs of one bus belong to one thread. */
struct cpu_group {
    struct cpu **cpu; /* copied array */
    unsigned count;
    struct code_cache *code;
    struct clock *clock;
    uint64_t quantum;      /* ticks of a turn, on the fastest CPU that is on: 10,000, at least 1 */
    uint64_t lone_quantum; /* the quantum while only one CPU is on; 0 (default): `quantum` */
    /* picoseconds per tick of CPUs without a speed of their own: at least 1, by default 1000 */
    uint64_t ps_per_tick;
    struct cpu *running; /* in its turn, or NULL */
    bool stop;           /* set by cpu_group_stop */

    /* A turn that cpu_group_stop() interrupted is finished by the next cpu_group_turn(). */
    bool open;
    unsigned next;   /* index of the CPU that runs next in the turn */
    int64_t turn_ps; /* length of the turn, from clock->now */
    uint64_t turns;
    struct debug *debug; /* NULL: no debugger */
};

/*
 * Fills *g, with an array of `count` CPUs that may be empty. clock may be NULL (user-mode runners:
 * no time, no events); its offset and sooner hooks belong to the group until cpu_group_free(),
 * which must come before cpu_free() of its CPUs.
 */
bool cpu_group_init(struct cpu_group *g, struct cpu **cpus, unsigned count, struct bus *bus,
                    struct clock *clock, struct error *err);
void cpu_group_free(struct cpu_group *g);

/* Adds a CPU later (threads of a user-mode program), or removes one. Not from inside a turn. */
void cpu_group_add(struct cpu_group *g, struct cpu *cpu);
void cpu_group_remove(struct cpu_group *g, struct cpu *cpu);

/*
 * One turn: every powered CPU runs from the turn's start for a quantum, no further than the next
 * event; then the clock advances to the turn's end and due events run. An event that a CPU programs
 * for an earlier time shortens the turn; CPUs that are past that time already run less in the next
 * one. When all CPUs wait, time jumps to the next event. Returns false when all CPUs wait and there
 * is no event, so that only the outside can continue them. The caller runs posted work
 * (clock_run_posted) between turns.
 */
bool cpu_group_turn(struct cpu_group *g);

/* Ends the running CPU's turn at its next block boundary, and cpu_group_turn with it. The next
 * cpu_group_turn() continues at that point, so the guest cannot observe a stop. */
void cpu_group_stop(struct cpu_group *g);

/* Whether instructions are counted by class and ring, on all CPUs of the group, from now on;
 * default: true. Without, those statistics are 0. Before the CPUs run. */
void cpu_group_count(struct cpu_group *g, bool on);

#endif
