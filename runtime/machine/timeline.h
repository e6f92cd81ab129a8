/*
 * A timeline: events in virtual time, written as Chrome's trace-event JSON, which Perfetto imports.
 * Events are kept until the end, sorted, and written; the same events give the same bytes.
 */
#ifndef RUNTIME_MACHINE_TIMELINE_H
#define RUNTIME_MACHINE_TIMELINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "runtime/base/error.h"

struct timeline;

struct timeline_bounds {
    uint64_t from_ns, until_ns; /* events that end before, or begin after, are left out */
    uint64_t events;            /* most events */
};

/* An empty timeline; to be freed with timeline_free(). */
struct timeline *timeline_new(const struct timeline_bounds *bounds);
void timeline_free(struct timeline *t);

/* The number of a text, which is copied; equal texts have equal numbers. 0: the empty text, and any
 * text when there are too many. */
uint32_t timeline_text(struct timeline *t, const char *text);

/*
 * A track: a thread of a process, in the terms of the format. Both have names and are shown in the
 * order of their numbers. Returns the track's number for the functions below.
 */
uint32_t timeline_track(struct timeline *t, unsigned process, const char *process_name,
                        unsigned thread, const char *thread_name);

/* Something that lasts. `args` is text inside of JSON's braces, or 0. Slices of a track nest. */
void timeline_slice(struct timeline *t, uint32_t track, uint32_t name, uint32_t args,
                    uint64_t begin_ns, uint64_t end_ns);
void timeline_instant(struct timeline *t, uint32_t track, uint32_t name, uint64_t ns);
/* An arrow's beginning, middle or end, in the slice of the track at that time. */
enum timeline_flow { TIMELINE_FLOW_BEGIN, TIMELINE_FLOW_STEP, TIMELINE_FLOW_END };
void timeline_flow(struct timeline *t, uint32_t track, enum timeline_flow what, uint64_t id,
                   uint64_t ns);
/* The value of a counter from that time on. */
void timeline_counter(struct timeline *t, uint32_t track, uint32_t name, uint64_t ns,
                      uint64_t value);

/* Whether the bound was met, so that events are missing. */
bool timeline_is_full(const struct timeline *t);

/* Writes the events by time, as JSON. false: errno says why. */
bool timeline_write(struct timeline *t, FILE *out);

#endif
