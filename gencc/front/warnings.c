/*
 * Options that switch warnings on and off, and warnings that are reported only if all compilations
 * of a place agree.
 */
#include "common/hash.h"
#include "gencc/front/diag.h"

#include <stdlib.h>
#include <string.h>

/* ---- options --------------------------------------------------------------------------------- */

static bool set_by_name(bool *of, const char *name, bool value)
{
    for (unsigned w = 0; w < WARN_COUNT; w++) {
        if (strcmp(warnings_known[w].name, name))
            continue;
        of[w] = value;
        return true;
    }
    return false;
}

static bool switch_on(struct diag *d, const char *name)
{
    return set_by_name(d->off, name, false) && set_by_name(d->on, name, true);
}

/* The rest of the option after `start`, or NULL if it does not begin so. */
static const char *text_after(const char *option, const char *start)
{
    return strncmp(option, start, strlen(start)) ? NULL : option + strlen(start);
}

bool diag_option(struct diag *d, const char *option)
{
    const char *name;

    if (!strcmp(option, "-Werror")) {
        memset(d->fail, true, sizeof(d->fail));
        return true;
    }
    if ((name = text_after(option, "-Werror=")))
        return set_by_name(d->fail, name, true) && switch_on(d, name);
    if ((name = text_after(option, "-Wno-error=")))
        return set_by_name(d->fail, name, false);
    if ((name = text_after(option, "-Wno-")))
        return set_by_name(d->off, name, true);
    return (name = text_after(option, "-W")) && switch_on(d, name);
}

/* ---- verdicts -------------------------------------------------------------------------------- */

struct verdict {
    struct src_pos pos;
    enum warning w;
    bool found_right; /* at least one compilation found nothing wrong */
    const char *text; /* message of the first compilation that was wrong */
};

static bool is_verdict_of(const struct verdict *v, enum warning w, struct src_pos pos)
{
    return v->w == w && src_same_place(v->pos, pos);
}

static unsigned first_slot(const struct diag *d, enum warning w, struct src_pos pos)
{
    uint64_t h = hash_text(pos.file->path);

    h = (h ^ pos.line) * 0x9e3779b97f4a7c15u;
    h = (h ^ pos.column) * 0x9e3779b97f4a7c15u;
    h = (h ^ (unsigned)w) * 0x9e3779b97f4a7c15u;
    return (unsigned)(h >> 32) & (d->verdict_room - 1);
}

/* Returns the table's entry for a verdict, or the free entry where it belongs. */
static unsigned *verdict_slot(const struct diag *d, enum warning w, struct src_pos pos)
{
    unsigned i = first_slot(d, w, pos);

    while (d->verdict_table[i] &&
           !is_verdict_of(&d->verdicts.data[d->verdict_table[i] - 1], w, pos))
        i = (i + 1) & (d->verdict_room - 1);
    return &d->verdict_table[i];
}

static void grow_verdict_table(struct diag *d)
{
    if (d->verdicts.len * 2 < d->verdict_room)
        return;
    d->verdict_room = d->verdict_room ? d->verdict_room * 2 : 1024;
    d->verdict_table = arena_alloc(d->arena, d->verdict_room * sizeof(*d->verdict_table));
    for (unsigned i = 0; i < d->verdicts.len; i++)
        *verdict_slot(d, d->verdicts.data[i].w, d->verdicts.data[i].pos) = i + 1;
}

void diag_judge(struct diag *d, enum warning w, struct src_pos pos, bool wrong, const char *fmt,
                ...)
{
    struct verdict *v;
    unsigned *place;
    va_list ap;

    if (diag_is_off(d, w) || !pos.file)
        return;
    grow_verdict_table(d);
    place = verdict_slot(d, w, pos);
    if (!*place) {
        vec_push_in(d->arena, &d->verdicts, ((struct verdict){.pos = pos, .w = w}));
        *place = d->verdicts.len;
    }
    v = &d->verdicts.data[*place - 1];
    v->found_right |= !wrong;
    if (v->found_right || v->text)
        return;
    va_start(ap, fmt);
    v->text = arena_vprintf(d->arena, fmt, ap);
    va_end(ap);
}

static int by_place(const void *a, const void *b)
{
    const struct verdict *x = a, *y = b;
    int files = strcmp(x->pos.file->path, y->pos.file->path);

    if (files)
        return files;
    if (x->pos.line != y->pos.line)
        return x->pos.line < y->pos.line ? -1 : 1;
    if (x->pos.column != y->pos.column)
        return x->pos.column < y->pos.column ? -1 : 1;
    return (int)x->w - (int)y->w;
}

void diag_report_verdicts(struct diag *d)
{
    if (d->verdicts.len)
        qsort(d->verdicts.data, d->verdicts.len, sizeof(*d->verdicts.data), by_place);
    vec_for_each (&d->verdicts, v)
        if (!v->found_right)
            diag_warning(d, v->w, v->pos, "%s", v->text);
    d->verdicts.len = 0;
    if (d->verdict_table)
        memset(d->verdict_table, 0, d->verdict_room * sizeof(*d->verdict_table));
}
