/*
 * Builds the model from the syntax tree: the order of its parts.
 */
#include "gencc/model/bundle_internal.h"

#include <string.h>

enum { MIN_ADDRESS = 12 }; /* lowest number of address bits: the runtime's pages have 4 KiB */

/* Whether the name of a byte order is `big`. Lanes are always little-endian. */
static bool is_big_endian(const struct builder *b, struct src_pos pos, const char *name)
{
    bool big = strcmp(name, "big") == 0;

    if (!big && strcmp(name, "little") != 0)
        diag_error(b->d, pos, "endianness is \"little\" or \"big\", not \"%s\"", name);
    else if (big && b->m->is_lane)
        diag_error(b->d, pos, "lanes are little-endian");
    return big;
}

/* Published RISC-V models give the address size in bytes. */
static void check_address_bits(const struct builder *b, struct src_pos pos, struct mem_iface *m)
{
    if (b->published)
        diag_warning(b->d, WARN_PUBLISHED, pos,
                     "addresses of a memory interface have %u to 64 bits, not %u; those of a word "
                     "are taken",
                     MIN_ADDRESS, m->addr_bits);
    else
        diag_error(b->d, pos, "addresses of a memory interface have %u to 64 bits, not %u",
                   MIN_ADDRESS, m->addr_bits);
    m->addr_bits = b->m->word_bits == 32 ? 32 : 64;
}

/* Intrinsics determine the width of accesses, and the CPU determines what is fetched. These numbers
 * are checked, but nothing depends on them. */
static void check_units(const struct builder *b, const struct ast_mem *a)
{
    unsigned bits = a->word_bits;

    if (!b->published && bits != 8 && bits != 16 && bits != 32 && bits != 64)
        diag_error(b->d, a->word_pos, "a unit of memory has 8, 16, 32 or 64 bits, not %u", bits);
    if (a->is_fetch > 1)
        diag_error(b->d, a->fetch_pos, "expected 1, a memory interface for fetching, or 0, not %u",
                   a->is_fetch);
}

static void build_mems(struct builder *b)
{
    vec_for_each (&b->ast->mems, a) {
        struct mem_iface m = {.name = a->name,
                              .addr_bits = a->addr_bits,
                              .word_bits = a->word_bits,
                              .is_fetch = a->is_fetch != 0,
                              .big_endian = is_big_endian(b, a->endian_pos, a->endian),
                              .ring = a->ring};

        check_units(b, a);
        if (m.is_fetch && m.big_endian != b->m->big_endian)
            diag_error(b->d, a->endian_pos,
                       "memory interface \"%s\" fetches words, which are %s-endian by set_endian()",
                       m.name, b->m->big_endian ? "big" : "little");
        if (b->m->is_lane && a->ring != AST_CURRENT_RING)
            diag_error(b->d, a->pos, "lanes have no rings that memory interface \"%s\" could use",
                       a->name);
        if (m.addr_bits < MIN_ADDRESS || m.addr_bits > 64)
            check_address_bits(b, a->pos, &m);
        vec_for_each (&b->m->mems, old)
            if (strcmp(old->name, m.name) == 0)
                diag_error(b->d, a->pos, "memory interface \"%s\" is declared twice", m.name);
        vec_push_in(b->a, &b->m->mems, m);
    }
}

/* Adds the features that are options of the CPU, or those that are not. */
static void add_features(struct builder *b, bool options)
{
    vec_for_each (&b->ast->features, a) {
        struct feature *f;

        if (options != !!a->about)
            continue;
        f = arena_new(b->a, struct feature);
        f->name = a->name;
        f->about = a->about;
        f->index = b->m->features.len;
        if (name_map_put(b->a, &b->m->feature_names, f->name, f))
            diag_error(b->d, a->pos, "feature \"%s\" is declared twice", f->name);
        vec_push_in(b->a, &b->m->features, f);
    }
}

static void build_features(struct builder *b)
{
    struct name_map set = {0};

    /* Behaviours ask mostly for features that are no options. These come first, so that a new
     * option leaves their numbers, and with them most of the generated code, as they are. */
    add_features(b, false);
    add_features(b, true);
    vec_for_each (&b->ast->feature_values, s) {
        struct feature *f = model_feature(b->m, s->name);
        struct name_guess guess = {.wrong = s->name};
        u128 v;

        vec_for_each (&b->m->features, it)
            name_guess_offer(&guess, (*it)->name);
        if (!f)
            diag_unknown(b->d, s->pos, &guess, "unknown feature \"%s\"", guess.wrong);
        else if (name_map_put(b->a, &set, s->name, f))
            diag_error(b->d, s->pos, "feature \"%s\" is set twice", s->name);
        else if (const_bits(b, NULL, s->value, 32, "a feature", &v))
            f->value = (unsigned)v;
    }
}

static bool is_prelude(const struct builder *b, const char *name)
{
    vec_for_each (&b->ast->prelude, d)
        if (strcmp((*d)->name, name) == 0)
            return true;
    return false;
}

static void collect_settings(struct builder *b)
{
    vec_for_each (&b->ast->constants, s) {
        if (is_prelude(b, s->name))
            diag_error(b->d, s->pos, "constant \"%s\" is in the prelude", s->name);
        else if (name_map_put(b->a, &b->constants, s->name, s))
            diag_error(b->d, s->pos, "constant \"%s\" is set twice", s->name);
    }
    vec_for_each (&b->ast->typenames, s)
        if (name_map_put(b->a, &b->typenames, s->name, s))
            diag_error(b->d, s->pos, "type name \"%s\" is set twice", s->name);
}

/* Adds a definition to the map of its kind. Published models may define a name twice. */
static void collect_def(struct isa_builder *ib, struct name_map *map, const struct ast_def *def,
                        const char *what)
{
    const struct ast_def *old = name_map_get(map, def->name);

    if (!old) {
        name_map_put(ib->b->a, map, def->name, (void *)(uintptr_t)def);
        return;
    }
    if (ib->isa->published)
        diag_warning(ib->b->d, WARN_PUBLISHED, def->pos,
                     "%s(%s) is defined twice; the first counts", what, def->name);
    else
        diag_error(ib->b->d, def->pos, "%s(%s) is defined twice", what, def->name);
    diag_note(ib->b->d, old->pos, "the first definition is here");
}

static void collect_hook(struct isa_builder *ib, const struct ast_def *def)
{
    const struct ast_def **hook = !strcmp(def->name, "before")  ? &ib->isa->before
                                  : !strcmp(def->name, "after") ? &ib->isa->after
                                                                : NULL;

    if (!hook) {
        diag_error(ib->b->d, def->pos,
                   "a hook runs before or after every instruction: hook(before), hook(after)");
    } else if (ib->b->m->is_lane) {
        diag_error(ib->b->d, def->pos, "lanes have no hooks");
    } else if (*hook) {
        diag_error(ib->b->d, def->pos, "hook(%s) is defined twice", def->name);
        diag_note(ib->b->d, (*hook)->pos, "the first definition is here");
    } else {
        *hook = def;
    }
}

static void collect_defs(struct isa_builder *ib)
{
    collect_constants(ib);
    vec_for_each (&ib->b->ast->prelude, d)
        vec_push_in(ib->b->a, &ib->isa->defs, *d);
    vec_for_each (&ib->ast->defs, d) {
        switch ((*d)->kind) {
        case AST_EXECUTE:
            collect_def(ib, &ib->executes, *d, "execute");
            continue;
        case AST_HOOK:
            collect_hook(ib, *d);
            continue;
        case AST_DECODE:
            collect_def(ib, &ib->decodes, *d, "decode");
            continue;
        case AST_SYSREG:
            continue;
        default:
            break;
        }
        vec_push_in(ib->b->a, &ib->isa->defs, *d);
    }
}

static void build_isa(struct builder *b, struct isa *isa)
{
    struct isa_builder ib = {.b = b, .isa = isa, .ast = isa->ast};

    if (!isa->fetch_bits && !isa->ast->bundle && !b->incomplete)
        diag_error(b->d, isa->ast->pos, "ISA \"%s\" has no ac_fetchsize", isa->name);
    collect_defs(&ib);
    build_words(&ib);
    build_tables(&ib);
    build_maps(&ib);
    build_formats(&ib);
    if (isa->ast->bundle) {
        build_bundle(&ib);
        return;
    }
    build_families(&ib);
    build_instrs(&ib);
    apply_overlap_groups(&ib);
    check_widths(&ib);
    check_overlaps(&ib);
    check_contexts(&ib);
    build_trees(&ib);
}

static void add_isas(struct builder *b)
{
    b->published = true;
    vec_for_each (&b->ast->isas, a) {
        struct isa *isa = arena_new(b->a, struct isa);

        isa->name = (*a)->name;
        isa->model = b->m;
        isa->index = b->m->isas.len;
        isa->fetch_bits = (*a)->fetch_bits;
        isa->ast = *a;
        isa->published = !(*a)->extended;
        b->published = b->published && isa->published;
        if (model_isa(b->m, isa->name))
            diag_error(b->d, (*a)->pos, "ISA \"%s\" is declared twice", isa->name);
        vec_push_in(b->a, &b->m->isas, isa);
    }
}

static bool declares_pc(const struct ast_arch *arch)
{
    vec_for_each (&arch->spaces, s)
        vec_for_each (&s->views, v)
            if (v->tag && strcmp(v->tag, "PC") == 0)
                return true;
    return false;
}

/* An architecture of lanes has registers and memory, but nothing of a CPU. */
static void check_lane_arch(struct builder *b)
{
    vec_for_each (&b->ast->spaces, s)
        if (!s->is_lane)
            diag_error(b->d, s->pos, "an architecture with ac_lane_regspace has no ac_regspace");
    if (b->ast->feature_values.len)
        diag_error(b->d, b->ast->feature_values.data[0].pos,
                   "the AC_GPU of a GPU lists its features; they cannot be set here");
    if (b->ast->sysregs.name)
        diag_error(b->d, b->ast->sysregs.pos, "a lane architecture has no system registers");
    vec_for_each (&b->m->isas, isa)
        if ((*isa)->fetch_bits > LANE_MAX_WORD_BITS)
            diag_error(b->d, (*isa)->ast->pos,
                       "instruction words of a lane architecture have 1 to %d bits, not %u",
                       LANE_MAX_WORD_BITS, (*isa)->fetch_bits);
}

static void check_arch(struct builder *b)
{
    unsigned bits = b->ast->word_bits;

    if (!bits && !b->incomplete)
        diag_error(b->d, b->ast->pos, "the architecture has no ac_wordsize");
    else if (bits && bits != 32 && bits != 64)
        diag_error(b->d, b->ast->pos, "ac_wordsize is 32 or 64, not %u", bits);
    if (bits != 32)
        b->m->word_bits = 64;
    if (!b->ast->isas.len && !b->incomplete)
        diag_error(b->d, b->ast->pos, "the architecture names no ISA: ac_isa(\"…\")");
    if (b->m->is_lane)
        check_lane_arch(b);
    else if (!declares_pc(b->ast) && !b->incomplete)
        diag_error(b->d, b->ast->pos, "no register has the tag PC");
}

struct model *model_build(struct arena *arena, struct diag *d, const struct ast_arch *arch)
{
    struct builder b = {.a = arena, .d = d, .ast = arch};

    if (!arch->name)
        return NULL;
    b.m = arena_new(arena, struct model);
    b.m->arena = arena;
    b.m->diag = d;
    b.m->name = arch->name;
    b.m->ast = arch;
    b.m->word_bits = arch->word_bits;
    vec_for_each (&arch->spaces, s)
        b.m->is_lane |= s->is_lane;
    b.incomplete = d->errors != 0;
    if (arch->endian_pos.file)
        b.m->big_endian = is_big_endian(&b, arch->endian_pos, arch->endian);
    collect_settings(&b);
    add_isas(&b);
    build_mems(&b);
    build_features(&b);
    build_state(&b);
    build_sysregs(&b);
    check_arch(&b);
    vec_for_each (&b.m->isas, i)
        build_isa(&b, *i);
    build_timings(&b);
    return b.m;
}
