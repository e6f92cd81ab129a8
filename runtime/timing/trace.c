/*
 * Streams of warps: reading. What comes from a file is checked once, with as many bundles as its job has;
 * the cursor itself only takes care not to leave the stream.
 */
#include "runtime/timing/trace.h"

#include <inttypes.h>
#include <stdlib.h>

#include "runtime/timing/stream.h"

uint64_t timing_sample_step(uint64_t group_total, uint64_t most)
{
    return most && group_total > most ? (group_total + most - 1) / most : 1;
}

void timing_job_release(struct timing_job *job)
{
    for (size_t i = 0; i < job->groups.len; i++) {
        struct timing_group *g = &job->groups.data[i];

        for (unsigned n = 0; n < g->warp_count; n++)
            free(g->warps[n].data);
        free(g->warps);
    }
    vec_free(&job->groups);
    vec_free(&job->bundles);
}

/* ---- cursors --------------------------------------------------------------------------------- */

static inline uint64_t take(struct timing_cursor *c)
{
    uint64_t v = 0;
    unsigned shift = 0;

    while (c->at < c->end) {
        uint8_t b = *c->at++;

        if (shift < 64)
            v |= (uint64_t)(b & 0x7f) << shift;
        if (b < 0x80)
            break;
        shift += 7;
    }
    return v;
}

static inline uint64_t take_from(struct timing_cursor *c, uint64_t from)
{
    uint64_t v = take(c);

    return from + ((v >> 1) ^ -(v & 1));
}

void timing_cursor_begin(struct timing_cursor *c, const struct timing_warp *w)
{
    *c = (struct timing_cursor){
        .at = w->data,
        .end = w->data + w->bytes,
        .lanes = w->lanes >= 32 ? UINT32_MAX : (1u << w->lanes) - 1,
    };
}

/* Takes the AGAIN that may stand behind a RUN. */
static inline void take_again(struct timing_cursor *c)
{
    const uint8_t *back = c->at;
    uint64_t head;

    c->times = 1;
    if (c->at == c->end || (*c->at & 3) != RECORD_AGAIN)
        return;
    head = take(c);
    if (head >> 2)
        c->times += head >> 2;
    else
        c->at = back;
}

void timing_cursor_next(struct timing_cursor *c)
{
    while (c->at < c->end) {
        uint64_t head = take(c);

        switch ((enum timing_record)(head & 3)) {
        case RECORD_RUN:
            c->event = TIMING_RUN;
            c->count = (uint32_t)(head >> 2);
            c->first = (uint32_t)take_from(c, c->next);
            c->next = c->first + c->count;
            take_again(c);
            return;
        case RECORD_MEMORY:
            c->event = TIMING_MEMORY;
            c->accesses = (uint32_t)(head >> 2);
            c->count = 1;
            c->times = 1;
            c->first = (uint32_t)take_from(c, c->next);
            c->next = c->first + 1;
            return;
        case RECORD_LANES:
            c->lanes = (uint32_t)(head >> 2);
            break;
        case RECORD_AGAIN:
            c->event = TIMING_BARRIER;
            return;
        }
    }
    c->event = TIMING_END;
}

bool timing_cursor_access(struct timing_cursor *c)
{
    uint64_t head;

    if (!c->accesses)
        return false;
    c->accesses--;
    head = take(c);
    c->access = (enum timing_access)(head & 7);
    c->segments = (head >> 3) + 1;
    c->segment = take_from(c, c->segment);
    return true;
}

/* ---- checking -------------------------------------------------------------------------------- */

enum {
    MAX_ACCESSES = 4096, /* of a bundle: 32 lanes of 16 operations of 8 places */
    MAX_SEGMENTS = 4096, /* of an access: a page of each lane */
};

/* One whole number stands there. */
static bool check_number(const uint8_t **at, const uint8_t *end, uint64_t *out)
{
    unsigned shift = 0;

    for (*out = 0; *at < end && shift < 64; shift += 7) {
        uint8_t b = *(*at)++;

        *out |= (uint64_t)(b & 0x7f) << shift;
        if (b < 0x80)
            return true;
    }
    return false;
}

static uint64_t unzigzag(uint64_t v)
{
    return (v >> 1) ^ -(v & 1);
}

static bool check_accesses(const uint8_t **at, const uint8_t *end, uint64_t n)
{
    uint64_t head, place;

    if (!n || n > MAX_ACCESSES)
        return false;
    while (n--)
        if (!check_number(at, end, &head) || !check_number(at, end, &place) ||
            (head & 7) >= TIMING_ACCESSES || head >> 3 >= MAX_SEGMENTS)
            return false;
    return true;
}

/* A stream that is whole, of bundles that there are. */
static bool check_stream(const struct timing_warp *w, uint64_t bundles)
{
    const uint8_t *at = w->data, *end = w->data + w->bytes;
    uint64_t head, first, next = 0;
    bool run = false;

    while (at < end) {
        if (!check_number(&at, end, &head))
            return false;
        uint64_t n = head >> 2;

        switch ((enum timing_record)(head & 3)) {
        case RECORD_RUN:
        case RECORD_MEMORY:
            run = (head & 3) == RECORD_RUN;
            if (!check_number(&at, end, &first))
                return false;
            first = next + unzigzag(first);
            next = first + (run ? n : 1);
            if (!n || first >= bundles || next > bundles || next <= first ||
                (!run && !check_accesses(&at, end, n)))
                return false;
            break;
        case RECORD_LANES:
            if (!n || n > UINT32_MAX)
                return false;
            run = false;
            break;
        case RECORD_AGAIN:
            if (n && (!run || n > UINT32_MAX))
                return false;
            run = false;
            break;
        }
    }
    return true;
}

static bool check_group(const struct timing_job *job, const struct timing_group *g)
{
    for (unsigned n = 0; n < g->warp_count; n++)
        if (!g->warps[n].lanes || g->warps[n].lanes > 32 ||
            !check_stream(&g->warps[n], job->bundles.len))
            return false;
    return g->warp_count > 0;
}

bool timing_job_check(const struct timing_job *job, struct error *err)
{
    uint64_t before = 0;

    for (size_t i = 0; i < job->groups.len; i++) {
        const struct timing_group *g = &job->groups.data[i];

        if (g->index >= job->group_total || (i && g->index <= before))
            return error_set(err, "its work-groups are not in order");
        before = g->index;
        if (!check_group(job, g))
            return error_set(err, "what work-group %" PRIu64 " executed is damaged", g->index);
    }
    return job->groups.len || error_set(err, "a job has no work-groups");
}

static unsigned words(const struct timing_bundle *b)
{
    unsigned n = 0;

    for (unsigned i = 0; i < TIMING_PIPES; i++)
        n += b->words[i];
    return n;
}

static uint64_t instructions(const struct timing_job *job, const struct timing_warp *w)
{
    struct timing_cursor c;
    uint64_t n = 0;

    timing_cursor_begin(&c, w);
    for (timing_cursor_next(&c); c.event != TIMING_END; timing_cursor_next(&c)) {
        if (c.event == TIMING_BARRIER)
            continue;
        for (uint32_t i = 0; i < c.count; i++)
            n += c.times * words(&job->bundles.data[c.first + i]);
        while (timing_cursor_access(&c))
            ;
    }
    return n;
}

uint64_t timing_job_instructions(const struct timing_job *job)
{
    uint64_t n = 0;

    for (size_t i = 0; i < job->groups.len; i++)
        for (unsigned k = 0; k < job->groups.data[i].warp_count; k++)
            n += instructions(job, &job->groups.data[i].warps[k]);
    return n;
}
