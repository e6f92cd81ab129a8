/*
 * The Linux task that each CPU runs, found without the guest's help. The platform says in
 * /gencc/linux where the pointer to the running task is:
 *
 *     task-variable = REGISTER, SYMBOL    in a per-CPU variable, at the address of SYMBOL plus the
 *                                         value of REGISTER
 *     task-registers = USER, KERNEL       in register USER while a program runs (ring 0), in
 *                                         register KERNEL while the kernel runs
 *
 * The offset of the name in a task's structure is where init_task has "swapper", so the code does
 * not depend on the layout of a version. Before the kernel has mapped itself, and for other guests,
 * no task is known.
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
    uint64_t address;      /* address of the task's structure; 0: not known */
    char name[LINUX_COMM]; /* "": not known */
    bool idle;             /* the CPU's idle task */
};

/* The task of a CPU, between turns. The pointer is valid until the next call. */
const struct linux_task *linux_tasks_current(struct linux_tasks *t, unsigned cpu);

/* The kernel's symbols, or NULL; and the distance of an address from its image's start, or
 * UINT64_MAX when it is outside. */
const struct linux_symbols *linux_tasks_symbols(const struct linux_tasks *t);
uint64_t linux_tasks_distance(const struct linux_tasks *t, uint64_t address);
/* The address of a variable of the kernel's image; 0: not known. */
uint64_t linux_tasks_variable(const struct linux_tasks *t, const char *name);

#endif
