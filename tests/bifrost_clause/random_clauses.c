/*
 * Random clauses, packed by the description and unpacked by the C that gencc generated from it.
 *
 *   random_clauses FILE.ac COUNT SEED           compares both
 *   random_clauses FILE.ac COUNT SEED -         writes the clauses as records for disassemblers:
 *                                               their length in bytes (32 bits), then the bytes
 *
 * All words of the clauses can be decoded by their units.
 */
#include "pack.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/asm_text.h"

extern const struct gpu_isa bifrost_isa;

/* ---- random parts ---------------------------------------------------------------------------- */

static uint64_t state;

static uint64_t draw_u64(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state * UINT64_C(0x2545f4914f6cdd1d);
}

static uint64_t draw_bits(unsigned n)
{
    return draw_u64() >> (64 - n);
}

static uint32_t random_word(unsigned unit, unsigned width)
{
    char text[256];
    uint32_t word;
    struct asm_out o;

    do {
        word = (uint32_t)draw_bits(width);
        o = (struct asm_out){.text = text, .size = sizeof(text)};
    } while (!bifrost_isa.unit[unit]->disasm(word, 0, &o));
    return word;
}

/* A register block in which every operand has a place. */
static uint64_t random_block(const struct bundle *c, bool first)
{
    struct gpu_bundle b = {.stages = 2};
    struct gpu_at at = {.stage = first ? 0 : 1};

    do {
        b.stage[at.stage].block = draw_bits(c->block->width);
    } while (!bifrost_isa.operand_place(&b, &at, 4));
    return b.stage[at.stage].block;
}

static unsigned random_field(void *opaque, const struct field *f)
{
    (void)opaque;
    return (unsigned)draw_bits(f->width);
}

static void random_clause(const struct bundle *c, struct gpu_bundle *out)
{
    memset(out, 0, sizeof(*out));
    out->header =
        (draw_bits(c->header->width) & ~(uint64_t)c->header->mask) | (uint64_t)c->header->value;
    out->stages = 1 + (unsigned)(draw_u64() % c->max_stages);
    /* No operand can name a seventh constant. */
    out->constants = (unsigned)(draw_u64() % c->max_constants);
    for (unsigned i = 0; i < out->stages; i++) {
        out->stage[i].block = random_block(c, i == 0);
        out->stage[i].present = (1u << c->units.len) - 1;
        for (unsigned u = 0; u < c->units.len; u++)
            out->stage[i].word[u] = random_word(u, c->units.data[u].bits);
    }
    for (unsigned i = 0; i < out->constants; i++)
        out->constant[i] = draw_u64() >> c->constant_low << c->constant_low;
}

/* Makes a clause that quadwords can hold, and packs it. Returns its length in bytes. */
static unsigned next_clause(const struct bundle *c, struct gpu_bundle *in, uint8_t *code)
{
    u128 words[MAX_QUADWORDS];
    unsigned n;

    do {
        random_clause(c, in);
        n = pack_clause(c, in, random_field, NULL, words);
    } while (!n);
    memcpy(code, words, n * sizeof(*words));
    return n * (unsigned)sizeof(*words);
}

/* ---- comparing ------------------------------------------------------------------------------- */

static bool same_bundle(const struct gpu_bundle *a, const struct gpu_bundle *b)
{
    bool ok = a->header == b->header && a->stages == b->stages && a->constants == b->constants &&
              !memcmp(a->constant, b->constant, sizeof(a->constant));

    for (unsigned i = 0; i < GPU_MAX_STAGES; i++)
        ok &= a->stage[i].block == b->stage[i].block &&
              a->stage[i].present == b->stage[i].present &&
              !memcmp(a->stage[i].word, b->stage[i].word, sizeof(a->stage[i].word));
    return ok;
}

static bool check_clause(const struct gpu_bundle *in, const uint8_t *code, unsigned bytes)
{
    struct gpu_bundle out;
    uint8_t modified[MAX_QUADWORDS * 16];

    if (!bifrost_isa.unpack(code, bytes, 77, &out) || out.bytes != bytes || out.address != 77 ||
        !same_bundle(in, &out))
        return false;
    /* Fewer bytes are not a clause; bytes that follow it are not read. */
    memcpy(modified, code, bytes);
    memset(modified + bytes, 0xff, sizeof(modified) - bytes);
    return !bifrost_isa.unpack(code, bytes - 1, 77, &out) &&
           bifrost_isa.unpack(modified, sizeof(modified), 77, &out) && out.bytes == bytes;
}

static const struct bundle *load_bundle(struct arena *a, struct diag *d, const char *path)
{
    const struct ast_arch *arch;
    const struct model *m;

    d->arena = a;
    d->out = stderr;
    arch = ast_parse_arch(d, path);
    m = arch ? model_build(a, d, arch) : NULL;
    return m && !d->errors ? model_isa(m, bifrost_isa.name)->bundle : NULL;
}

/* Numbers of clauses made and accepted, by size. */
struct tally {
    unsigned all, accepted;
};

/* Reserved modifiers make a clause invalid: with two random constants in 1 of 9 cases. */
static bool is_plausible(const struct tally *t)
{
    return t->all < 32 || t->accepted * 2 > t->all;
}

int main(int argc, char **argv)
{
    static struct tally tallies[GPU_MAX_STAGES + 1][GPU_MAX_CONSTANTS + 1];
    struct arena arena = {0};
    struct diag d = {0};
    const struct bundle *c = argc >= 4 ? load_bundle(&arena, &d, argv[1]) : NULL;
    unsigned count = argc >= 4 ? (unsigned)atoi(argv[2]) : 0, failed = 0;

    if (!c)
        return 2;
    state = strtoull(argv[3], NULL, 0) * 2 + 1;
    for (unsigned i = 0; i < count; i++) {
        uint8_t code[(MAX_QUADWORDS + 1) * 16];
        struct gpu_bundle in, out;
        uint32_t bytes = next_clause(c, &in, code);
        struct tally *t = &tallies[in.stages][in.constants];
        bool valid = bifrost_isa.unpack(code, bytes, 0, &out);

        t->all++;
        t->accepted += valid;
        if (argc > 4 && valid) {
            fwrite(&bytes, sizeof(bytes), 1, stdout);
            fwrite(code, 1, bytes, stdout);
        } else if (argc == 4 && valid && !check_clause(&in, code, bytes)) {
            fprintf(stderr, "a clause of %u tuples and %u constants differs\n", in.stages,
                    in.constants);
            failed++;
        }
    }
    for (unsigned i = 0; i <= GPU_MAX_STAGES; i++)
        for (unsigned k = 0; k <= GPU_MAX_CONSTANTS; k++)
            if (!is_plausible(&tallies[i][k])) {
                fprintf(stderr, "%u of %u clauses of %u tuples and %u constants are accepted\n",
                        tallies[i][k].accepted, tallies[i][k].all, i, k);
                failed++;
            }
    fprintf(stderr, "%u clauses, %u failures\n", count, failed);
    arena_free(&arena);
    return failed != 0;
}
