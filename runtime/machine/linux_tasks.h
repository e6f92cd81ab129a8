/*
 * Which of Linux's tasks each CPU runs, without the guest's help. The platform says in /gencc/linux
 * where the pointer to the task is:
 *
 *     task-variable = REGISTER, SYMBOL    in the variable of that name among those of each CPU,
 *                                         whose distance from the image's is in the register
 *     task-registers = USER, KERNEL       in the first register while a program runs (ring 0), in
 *                                         the second while the kernel does
 *
 * The name is where the kernel's own first task has "swapper", so no layout of a version is known
 * here. Before the kernel has mapped itself, and for other guests, no task is known.
 */
#ifndef RUNTIME_MACHINE_LINUX_TASKS_H
#define RUNTIME_MACHINE_LINUX_TASKS_H

#include "runtime/machine/linux_symbols.h"
#include "runtime/machine/platform.h"

struct linux_tasks;

enum { LINUX_COMM = 16 }; /* bytes of a task's name, with its end */

/* The kernel is loaded at physical addresses start..end. NULL: the platform does not say. The
 * arguments are borrowed. */
struct linux_tasks *linux_tasks_new(const struct platform_info *info, struct bus *bus,
                                    struct cpu *const *cpus, unsigned count);
/* Where the kernel's image is in physical memory, at each start of the machine. */
void linux_tasks_place(struct linux_tasks *t, uint64_t start, uint64_t end);
void linux_tasks_free(struct linux_tasks *t);

struct linux_task {
    uint64_t address;      /* of its structure; 0: not known */
    char name[LINUX_COMM]; /* "": not known */
    bool idle;             /* the CPU's own, which runs when there is nothing to do */
};

/* The task of a CPU, between turns. The pointer is valid until the next call. */
const struct linux_task *linux_tasks_current(struct linux_tasks *t, unsigned cpu);

/* The kernel's symbols, or NULL; and the distance of an address from its image's start, or
 * UINT64_MAX when it is outside. */
const struct linux_symbols *linux_tasks_symbols(const struct linux_tasks *t);
uint64_t linux_tasks_distance(const struct linux_tasks *t, uint64_t address);

#endif
