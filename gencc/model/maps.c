/*
 * Builds assembly maps: expands ranges, evaluates keys.
 */
#include "gencc/model/internal.h"

enum { MAX_RANGE = 65536 };

/* Evaluates the keys of a row; a range contributes `ranged`. */
static bool row_keys(struct isa_builder *ib, const struct ast_map_row *row, int64_t ranged,
                     struct map_entry *e)
{
    vec_for_each (&row->keys, k) {
        s128 v = ranged;

        if (*k && !const_eval(ib->b, ib, *k, &v))
            return false;
        if (v < INT64_MIN || v > INT64_MAX) {
            diag_error(ib->b->d, (*k)->pos, "a key has at most 64 bits");
            return false;
        }
        vec_push_in(ib->b->a, &e->keys, (int64_t)v);
    }
    return true;
}

static const char *key_text(struct arena *a, const struct map_entry *e)
{
    const char *text = "";

    for (unsigned i = 0; i < e->keys.len; i++)
        text = arena_printf(a, "%s%s%lld", text, i ? ", " : "", (long long)e->keys.data[i]);
    return text;
}

/* Published maps may define a key twice: the later text is printed, both are accepted. */
static void override_entry(struct isa_builder *ib, struct map_entry *old, const struct map_entry *e)
{
    struct map_entry both = *e;

    vec_for_each (&old->texts, t)
        vec_push_in(ib->b->a, &both.texts, *t);
    *old = both;
}

/* Where a key was defined: index of the entry, and its row. */
struct seen {
    const struct ast_map_row *row;
    unsigned index;
};

static bool add_entry(struct isa_builder *ib, struct asm_map *m, const struct ast_map_row *row,
                      const struct map_entry *e, struct name_map *seen)
{
    const char *keys = key_text(ib->b->a, e);
    struct seen *first = name_map_get(seen, keys);

    if (first && ib->isa->published) {
        override_entry(ib, &m->entries.data[first->index], e);
        return true;
    }
    if (first) {
        diag_error(ib->b->d, row->pos, "map \"%s\" has the key %s twice", m->name, keys);
        diag_note(ib->b->d, first->row->pos, "the first entry is here");
        return false;
    }
    first = arena_new(ib->b->a, struct seen);
    *first = (struct seen){row, m->entries.len};
    name_map_put(ib->b->a, seen, keys, first);
    vec_push_in(ib->b->a, &m->entries, *e);
    return true;
}

static bool check_row(struct isa_builder *ib, struct asm_map *m, const struct ast_map_row *row)
{
    unsigned ranges = 0;
    struct diag *d = ib->b->d;

    vec_for_each (&row->keys, k)
        ranges += !*k;
    if (!m->arity)
        m->arity = row->keys.len;
    if (row->keys.len != m->arity) {
        diag_error(d, row->pos, "this entry has %u key%s, the first entry of map \"%s\" has %u",
                   row->keys.len, row->keys.len == 1 ? "" : "s", m->name, m->arity);
        return false;
    }
    if (ranges != row->is_range) {
        diag_error(d, row->pos,
                   "a range of texts needs exactly one range of keys, as in "
                   "\"r\"[0..7] = [0..7]");
        return false;
    }
    if (ranges && (row->text_to < row->text_from || row->key_to < row->key_from ||
                   (uint64_t)row->text_to - (uint64_t)row->text_from >= MAX_RANGE ||
                   (uint64_t)row->text_to - (uint64_t)row->text_from !=
                       (uint64_t)row->key_to - (uint64_t)row->key_from)) {
        diag_error(d, row->pos, "the ranges of texts and of keys differ in length");
        return false;
    }
    return true;
}

static void build_row(struct isa_builder *ib, struct asm_map *m, const struct ast_map_row *row,
                      struct name_map *seen)
{
    int64_t count = row->is_range ? row->text_to - row->text_from + 1 : 1;

    for (int64_t i = 0; i < count; i++) {
        struct map_entry e = {0};

        if (!row_keys(ib, row, row->key_from + i, &e))
            return;
        vec_for_each (&row->texts, t)
            vec_push_in(ib->b->a, &e.texts,
                        row->is_range ? arena_printf(ib->b->a, "%s%lld%s", *t,
                                                     (long long)(row->text_from + i), row->suffix)
                                      : *t);
        if (!add_entry(ib, m, row, &e, seen))
            return;
    }
}

static void report_twice(const struct isa_builder *ib, const struct asm_map *m,
                         const struct asm_map *old)
{
    if (ib->isa->published)
        diag_warning(ib->b->d, WARN_PUBLISHED, m->pos,
                     "map \"%s\" is declared twice; the first counts", m->name);
    else
        diag_error(ib->b->d, m->pos, "map \"%s\" is declared twice", m->name);
    diag_note(ib->b->d, old->pos, "the first declaration is here");
}

void build_maps(struct isa_builder *ib)
{
    vec_for_each (&ib->ast->maps, ast) {
        struct asm_map *m = arena_new(ib->b->a, struct asm_map);
        const struct asm_map *old = name_map_get(&ib->isa->map_names, ast->name);
        struct name_map seen = {0};

        m->pos = ast->pos;
        m->name = ast->name;
        m->index = ib->isa->maps.len;
        if (old) {
            report_twice(ib, m, old);
            continue;
        }
        name_map_put(ib->b->a, &ib->isa->map_names, m->name, m);
        vec_push_in(ib->b->a, &ib->isa->maps, m);
        vec_for_each (&ast->rows, row)
            if (check_row(ib, m, row))
                build_row(ib, m, row, &seen);
        if (ast->rows.len)
            continue;
        if (!ib->b->m->is_lane)
            diag_error(ib->b->d, m->pos, "map \"%s\" has no entries", m->name);
        m->arity = 1;
        m->is_text = true; /* a text of the bundle gives its form */
    }
}
