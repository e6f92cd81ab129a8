/*
 * Disassembles every word of an ISA of narrow words:
 *
 *     words ARCH.ac ISA TABLE STRIDE
 *
 * For each instruction it counts its words and digests their texts, and compares both with TABLE
 * (lines "ISA name words digest"). The text of every STRIDE-th word is assembled again and must
 * give the same word: so no two words have the same text. Instructions that require a feature are
 * not compared: no real GPU has them, so Mesa does not know them. Exit status 1 if anything
 * differs.
 */
#include "gencc/front/names.h"
#include "gencc/asm/words/asm.h"
#include "gencc/referee/load.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NAME = 64, MAX_TEXT = 256, MAX_WIDTH = 24, SHOWN = 20 };
static const uint64_t FNV_BASIS = 0xcbf29ce484222325u, FNV_PRIME = 0x100000001b3u;

/* Number and digest of an instruction's words: as the table has them, and as found. */
struct row {
    char name[MAX_NAME]; /* as in assembly text, "FADD.f32" */
    uint64_t words, digest;
    uint64_t got_words, got_digest;
};

struct check {
    struct loaded l;
    struct isa *isa;
    struct name_map rows; /* by name of the behaviour, "FADD_f32" */
    VEC(struct row *) order;
    unsigned width, failures;
    unsigned left_out; /* number of words of instructions that require a feature */
};

static void report_failure(struct check *c, const char *name, const char *what)
{
    if (c->failures++ < SHOWN)
        printf("%s: %s\n", name, what);
}

/* ---- the table ------------------------------------------------------------------------------- */

static void add_row(struct check *c, const struct row *from)
{
    struct row *row = arena_new(&c->l.arena, struct row);
    char *key = arena_printf(&c->l.arena, "%s", from->name);

    *row = *from;
    row->got_digest = FNV_BASIS;
    for (char *dot = key; (dot = strchr(dot, '.'));)
        *dot = '_';
    if (name_map_put(&c->l.arena, &c->rows, key, row))
        report_failure(c, row->name, "stands twice in the table");
    vec_push_in(&c->l.arena, &c->order, row);
}

static bool read_table(struct check *c, const char *path)
{
    FILE *in = fopen(path, "r");
    char line[256], isa[MAX_NAME];
    struct row row = {0};

    if (!in) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return false;
    }
    while (fgets(line, sizeof(line), in)) {
        if (*line == '#')
            continue;
        if (sscanf(line, "%63s %63s %" SCNu64 " %" SCNx64, isa, row.name, &row.words,
                   &row.digest) != 4)
            report_failure(c, path, "a line is no row");
        else if (strcmp(isa, c->isa->name) == 0)
            add_row(c, &row);
    }
    fclose(in);
    return true;
}

/* ---- all words ------------------------------------------------------------------------------- */

static void digest_text(struct row *row, const char *text)
{
    for (; *text; text++)
        row->got_digest = (row->got_digest ^ (unsigned char)*text) * FNV_PRIME;
}

/* Whether the text begins with the instruction's name, with modifiers or operands behind it. */
static bool is_named(const char *text, const char *name)
{
    size_t n = strlen(name);

    return !strncmp(text, name, n) && (text[n] == '.' || text[n] == ' ');
}

static void round_trip(struct check *c, const char *name, unsigned word, const char *text)
{
    char err[512], why[1024];
    struct text_word got;

    if (!text_asm(c->l.text, &(struct text_line){.text = text}, &got, err, sizeof(err))) {
        snprintf(why, sizeof(why), "%x '%s' cannot be assembled: %s", word, text, err);
        report_failure(c, name, why);
    } else if (got.bits != word || got.width != c->width) {
        snprintf(why, sizeof(why), "%x '%s' assembles to %llx", word, text,
                 (unsigned long long)got.bits);
        report_failure(c, name, why);
    }
}

static void check_word(struct check *c, unsigned word, bool back)
{
    const struct form *form = text_decode(c->l.text, word, c->width);
    char text[MAX_TEXT], number[16];
    struct row *row;

    if (!form)
        return;
    if (form->instr->features.len) { /* only on GPUs that Mesa lacks */
        c->left_out++;
        return;
    }
    row = name_map_get(&c->rows, form->instr->behaviour);
    if (!row) {
        report_failure(c, form->instr->behaviour, "is not in the table");
        return;
    }
    if (!text_disasm(c->l.text, word, c->width, 0, text, sizeof(text)) ||
        !is_named(text, row->name)) {
        report_failure(c, form->instr->name, "has no text with its name");
        return;
    }
    row->got_words++;
    snprintf(number, sizeof(number), "%x ", word);
    digest_text(row, number);
    digest_text(row, text);
    digest_text(row, "\n");
    if (back)
        round_trip(c, row->name, word, text);
}

static void compare_rows(struct check *c)
{
    vec_for_each (&c->order, at) {
        const struct row *r = *at;
        char what[160];

        if (r->words == r->got_words && r->digest == r->got_digest)
            continue;
        snprintf(what, sizeof(what),
                 "%" PRIu64 " words, digest %016" PRIx64 "; expected %" PRIu64 ", %016" PRIx64,
                 r->got_words, r->got_digest, r->words, r->digest);
        report_failure(c, r->name, what);
    }
}

int main(int argc, char **argv)
{
    struct check c = {0};
    unsigned stride;

    if (argc != 5 || !(stride = (unsigned)strtoul(argv[4], NULL, 0))) {
        fprintf(stderr, "usage: words ARCH.ac ISA TABLE STRIDE\n");
        return 2;
    }
    if (!load_text(&c.l, argv[1], argv[2]))
        return 2;
    c.isa = model_isa(c.l.model, argv[2]);
    c.width = c.isa->fetch_bits;
    if (c.width > MAX_WIDTH || !read_table(&c, argv[3]))
        return 2;
    for (unsigned word = 0; word < 1u << c.width; word++)
        check_word(&c, word, word % stride == 0);
    compare_rows(&c);
    printf("%s: %u instructions, %u failures; %u words that only GPUs with a feature have\n",
           c.isa->name, c.order.len, c.failures, c.left_out);
    arena_free(&c.l.arena);
    return c.failures || !c.order.len;
}
