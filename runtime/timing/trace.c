/*
 * Reads streams of rows. A stream from a file is checked once, with the number of bundles of its
 * job. After that the cursor only makes sure to stay within the stream.
 */
#include "runtime/timing/trace.h"

#include <inttypes.h>
#include <stdlib.h>

#include "runtime/timing/stream.h"

uint64_t timing_sample_step(uint64_t group_total, uint64_t most)
{
    return most && group_total > most ? (group_total + most - 1) / most : 1;
}

static void release_group(const struct timing_job *job, struct timing_group *g)
{
    for (unsigned n = 0; !job->raw && n < g->row_count; n++)
        free(g->rows[n].data);
    free(g->rows);
}

void timing_job_sample(struct timing_job *job, uint64_t most)
{
    uint64_t step = timing_sample_step(job->groups.len, most);
    size_t kept = 0;

    for (size_t i = 0; step > 1 && i < job->groups.len; i++) {
        if (i % step)
            release_group(job, &job->groups.data[i]);
        else
            job->groups.data[kept++] = job->groups.data[i];
    }
    if (step > 1)
        job->groups.len = kept;
}

void timing_job_release(struct timing_job *job)
{
    for (size_t i = 0; i < job->groups.len; i++)
        release_group(job, &job->groups.data[i]);
    free(job->raw);
    job->raw = NULL;
    vec_free(&job->groups);
    vec_free(&job->bundles);
}

/* ---- cursors --------------------------------------------------------------------------------- */

static inline uint64_t take_number(struct timing_cursor *c)
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
    uint64_t v = take_number(c);

    return from + ((v >> 1) ^ -(v & 1));
}

static uint32_t low_bits(unsigned n)
{
    return n >= 32 ? UINT32_MAX : (1u << n) - 1;
}

void timing_cursor_begin(struct timing_cursor *c, const struct timing_job *job,
                         const struct timing_row *row, unsigned warp)
{
    *c = (struct timing_cursor){
        .at = row->data,
        .end = row->data + row->bytes,
        .warp_lanes = low_bits(job->warp_width) << (warp * job->warp_width),
        .lanes = low_bits(row->lanes),
    };
}

/* Reads the AGAIN that may follow a RUN. */
static inline void read_again(struct timing_cursor *c)
{
    const uint8_t *back = c->at;
    uint64_t head;

    c->times = 1;
    if (c->at == c->end || (*c->at & 3) != RECORD_AGAIN)
        return;
    head = take_number(c);
    if (head >> 2)
        c->times += head >> 2;
    else
        c->at = back;
}

/* ---- accesses -------------------------------------------------------------------------------- */

static void take_list(struct timing_cursor *c, struct timing_touch *t)
{
    uint64_t at = t->base;

    for (uint32_t left = t->lanes, first = 1; left; left &= left - 1, first = 0) {
        at = first ? at : take_from(c, at);
        t->list[__builtin_ctz(left)] = at;
    }
}

/* Reads the next access, with all its lanes of the row. */
static inline void read_touch(struct timing_cursor *c, struct timing_touch *t)
{
    uint64_t head = take_number(c), *place = &c->place[(c->first + c->access++) % TIMING_PLACES];

    t->access = (enum timing_access)(head & 7);
    t->shape = (enum timing_shape_of_access)(head >> TOUCH_SHAPE_SHIFT & 7);
    t->bytes = (uint32_t)(head >> TOUCH_BYTES_SHIFT) + 1;
    t->block = ONE_BLOCK;
    t->far = 0;
    t->lanes = head & TOUCH_OWN_LANES ? (uint32_t)take_number(c) : c->lanes;
    t->base = *place = take_from(c, *place);
    switch (t->shape) {
    case TIMING_SAME:
        t->stride = 0;
        break;
    case TIMING_SIDE:
        t->stride = t->bytes;
        break;
    case TIMING_STRIDE:
        t->stride = take_from(c, 0);
        break;
    case TIMING_BLOCKS:
        t->block = (unsigned)take_number(c);
        t->stride = take_from(c, 0);
        t->far = take_from(c, 0);
        break;
    case TIMING_LIST:
        take_list(c, t);
        break;
    case TIMING_SHAPES:
        break;
    }
}

bool timing_cursor_access(struct timing_cursor *c, struct timing_touch *t)
{
    while (c->access < c->accesses) {
        read_touch(c, t);
        t->lanes &= c->warp_lanes;
        if (t->lanes)
            return true;
    }
    return false;
}

/* Whether lanes of the warp take part in any access; does not move the cursor. */
static bool has_accesses(struct timing_cursor *c)
{
    struct timing_cursor ahead = *c;
    struct timing_touch t;

    return timing_cursor_access(&ahead, &t);
}

static void skip_accesses(struct timing_cursor *c)
{
    struct timing_touch t;

    while (c->access < c->accesses)
        read_touch(c, &t);
}

/* Reads a MEMORY record. false: no lanes of the warp take part. */
static bool read_memory(struct timing_cursor *c, uint64_t n)
{
    c->event = TIMING_MEMORY;
    c->accesses = (uint32_t)(n / 2);
    c->access = 0;
    c->count = 1;
    c->times = 1;
    c->first = (uint32_t)take_from(c, c->next);
    c->next = c->first + 1;
    if (c->lanes & c->warp_lanes && (!(n & 1) || has_accesses(c)))
        return true;
    skip_accesses(c);
    c->event = TIMING_RUN; /* the active lanes access nothing */
    return c->lanes & c->warp_lanes;
}

/* Enters repeated records: `end` is their end until the last repetition. */
static void enter_body(struct timing_cursor *c, const uint8_t *record)
{
    c->body = record - take_number(c);
    c->passes_left = take_number(c) - 1;
    c->continue_at = c->at;
    c->continue_end = c->end;
    c->end = record;
    c->at = c->body;
}

/* At the end of the records: repeats them or continues behind them. Returns whether there is
 * more. */
static bool repeat_body(struct timing_cursor *c)
{
    if (!c->body)
        return false;
    if (c->passes_left) {
        c->passes_left--;
        c->at = c->body;
        return true;
    }
    c->body = NULL;
    c->at = c->continue_at;
    c->end = c->continue_end;
    return c->at < c->end;
}

void timing_cursor_next(struct timing_cursor *c)
{
    while (c->at < c->end || repeat_body(c)) {
        const uint8_t *record = c->at;
        uint64_t head = take_number(c);

        switch ((enum timing_record)(head & 3)) {
        case RECORD_RUN:
            c->event = TIMING_RUN;
            c->count = (uint32_t)(head >> 2);
            c->first = (uint32_t)take_from(c, c->next);
            c->next = c->first + c->count;
            read_again(c);
            if (c->lanes & c->warp_lanes)
                return;
            break;
        case RECORD_MEMORY:
            if (read_memory(c, head >> 2))
                return;
            break;
        case RECORD_LANES:
            if (head >> 2)
                c->lanes = (uint32_t)(head >> 2);
            else
                enter_body(c, record);
            break;
        case RECORD_AGAIN:
            c->event = TIMING_BARRIER;
            if (c->lanes & c->warp_lanes)
                return;
            break;
        }
    }
    c->event = TIMING_END;
}

/* ---- checking -------------------------------------------------------------------------------- */

enum {
    MAX_ACCESSES = 4096, /* accesses per bundle */
    MAX_BYTES = 4096,    /* bytes of a lane's access: a page */
};

/* Whether a complete number is at *at. */
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

static uint64_t decode_zigzag(uint64_t v)
{
    return (v >> 1) ^ -(v & 1);
}

static bool check_access(const uint8_t **at, const uint8_t *end, uint32_t lanes)
{
    uint64_t head, number, own = lanes, more, shape;

    if (!check_number(at, end, &head) || (head & 7) >= TIMING_ACCESSES ||
        head >> TOUCH_BYTES_SHIFT >= MAX_BYTES ||
        (head & TOUCH_OWN_LANES && !check_number(at, end, &own)) || !own ||
        own & ~(uint64_t)lanes || !check_number(at, end, &number))
        return false;
    shape = head >> TOUCH_SHAPE_SHIFT & 7;
    if (shape >= TIMING_SHAPES ||
        (shape == TIMING_BLOCKS && (!check_number(at, end, &number) || number > ONE_BLOCK)))
        return false;
    more = shape == TIMING_STRIDE ? 1 : shape == TIMING_BLOCKS ? 2 : 0;
    if (shape == TIMING_LIST)
        more = (uint64_t)__builtin_popcountll(own) - 1;
    while (more--)
        if (!check_number(at, end, &number))
            return false;
    return true;
}

static bool check_accesses(const uint8_t **at, const uint8_t *end, uint64_t n, uint32_t lanes)
{
    if (n / 2 > MAX_ACCESSES)
        return false;
    for (n /= 2; n; n--)
        if (!check_access(at, end, lanes))
            return false;
    return true;
}

/* The state of the check of a stream. */
struct check {
    const uint8_t *start, *at, *end;
    uint64_t bundles, next; /* number of bundles; bundle behind the last checked record */
    uint32_t lanes, all;    /* active lanes; lanes of the row */
    bool run;               /* the last checked record is a RUN */
};

/* Checks a RUN or MEMORY record. */
static bool check_bundles(struct check *c, uint64_t head)
{
    bool run = (head & 3) == RECORD_RUN;
    uint64_t n = head >> 2, first;

    if (!check_number(&c->at, c->end, &first))
        return false;
    first = c->next + decode_zigzag(first);
    c->next = first + (run ? n : 1);
    c->run = run;
    return (run ? n : n / 2) && first < c->bundles && c->next <= c->bundles && c->next > first &&
           (run || check_accesses(&c->at, c->end, n, c->lanes));
}

static bool check_again(struct check *c, uint64_t n)
{
    bool good = c->run && n <= UINT32_MAX;

    c->run = false;
    return good;
}

/* Checks that repeated records end where they begin, so that checking one repetition checks all. */
static bool check_body(const struct check *c, const uint8_t *record)
{
    struct check body = *c;
    uint64_t bytes, times, head;

    if (!check_number(&body.at, c->end, &bytes) || !check_number(&body.at, c->end, &times) ||
        !bytes || bytes > BODY_BYTES || bytes > (uint64_t)(record - c->start) || !times ||
        times > BODY_TIMES)
        return false;
    body.at = record - bytes;
    body.end = record;
    body.run = false;
    while (body.at < body.end)
        if (!check_number(&body.at, body.end, &head) || (head & 3) == RECORD_LANES ||
            !((head & 3) == RECORD_AGAIN ? head >> 2 && check_again(&body, head >> 2)
                                         : check_bundles(&body, head)))
            return false;
    return body.next == c->next;
}

static bool check_lanes(struct check *c, const uint8_t *record, uint64_t n)
{
    uint64_t ignored;

    c->run = false;
    if (!n)
        return check_body(c, record) && check_number(&c->at, c->end, &ignored) &&
               check_number(&c->at, c->end, &ignored);
    c->lanes = (uint32_t)n;
    return !(n & ~(uint64_t)c->all);
}

/* Checks that a stream is complete and names existing bundles. */
static bool check_stream(const struct timing_row *row, uint64_t bundles)
{
    struct check c = {.start = row->data,
                      .at = row->data,
                      .end = row->data + row->bytes,
                      .bundles = bundles,
                      .lanes = low_bits(row->lanes),
                      .all = low_bits(row->lanes)};

    while (c.at < c.end) {
        const uint8_t *record = c.at;
        uint64_t head;
        bool good = check_number(&c.at, c.end, &head);

        if (!good)
            return false;
        switch ((enum timing_record)(head & 3)) {
        case RECORD_RUN:
        case RECORD_MEMORY:
            good = check_bundles(&c, head);
            break;
        case RECORD_LANES:
            good = check_lanes(&c, record, head >> 2);
            break;
        case RECORD_AGAIN:
            good = !(head >> 2) || check_again(&c, head >> 2);
            c.run = false;
            break;
        }
        if (!good)
            return false;
    }
    return true;
}

static bool check_group(const struct timing_job *job, const struct timing_group *g)
{
    for (unsigned n = 0; n < g->row_count; n++)
        if (!g->rows[n].lanes || g->rows[n].lanes > job->row_width ||
            !check_stream(&g->rows[n], job->bundles.len))
            return false;
    return g->row_count > 0;
}

/* Checks that rows consist of whole warps and have at most 32 lanes. */
static bool check_widths(const struct timing_job *job)
{
    return job->group_threads && job->warp_width && job->row_width &&
           job->row_width <= TIMING_ROW_LANES && job->row_width % job->warp_width == 0;
}

bool timing_job_check(const struct timing_job *job, struct error *err)
{
    uint64_t before = 0;

    if (!check_widths(job))
        return error_set(err, "its threads, warps and rows do not fit together");
    for (size_t i = 0; i < job->bundles.len; i++) {
        const struct timing_bundle *b = &job->bundles.data[i];

        if (b->slot >= TIMING_SLOTS && b->slot != TIMING_NO_SLOT)
            return error_set(err, "a bundle has a slot that there is not");
        if (b->bytes > TIMING_BUNDLE_BYTES)
            return error_set(err, "a bundle has more than %d bytes", TIMING_BUNDLE_BYTES);
    }
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

static unsigned count_words(const struct timing_bundle *b)
{
    unsigned n = 0;

    for (unsigned i = 0; i < TIMING_PIPES; i++)
        n += b->words[i];
    return n;
}

static void add_work(const struct timing_job *job, const struct timing_row *row, unsigned warp,
                     struct timing_work *sum)
{
    struct timing_cursor c;
    struct timing_touch t;

    timing_cursor_begin(&c, job, row, warp);
    for (timing_cursor_next(&c); c.event != TIMING_END; timing_cursor_next(&c)) {
        uint64_t lanes = (uint64_t)__builtin_popcount(c.lanes & c.warp_lanes);

        if (c.event == TIMING_BARRIER)
            continue;
        for (uint32_t i = 0; i < c.count; i++) {
            const struct timing_bundle *b = &job->bundles.data[c.first + i];

            sum->instructions += c.times * count_words(b);
            sum->arithmetic += c.times * lanes * b->words[TIMING_PIPE_ARITHMETIC];
        }
        while (timing_cursor_access(&c, &t))
            ;
    }
}

struct timing_work timing_job_work(const struct timing_job *job)
{
    struct timing_work sum = {0};

    for (size_t i = 0; i < job->groups.len; i++)
        for (unsigned k = 0; k < job->groups.data[i].row_count; k++) {
            const struct timing_row *row = &job->groups.data[i].rows[k];

            for (unsigned warp = 0; warp < timing_row_warps(job, row); warp++)
                add_work(job, row, warp, &sum);
        }
    return sum;
}
