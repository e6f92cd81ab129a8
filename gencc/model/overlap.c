/*
 * Checks overlapping encodings. Of two patterns that match a common word, the more specific one
 * wins: its fixed bits are a strict superset, or it has the same bits and more exclusions. Any
 * other overlap is an error, unless the `where` conditions exclude every common word (or, if trying
 * all is too costly, both have conditions). In published models it is a warning: the pattern with
 * more fixed bits is taken, or the first declared.
 */
#include "gencc/model/internal.h"

struct entry {
    const struct form *form;
    const struct pattern *pattern;
    bool special_of_all; /* no more specific pattern overlaps it */
};

struct entries {
    VEC(struct entry) v;
};

static bool decode_raises(const struct ast_stmt *s)
{
    if (!s)
        return false;
    if (s->kind == AST_RAISE)
        return true;
    vec_for_each (&s->body, b)
        if (decode_raises(*b))
            return true;
    return decode_raises(s->a) || decode_raises(s->b);
}

bool form_unconditional(const struct form *f)
{
    const struct instr *i = f->instr;

    return !i->where.len && !i->features.len &&
           !(i->format->decode && decode_raises(i->format->decode->body));
}

/* Whether `x` has all exclusions of `y` and more. */
static bool excludes_more(const struct pattern *x, const struct pattern *y)
{
    unsigned found = 0;

    vec_for_each (&y->nots, n)
        vec_for_each (&x->nots, m)
            found += n->mask == m->mask && n->value == m->value;
    return found == y->nots.len && x->nots.len > y->nots.len;
}

/* Whether `x` is more specific than `y`; both agree in the bits that both fix. */
static bool is_more_specific(const struct pattern *x, const struct pattern *y)
{
    if (x->mask != y->mask)
        return !(y->mask & ~x->mask);
    return excludes_more(x, y);
}

static void report_overlap(struct isa_builder *ib, const struct entry *x, const struct entry *y,
                           u128 word)
{
    const char *example = word_hex(ib->b->a, word, x->form->instr->format->width);

    if (ib->isa->published)
        diag_warning(
            ib->b->d, WARN_PUBLISHED, y->pattern->pos,
            "\"%s\" overlaps \"%s\": both match %s; the one with more fixed bits is taken, "
            "or the first",
            y->form->instr->name, x->form->instr->name, example);
    else if (x->pattern->mask == y->pattern->mask && !x->pattern->nots.len && !y->pattern->nots.len)
        diag_error(ib->b->d, y->pattern->pos,
                   "\"%s\" can never be decoded: \"%s\" has the same encoding, %s for example",
                   y->form->name, x->form->name, example);
    else
        diag_error(ib->b->d, y->pattern->pos,
                   "\"%s\" overlaps \"%s\": both match %s, and neither is a special case of the "
                   "other",
                   y->form->name, x->form->name, example);
    diag_note(ib->b->d, x->pattern->pos, "\"%s\" is here", x->form->instr->name);
}

/* Compares two patterns of one width: marks the less specific one, or reports the overlap. */
static void check_pair(struct isa_builder *ib, struct entry *x, struct entry *y,
                       struct name_map *reported)
{
    const struct instr *a = x->form->instr, *b = y->form->instr;
    struct pattern both;
    const char *key;
    u128 example;

    if (is_more_specific(x->pattern, y->pattern)) {
        y->special_of_all = false;
        return;
    }
    if (is_more_specific(y->pattern, x->pattern)) {
        x->special_of_all = false;
        return;
    }
    if (a == b || !pattern_intersect(ib->b->a, x->pattern, y->pattern, &both) ||
        where_separates(ib, a, b, &both, &example))
        return;
    key = arena_printf(ib->b->a, "%u %u", a->index, b->index);
    if (name_map_put(ib->b->a, reported, key, x))
        return;
    report_overlap(ib, x, y, example);
}

/* Reports a form as unreachable if more specific forms match all its words. */
static void check_reachable(struct isa_builder *ib, const struct form *form,
                            const struct entries *all)
{
    const struct pattern **cover = arena_alloc(ib->b->a, (all->v.len + 1) * sizeof(*cover));
    const struct form *taker = NULL;

    vec_for_each (&form->patterns, p) {
        unsigned count = 0;

        vec_for_each (&all->v, e) {
            if (e->form == form || e->pattern->nots.len || !form_unconditional(e->form) ||
                ((e->pattern->value ^ p->value) & e->pattern->mask & p->mask) ||
                !is_more_specific(e->pattern, p))
                continue;
            cover[count++] = e->pattern;
            taker = e->form;
        }
        if (!count || !pattern_covered(ib->b->a, p, cover, count))
            return;
    }
    if (!taker)
        return;
    diag_error(ib->b->d, form->instr->pos,
               "\"%s\" can never be decoded: special cases such as \"%s\" take all its words",
               form->name, taker->name);
    diag_note(ib->b->d, taker->instr->pos, "\"%s\" is here", taker->instr->name);
}

static void check_width(struct isa_builder *ib, struct entries *all)
{
    struct name_map reported = {0};
    struct entry *e = all->v.data;

    for (unsigned i = 0; i < all->v.len; i++) {
        u128 mask = e[i].pattern->mask, value = e[i].pattern->value;

        for (unsigned j = i + 1; j < all->v.len; j++)
            if (!((value ^ e[j].pattern->value) & mask & e[j].pattern->mask))
                check_pair(ib, &e[i], &e[j], &reported);
    }
    for (unsigned i = 0; i < all->v.len; i++) {
        bool last = i + 1 == all->v.len || e[i + 1].form != e[i].form;

        if (last && !e[i].special_of_all && !ib->isa->published)
            check_reachable(ib, e[i].form, all);
    }
}

void check_overlaps(struct isa_builder *ib)
{
    VEC(unsigned) widths = {0};

    vec_for_each (&ib->isa->forms, f) {
        unsigned width = (*f)->instr->format->width, i = 0;

        while (i < widths.len && widths.data[i] != width)
            i++;
        if (i == widths.len)
            vec_push_in(ib->b->a, &widths, width);
    }
    vec_for_each (&widths, w) {
        struct entries all = {0};

        vec_for_each (&ib->isa->forms, f)
            if ((*f)->instr->format->width == *w)
                vec_for_each (&(*f)->patterns, p)
                    vec_push_in(ib->b->a, &all.v, ((struct entry){*f, p, true}));
        check_width(ib, &all);
    }
}

/* ---- named groups ---------------------------------------------------------------------------- */

static struct instr *group_member(struct isa_builder *ib, const struct ast_param *member)
{
    struct instr *found = name_map_get(&ib->isa->instr_names, member->name);
    struct name_guess guess = {.wrong = member->name};

    if (found)
        return found;
    vec_for_each (&ib->isa->instrs, i)
        name_guess_offer(&guess, (*i)->name);
    diag_unknown(ib->b->d, member->pos, &guess, "unknown instruction \"%s\"", guess.wrong);
    return NULL;
}

/* Whether an instruction has all words that its patterns match. Only such a one may stand before
 * others of a group: words that its conditions reject would have no instruction at all. */
static bool has_its_words(struct isa_builder *ib, const struct ast_param *member,
                          const struct instr *instr)
{
    bool has = true;

    vec_for_each (&instr->forms, f) {
        has = has && form_unconditional(*f);
        vec_for_each (&(*f)->patterns, p)
            has = has && !p->nots.len;
    }
    if (!has)
        diag_error(ib->b->d, member->pos,
                   "only the last of an overlap group has conditions or excluded values");
    return has;
}

/* Excludes the words of `first` from the form's patterns. */
static void exclude_words(struct isa_builder *ib, struct form *form, const struct instr *first)
{
    unsigned kept = 0;

    for (unsigned n = 0; n < form->patterns.len; n++) {
        struct pattern p = form->patterns.data[n];

        vec_for_each (&first->forms, f)
            vec_for_each (&(*f)->patterns, taken)
                pattern_exclude(ib->b->a, &p, taken->mask, taken->value);
        if (pattern_simplify(&p))
            form->patterns.data[kept++] = p;
    }
    if (!kept && form->patterns.len)
        diag_error(ib->b->d, form->instr->pos, "\"%s\" can never be decoded: \"%s\" has its words",
                   form->name, first->name);
    form->patterns.len = kept;
}

static void apply_group(struct isa_builder *ib, const struct ast_overlap *group)
{
    VEC(struct instr *) members = {0};

    for (unsigned n = 0; n < group->members.len; n++) {
        const struct ast_param *member = &group->members.data[n];
        struct instr *found = group_member(ib, member);

        if (!found || (n + 1 < group->members.len && !has_its_words(ib, member, found)))
            return;
        vec_push_in(ib->b->a, &members, found);
    }
    for (unsigned n = 0; n < members.len; n++)
        for (unsigned k = n + 1; k < members.len; k++)
            if (members.data[k]->format->width == members.data[n]->format->width)
                vec_for_each (&members.data[k]->forms, f)
                    exclude_words(ib, *f, members.data[n]);
}

void apply_overlap_groups(struct isa_builder *ib)
{
    vec_for_each (&ib->ast->overlaps, group)
        apply_group(ib, group);
}
