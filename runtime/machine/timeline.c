/*
 * Collects the events of a timeline and writes them as JSON.
 * Source: Google, "Trace Event Format", 2016; Perfetto, docs/faq "external formats".
 *
 * Bounds      bounds.events events; MOST_TEXTS texts, further ones are empty; MOST_TEXTS tracks,
 *             events of further ones are on the last
 */
#include "runtime/machine/timeline.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/alloc.h"
#include "common/vec.h"

enum { TEXT_SLOTS = 1 << 16, MOST_TEXTS = TEXT_SLOTS / 2 };

enum kind { SLICE, INSTANT, FLOW_BEGIN, FLOW_STEP, FLOW_END, COUNTER };

struct entry {
    uint64_t ns;    /* when it begins */
    uint64_t value; /* end of a slice, id of a flow, value of a counter */
    uint32_t order; /* number of the entry in the order of creation */
    uint32_t track : 28;
    uint32_t kind : 4;
    uint32_t name, args; /* numbers of texts */
};

struct track {
    unsigned process, thread;
    uint32_t process_name, name;
};

struct timeline {
    struct timeline_bounds bounds;
    VEC(struct entry) entries;
    VEC(struct track) tracks;
    VEC(char *) texts;
    uint32_t *slots; /* hash tables of indices plus 1, of texts and of tracks; 0: free */
    uint32_t *track_slots;
    bool full;
};

struct timeline *timeline_new(const struct timeline_bounds *bounds)
{
    struct timeline *t = xcalloc(1, sizeof(*t));

    t->bounds = *bounds;
    t->slots = xcalloc(TEXT_SLOTS, sizeof(*t->slots));
    t->track_slots = xcalloc(TEXT_SLOTS, sizeof(*t->track_slots));
    timeline_text(t, "");
    return t;
}

void timeline_free(struct timeline *t)
{
    if (!t)
        return;
    for (size_t i = 0; i < t->texts.len; i++)
        free(t->texts.data[i]);
    vec_free(&t->texts);
    vec_free(&t->entries);
    vec_free(&t->tracks);
    free(t->slots);
    free(t->track_slots);
    free(t);
}

uint32_t timeline_text(struct timeline *t, const char *text)
{
    uint32_t hash = 2166136261u;

    for (const char *c = text; *c; c++)
        hash = (hash ^ (uint8_t)*c) * 16777619u;
    for (;; hash++) {
        uint32_t *slot = &t->slots[hash % TEXT_SLOTS];

        if (*slot && !strcmp(t->texts.data[*slot - 1], text))
            return *slot - 1;
        if (*slot)
            continue;
        if (t->texts.len == MOST_TEXTS)
            return 0;
        vec_push(&t->texts, xstrdup(text));
        *slot = (uint32_t)t->texts.len;
        return *slot - 1;
    }
}

uint32_t timeline_track(struct timeline *t, unsigned process, const char *process_name,
                        unsigned thread, const char *thread_name)
{
    struct track track = {process, thread, timeline_text(t, process_name),
                          timeline_text(t, thread_name)};

    for (uint32_t hash = thread * 16777619u + process;; hash++) {
        uint32_t *slot = &t->track_slots[hash % TEXT_SLOTS];
        const struct track *there = *slot ? &t->tracks.data[*slot - 1] : NULL;

        if (there && there->process == process && there->thread == thread)
            return *slot - 1;
        if (there)
            continue;
        if (t->tracks.len == MOST_TEXTS)
            return MOST_TEXTS - 1;
        vec_push(&t->tracks, track);
        *slot = (uint32_t)t->tracks.len;
        return *slot - 1;
    }
}

/* ---- events ---------------------------------------------------------------------------------- */

static void add_entry(struct timeline *t, struct entry e)
{
    uint64_t end = e.kind == SLICE ? e.value : e.ns;

    if (end < t->bounds.from_ns || e.ns > t->bounds.until_ns)
        return;
    if (t->entries.len >= t->bounds.events) {
        t->full = true;
        return;
    }
    e.order = (uint32_t)t->entries.len;
    vec_push(&t->entries, e);
}

void timeline_slice(struct timeline *t, uint32_t track, uint32_t name, uint32_t args,
                    uint64_t begin_ns, uint64_t end_ns)
{
    add_entry(t, (struct entry){.ns = begin_ns,
                                .value = end_ns < begin_ns ? begin_ns : end_ns,
                                .track = track,
                                .kind = SLICE,
                                .name = name,
                                .args = args});
}

void timeline_instant(struct timeline *t, uint32_t track, uint32_t name, uint64_t ns)
{
    add_entry(t, (struct entry){.ns = ns, .track = track, .kind = INSTANT, .name = name});
}

void timeline_flow(struct timeline *t, uint32_t track, enum timeline_flow what, uint64_t id,
                   uint64_t ns)
{
    add_entry(t, (struct entry){.ns = ns,
                                .value = id,
                                .track = track,
                                .kind = FLOW_BEGIN + (unsigned)what,
                                .name = timeline_text(t, "job")});
}

void timeline_counter(struct timeline *t, uint32_t track, uint32_t name, uint64_t ns,
                      uint64_t value)
{
    add_entry(
        t, (struct entry){.ns = ns, .value = value, .track = track, .kind = COUNTER, .name = name});
}

bool timeline_is_full(const struct timeline *t)
{
    return t->full;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* By time; of slices that begin together the longer one first, since it is around the other. */
static int compare_entries(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;

    if (a->ns != b->ns)
        return a->ns < b->ns ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    if (a->kind == SLICE && a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static void write_text(const struct timeline *t, uint32_t number, FILE *out)
{
    fputc('"', out);
    for (const char *c = t->texts.data[number]; *c; c++) {
        if (*c == '"' || *c == '\\')
            fputc('\\', out);
        if ((uint8_t)*c < ' ' || (uint8_t)*c > '~')
            fputc('?', out);
        else
            fputc(*c, out);
    }
    fputc('"', out);
}

/* Microseconds with three digits: nanoseconds, exactly. */
static void write_time(const char *key, uint64_t ns, FILE *out)
{
    fprintf(out, ",\"%s\":%" PRIu64 ".%03" PRIu64, key, ns / 1000, ns % 1000);
}

/* A track's thread in the file. Perfetto takes thread 0 of every process for one and the same, the
 * kernel's idle task, and drops slices of it that overlap: threads are counted from 1. */
static unsigned written_thread(const struct track *track)
{
    return track->thread + 1;
}

static void write_names(const struct timeline *t, const struct track *track, FILE *out)
{
    static const char *const kinds[] = {"process_name", "thread_name"};
    static const char *const orders[] = {"process_sort_index", "thread_sort_index"};
    const uint32_t names[] = {track->process_name, track->name};
    const unsigned numbers[] = {track->process, track->thread};

    for (unsigned i = 0; i < 2; i++) {
        fprintf(out, "{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s\",\"args\":{\"name\":",
                track->process, written_thread(track), kinds[i]);
        write_text(t, names[i], out);
        fprintf(out,
                "}},\n{\"ph\":\"M\",\"pid\":%u,\"tid\":%u,\"name\":\"%s\","
                "\"args\":{\"sort_index\":%u}},\n",
                track->process, written_thread(track), orders[i], numbers[i]);
    }
}

static void write_entry(const struct timeline *t, const struct entry *e, FILE *out)
{
    static const char phases[] = {[SLICE] = 'X',     [INSTANT] = 'i',  [FLOW_BEGIN] = 's',
                                  [FLOW_STEP] = 't', [FLOW_END] = 'f', [COUNTER] = 'C'};
    const struct track *track = &t->tracks.data[e->track];

    fprintf(out, "{\"ph\":\"%c\",\"pid\":%u,\"tid\":%u", phases[e->kind], track->process,
            written_thread(track));
    write_time("ts", e->ns, out);
    fputs(",\"name\":", out);
    write_text(t, e->name, out);
    switch (e->kind) {
    case SLICE:
        write_time("dur", e->value - e->ns, out);
        if (e->args)
            fprintf(out, ",\"args\":{%s}", t->texts.data[e->args]);
        break;
    case INSTANT:
        fputs(",\"s\":\"t\"", out);
        break;
    case COUNTER:
        fprintf(out, ",\"args\":{\"value\":%" PRIu64 "}", e->value);
        break;
    default: /* binds to the enclosing slice, not to the next slice */
        fprintf(out, ",\"cat\":\"flow\",\"id\":%" PRIu64 ",\"bp\":\"e\"", e->value);
    }
    fputc('}', out);
}

bool timeline_write(struct timeline *t, FILE *out)
{
    if (t->entries.len)
        qsort(t->entries.data, t->entries.len, sizeof(*t->entries.data), compare_entries);
    fputs("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"program\":\"gencc\"", out);
    if (t->full)
        fprintf(out, ",\"stopped\":\"after %" PRIu64 " events\"", t->bounds.events);
    fputs("},\"traceEvents\":[\n", out);
    vec_for_each (&t->tracks, track)
        write_names(t, track, out);
    for (size_t i = 0; i < t->entries.len; i++) {
        write_entry(t, &t->entries.data[i], out);
        fputs(",\n", out);
    }
    fputs("{\"ph\":\"M\",\"pid\":0,\"name\":\"trace_end\",\"args\":{}}\n]}\n", out);
    return !ferror(out);
}
