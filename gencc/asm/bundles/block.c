/*
 * The search for the block of each stage of a bundle, such that all pieces of the stage's lines
 * read as written.
 *
 * A piece reads as written by some keys of its map, for few values of the few fields on which that
 * key's text depends. The piece with the fewest candidates is settled first. If a piece has no
 * solution, the fields and constants that conflict with it are recorded (struct blame). The search
 * then backtracks to a choice that settled one of them (backjumping).
 */
#include "gencc/asm/solve/bits.h"
#include "gencc/asm/bundles/internal.h"
#include "gencc/asm/bundles/values.h"

enum {
    MAX_KEYS = 16,
    ALONE_BITS = 8,     /* widest single field that is searched whole if hints fail */
    MAX_TRIED = 200000, /* values tried per bundle */
    MAX_COMPLETED = 1,  /* complete bundles tried */
    WEAK_WAYS = 1 << 30,
    MAX_SELECTORS = 8, /* selectors tried per operand */
};

/* Budget and progress of a search, shared by all stages. */
struct tries {
    bool (*complete)(struct bundle_asm *ba);
    unsigned values, completed;
    unsigned furthest_stage; /* last stage that was reached: the one that has no solution */
};

/* A piece and the keys by which it may read as written. */
struct open_want {
    const struct want *want;
    const struct reading_site *keys[MAX_KEYS];
    unsigned count;
    const struct reading_site *chosen; /* NULL: none yet */
    bool by_own_map; /* reads as written by the unit's own map, which most blocks leave in force */
    bool is_settled;
};

/* What a failed attempt depends on: changing anything else cannot help. */
struct blame {
    uint64_t fields; /* bits of the stage's block */
    bool constants;
    bool modifiers; /* modifiers of constants */
};

struct block_search {
    struct bundle_asm *ba;
    struct tries *tries;
    unsigned stage; /* stage whose block is searched */
    uint64_t block, assigned;
    struct open_want wants[MAX_WANTS];
    unsigned count;
    struct block_hints hints;
};

static unsigned next_stage(const struct bundle_asm *ba, unsigned stage)
{
    return stage + 1 == ba->tc->bits.stages ? 0 : stage + 1;
}

static void add_blame(struct blame *to, const struct blame *more)
{
    to->fields |= more->fields;
    to->constants |= more->constants;
    to->modifiers |= more->modifiers;
}

/* ---- pieces ---------------------------------------------------------------------------------- */

static void go_to(struct bundle_asm *ba, const struct want *w)
{
    ba->tc->stage = w->stage;
    ba->tc->at_unit = w->unit;
}

static void collect_wants(struct block_search *s)
{
    struct bundle_asm *ba = s->ba;
    struct readings *r = ba->tc->readings;

    for (unsigned i = 0; i < ba->want_count; i++) {
        const struct want *w = &ba->wants[i];
        bool next = w->text->context == BUNDLE_OF_NEXT;
        struct open_want *o = &s->wants[s->count];

        if (s->stage != (next ? next_stage(ba, w->stage) : w->stage))
            continue;
        *o = (struct open_want){.want = w};
        go_to(ba, w);
        vec_for_each (&w->map->entries, e) {
            const struct reading_site *site = reading_site(r, w->map, e->keys.data[0]);

            if (o->count == MAX_KEYS || !reading_may_be(r, site, w->at))
                continue;
            o->keys[o->count++] = site;
            o->by_own_map |= site->bits && reading_says_own(site, w->at);
        }
        block_hint(&s->hints, ba->c, w->at);
        s->count++;
    }
}

/* Number of candidate values for a piece. */
static uint64_t count_candidates(struct block_search *s, const struct open_want *o)
{
    uint64_t all = 0;

    for (unsigned k = 0; k < o->count; k++) {
        struct block_part parts[BLOCK_FIELDS];
        uint64_t n = 1,
                 open = reading_bits(s->ba->tc->readings, o->keys[k], s->block) & ~s->assigned;

        for (unsigned i = open ? block_parts(s->ba->c, open, parts) : 0; i-- > 0;)
            n *= block_values(&s->hints, &parts[i]);
        all += n;
    }
    return all;
}

static struct open_want *next_want(struct block_search *s)
{
    struct open_want *best = NULL;
    uint64_t fewest = 0;

    for (unsigned i = 0; i < s->count; i++) {
        struct open_want *o = &s->wants[i];
        uint64_t n = o->is_settled ? 0 : count_candidates(s, o);

        if (o->by_own_map && n > 1)
            n += WEAK_WAYS;

        if (!o->is_settled && (!best || n < fewest)) {
            best = o;
            fewest = n;
        }
    }
    return best;
}

static enum site_reads how_site_reads(struct block_search *s, const struct open_want *o,
                                      const struct reading_site *key)
{
    go_to(s->ba, o->want);
    s->ba->tc->bits.block[s->stage] = s->block;
    return bundle_site_reads(s->ba, key, o->want->at);
}

/* ---- search ---------------------------------------------------------------------------------- */

static bool settle_stage(struct bundle_asm *ba, struct tries *tries, unsigned stage,
                         struct blame *blame);

/* Whether operands can be read by the chosen keys. Only keys are checked that depend on an `open`
 * bit of the block and whose bits are all assigned. */
static bool have_places(struct block_search *s, uint64_t open, struct blame *blame)
{
    struct readings *r = s->ba->tc->readings;

    s->ba->tc->bits.block[s->stage] = s->block;
    for (unsigned i = 0; i < s->count; i++) {
        const struct reading_site *site = s->wants[i].chosen;
        uint64_t bits;

        if (!site || site->text->context != BUNDLE_OF_BLOCK)
            continue;
        go_to(s->ba, s->wants[i].want);
        bits = reading_place_bits(r, site->key, s->block);
        if (!(bits & open) || (bits & ~s->assigned) || reading_has_place(r, site->key))
            continue;
        blame->fields |= bits;
        return false;
    }
    return true;
}

/* Rejects a block by which no operand of any unit can be read. */
static bool reads_something(struct block_search *s, struct blame *blame)
{
    struct bundle_asm *ba = s->ba;
    struct readings *r = ba->tc->readings;
    uint64_t bits = 0;

    ba->tc->stage = s->stage;
    for (ba->tc->at_unit = 0; ba->tc->at_unit < ba->c->units.len; ba->tc->at_unit++)
        for (int64_t selector = 0; selector < MAX_SELECTORS; selector++) {
            if (reading_has_place(r, selector))
                return true;
            bits |= reading_place_bits(r, selector, s->block);
        }
    blame->fields |= bits;
    return false;
}

/* The keys by which a piece can be read with the present block: one bit per key. *blame receives
 * the conflicts of the other keys. */
static uint32_t readable_keys(struct block_search *s, const struct open_want *o,
                              struct blame *blame)
{
    struct bundle_asm *ba = s->ba;
    struct readings *r = ba->tc->readings;
    struct notes before = ba->current_notes;
    uint32_t readable = 0;

    go_to(ba, o->want);
    for (unsigned k = 0; k < o->count; k++) {
        enum site_reads is = how_site_reads(s, o, o->keys[k]);

        ba->current_notes = before;
        if (is >= SITE_READS && reading_has_place(r, o->keys[k]->key)) {
            readable |= 1u << k;
            continue;
        }
        blame->constants |= is == SITE_TAKEN || is == SITE_OTHER;
        blame->modifiers |= is == SITE_OTHER;
        blame->fields |= is >= SITE_READS ? reading_place_bits(r, o->keys[k]->key, s->block)
                                          : reading_bits(r, o->keys[k], s->block);
    }
    return readable;
}

/* Hash of the inputs of assembling a word: line, stage, unit, header, and the readable keys of its
 * pieces. Never 0. */
static uint64_t word_tag(struct block_search *s, const char *line, struct blame *blame)
{
    const struct bundle_asm *ba = s->ba;
    unsigned stage = ba->tc->stage, unit = ba->tc->at_unit;
    uint64_t h = bundle_mix(bundle_mix(bundle_mix(unit, stage), ba->current_notes.header),
                            ba->current_notes.header_mask);

    for (const char *p = line; *p; p++)
        h = bundle_mix(h, (unsigned char)*p);
    for (unsigned i = 0; i < s->count; i++) {
        const struct want *w = s->wants[i].want;

        if (w->text->context == BUNDLE_OF_BLOCK && w->unit == unit)
            h = bundle_mix(h, readable_keys(s, &s->wants[i], blame));
    }
    ba->tc->stage = stage;
    ba->tc->at_unit = unit;
    return h | 1;
}

/* Whether a line of the stage assembles to a word with the block. Failures are cached in
 * ba->refused. */
static bool suits_word(struct block_search *s, const char *line, struct blame *blame)
{
    struct bundle_asm *ba = s->ba;
    struct blame word = {0};
    uint64_t tag = word_tag(s, line, &word),
             *known = &ba->refused_words[tag >> (64 - REFUSED_BITS)];
    bool ok = *known != tag && bundle_assemble_word(ba, line, false);

    if (ok)
        return true;
    *known = tag;
    add_blame(blame, &word);
    return false;
}

/* Whether all lines of the stage assemble to words with the block. */
static bool suits_words(struct block_search *s, struct blame *blame)
{
    struct bundle_asm *ba = s->ba;
    bool ok = true;

    ba->next_block_open = true;
    for (unsigned i = 0; ok && i < ba->words; i++) {
        ba->tc->stage = ba->slot_stage[i];
        ba->tc->at_unit = ba->slot_unit[i];
        if (ba->tc->stage == s->stage)
            ok = suits_word(s, bundle_line_of_unit(ba, ba->source->word[i].text, ba->slot_unit[i]),
                            blame);
    }
    ba->next_block_open = false;
    return ok;
}

/* Called when all pieces of the stage read as written: continues with its words and the next stage.
 * Unassigned bits stay 0. */
static bool leave_stage(struct block_search *s, struct blame *blame)
{
    struct notes before = s->ba->current_notes;
    uint64_t assigned = s->assigned;
    bool places;

    s->ba->current_notes.pool.take = POOL_ANY;
    s->assigned = UINT64_MAX;
    places = have_places(s, ~assigned, blame) && reads_something(s, blame);
    s->assigned = assigned;
    if (!places)
        return false;
    if (suits_words(s, blame) && settle_stage(s->ba, s->tries, s->stage + 1, blame))
        return true;
    s->ba->current_notes = before;
    return false;
}

static bool settle_wants(struct block_search *s, struct blame *blame);

/* Results of trying a key of a piece: no value worked; a value worked; the conflict is
 * elsewhere. */
enum tried { TRIED_ALL, TRIED_FOUND, TRIED_ELSEWHERE };

/* The key that is being tried, with its open bits. */
struct trial {
    struct open_want *o;
    const struct reading_site *key;
    uint64_t open_bits;
    struct block_part parts[BLOCK_FIELDS];
    bool reads_as_written,
        reads_constant; /* some value made it read as written; some value made it a constant */
};

/* Tries the present modifier of a constant, if the piece is one. *more: another modifier may
 * work. */
static enum tried try_modifier(struct block_search *s, struct trial *t, bool *more,
                               struct blame *blame)
{
    uint32_t used = s->ba->current_notes.pool.used_constants;
    struct blame other = {0};
    enum site_reads is = how_site_reads(s, t->o, t->key);
    bool constant = is == SITE_SETTLED, fresh;

    *more = is == SITE_NO_WAY;
    t->reads_as_written |= is == SITE_READS;
    t->reads_constant |= is != SITE_READS && is != SITE_DIFFERS;
    blame->constants |= is == SITE_TAKEN || is == SITE_OTHER;
    blame->modifiers |= is == SITE_OTHER;
    if (is < SITE_READS || (!constant && s->ba->current_notes.pool.take == POOL_FRESH) ||
        !have_places(s, t->open_bits ? t->open_bits : UINT64_MAX, blame))
        return TRIED_ALL;
    fresh = s->ba->current_notes.pool.used_constants != used;
    if (settle_wants(s, &other))
        return TRIED_FOUND;
    *more = fresh && other.modifiers;
    if (!(other.fields & t->open_bits) && !(other.constants && constant)) {
        *blame = other;
        return TRIED_ELSEWHERE;
    }
    add_blame(blame, &other);
    return TRIED_ALL;
}

/* Tries one value of the key's open bits. TRIED_ELSEWHERE: the conflict is in other bits, which are
 * in *blame. */
static enum tried try_value(struct block_search *s, struct trial *t, uint64_t value,
                            struct blame *blame)
{
    uint64_t block = s->block, assigned = s->assigned;
    struct notes before = s->ba->current_notes;
    unsigned modifiers = before.pool.modifiers ? POOL_MODIFIERS : 1;
    enum tried tried = TRIED_ALL;
    bool more = true;

    t->o->chosen = t->key;
    for (unsigned m = 0; m < modifiers && more && tried == TRIED_ALL && s->tries->values; m++) {
        s->tries->values--;
        s->block = (block & ~t->open_bits) | value;
        s->assigned = assigned | t->open_bits;
        s->ba->current_notes.pool.fresh_modifier = (uint8_t)m;
        tried = try_modifier(s, t, &more, blame);
        if (tried != TRIED_FOUND)
            s->ba->current_notes = before;
    }
    t->o->chosen = NULL;
    s->block = block;
    s->assigned = assigned;
    return tried;
}

/* Tries all values of the first `n` parts. */
static enum tried try_parts(struct block_search *s, struct trial *t, unsigned n, uint64_t value,
                            struct blame *blame)
{
    uint64_t more;

    if (!n)
        return try_value(s, t, value, blame);
    for (unsigned i = 0; i < block_values(&s->hints, &t->parts[n - 1]); i++) {
        enum tried tried = block_value(&s->hints, &t->parts[n - 1], i, &more)
                               ? try_parts(s, t, n - 1, value | more, blame)
                               : TRIED_ALL;

        if (tried != TRIED_ALL)
            return tried;
    }
    return TRIED_ALL;
}

static enum tried try_key(struct block_search *s, struct open_want *o,
                          const struct reading_site *key, uint64_t open, bool *constant,
                          struct blame *blame)
{
    struct trial t = {.o = o, .key = key, .open_bits = open};
    unsigned n = block_parts(s->ba->c, open, t.parts);
    enum tried tried = try_parts(s, &t, n, 0, blame);

    if (tried == TRIED_ALL && !t.reads_as_written && n == 1 && !t.parts[0].try_all &&
        t.parts[0].width <= ALONE_BITS) {
        t.parts[0].try_all = true;
        tried = try_parts(s, &t, n, 0, blame);
    }
    *constant |= t.reads_constant;
    return tried;
}

/* Tries all keys of a piece, with constants in use before fresh ones. */
static enum tried try_want(struct block_search *s, struct open_want *o, struct blame *own)
{
    struct bundle_pool *p = &s->ba->current_notes.pool;
    struct readings *r = s->ba->tc->readings;
    enum tried tried = TRIED_ALL;
    bool constant = false;

    for (unsigned fresh = 0; fresh < 2 && tried == TRIED_ALL && (!fresh || constant); fresh++)
        for (unsigned k = 0; k < o->count && tried == TRIED_ALL; k++) {
            uint64_t bits = reading_bits(r, o->keys[k], s->block);

            own->fields |= bits;
            p->take = fresh ? POOL_FRESH : POOL_USED;
            tried = try_key(s, o, o->keys[k], bits & ~s->assigned, &constant, own);
        }
    if (tried != TRIED_FOUND)
        p->take = POOL_ANY;
    return tried;
}

/* Settles the open pieces of the stage, then the other stages. */
static bool settle_wants(struct block_search *s, struct blame *blame)
{
    struct open_want *o = next_want(s);
    struct blame own = {0};
    enum tried tried;

    if (!o)
        return leave_stage(s, blame);
    o->is_settled = true;
    tried = try_want(s, o, &own);
    o->is_settled = false;
    *blame = own;
    return tried == TRIED_FOUND;
}

/* Settles the blocks of the stage and of all later ones. */
static bool settle_stage(struct bundle_asm *ba, struct tries *tries, unsigned stage,
                         struct blame *blame)
{
    uint64_t decided = readings_decided(ba->tc->readings);
    struct block_search s = {.ba = ba, .tries = tries, .stage = stage};
    struct blame own = {0};

    if (stage == ba->tc->bits.stages) {
        *blame = (struct blame){.constants = true};
        if (tries->complete(ba))
            return true;
        if (++tries->completed == MAX_COMPLETED)
            tries->values = 0;
        return false;
    }
    if (tries->furthest_stage < stage)
        tries->furthest_stage = stage;
    collect_wants(&s);
    for (unsigned i = 0; i < 1u << __builtin_popcountll(decided); i++) {
        struct blame b = {0};

        s.block = (uint64_t)bits_scatter(i, decided);
        s.assigned = decided;
        if (settle_wants(&s, &b))
            return true;
        own.constants |= b.constants;
        own.modifiers |= b.modifiers;
        if (!b.fields) /* the conflict is not in this stage's block */
            break;
    }
    *blame = own;
    return false;
}

bool bundle_settle_blocks(struct bundle_asm *ba, bool (*complete)(struct bundle_asm *ba))
{
    struct tries tries = {.complete = complete, .values = MAX_TRIED};
    struct blame blame;

    if (settle_stage(ba, &tries, 0, &blame))
        return true;
    if (tries.completed)
        return false;
    snprintf(ba->err, ba->err_size,
             "no block gives %s %u the registers and constants that its lines name, and the %s "
             "before its results",
             ba->c->stage_name, tries.furthest_stage, ba->c->stage_name);
    ba->err_line = &ba->source->word[0];
    for (unsigned i = ba->words; i-- > 0;)
        if (ba->slot_stage[i] == tries.furthest_stage)
            ba->err_line = &ba->source->word[i];
    return false;
}
