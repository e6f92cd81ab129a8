/*
 * Where a machine's time went, for reports: instructions of each CPU by task and by symbol, from
 * samples, and the activity of driver and GPU over time, from every event.
 */
#ifndef RUNTIME_MACHINE_SYSTEM_VIEW_H
#define RUNTIME_MACHINE_SYSTEM_VIEW_H

#include "runtime/gpu/observer.h"
#include "runtime/time/clock.h"

struct json_t;
struct system_view;

/* `pages` returns the sum of the pages that jobs have touched; NULL: not known. Both are
 * borrowed. */
struct system_view *system_view_new(unsigned cpus, const struct clock *clock,
                                    uint64_t (*pages)(void *opaque), void *opaque);
void system_view_free(struct system_view *v);

/* To be put into a list of observers. */
struct gpu_observer *system_view_observer(struct system_view *v);

/* What a CPU has done since the sample before. */
struct system_sample {
    uint64_t instructions, ns;
    bool kernel;        /* the CPU is in the kernel; the whole sample counts as the kernel's */
    const char *task;   /* NULL or "": not known */
    const char *symbol; /* symbol of the kernel or a program; NULL: not known */
    const char *object; /* library or kernel module that the code is in; NULL: none, or not known */
    const char *part;   /* of the run, as code_part() tells; NULL: not known */
    uint64_t used_ns;   /* time that the instructions took */
};
/* Adds a sample of a CPU. The texts are copied. */
void system_view_sample(struct system_view *v, unsigned cpu, const struct system_sample *s);

/* The member "system" of report.json. The reference is the caller's. */
struct json_t *system_view_json(const struct system_view *v);

#endif
