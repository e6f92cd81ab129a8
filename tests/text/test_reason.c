/*
 * The bits of a word that determine an expression's value:
 *
 *     test_reason ARCH.ac ISA COUNT SEED
 *
 * For every expression of every asm line of an ISA and random words, all words with equal
 * determining bits must give the same value. For tests/text/reason.ac the bits themselves are
 * checked, too: no more than the text needs.
 */
#include "gencc/referee/load.h"
#include "gencc/disasm/text.h"
#include "gencc/asm/solve/reason.h"

#include <stdlib.h>
#include <string.h>

enum { OTHERS = 16 }; /* words compared with each random word */

static unsigned failures, asked;

/* For an instruction's first expression: a word, its value, and the determining bits. */
static const struct {
    const char *instr;
    uint32_t word;
    int64_t value;
    uint32_t why;
} cases[] = {
    {"field", 0x00123456, 0x12, 0xff0000},
    {"part", 0x01ffffff, 4, 0x0c0000},
    {"and", 0x0200ff00, 0, 0xff0000}, /* a zero determines the result, */
    {"and", 0x02ff0000, 0, 0x00ff00}, /* on either side, */
    {"and", 0x020ff000, 0, 0xf00f00}, /* bit by bit */
    {"and", 0x02ffff00, 0xff, 0xffff00},
    {"or", 0x03ff0000, 0xff, 0xff0000},
    {"or", 0x03f00f00, 0xff, 0xf00f00},
    {"or", 0x03000000, 0, 0xffff00},
    {"choice", 0x04123450, 0x12, 0xff0010}, /* a single bit shows that c is not 0 */
    {"choice", 0x04123400, 0x34, 0x00ffff},
    {"same", 0x05121600, 0, 0x040400}, /* a single bit differs */
    {"same", 0x05121200, 1, 0xffff00},
    {"less", 0x06010200, 1, 0xfe0200}, /* a 1 in the larger one; above it, the zeros of the other */
    {"under", 0x07050000, 1, 0xd00000}, /* zeros above the bound */
    {"wide", 0x0d800100, -0x7fff, 0xffff00},
    {"helped", 0x0e003456, 0x34, 0x03ff00},
    {"helped", 0x0e013456, 5, 0x0300f0},
};

static uint64_t random_bits(void)
{
    static uint64_t state;

    if (!state)
        state = (uint64_t)rand() << 32 | (uint64_t)rand() | 1;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

static u128 random_word(void)
{
    u128 high = random_bits();

    return high << 64 | random_bits();
}

static void report_failure(const struct instr *in, u128 word, const char *what)
{
    if (failures++ < 20)
        printf("%s: %016llx%016llx: %s\n", in->name, (unsigned long long)(word >> 64),
               (unsigned long long)word, what);
}

/* Checks that words with the same bits in `why` have the same value. */
static void check_word(struct text *t, struct form *form, const struct word_expr *e, u128 word)
{
    int64_t value, again, other;
    u128 why, now;

    if (!word_expr_why(t, form, e, word, &value, &why))
        return;
    asked++;
    if (!word_expr_value(t, form, e, word, &again) || again != value)
        report_failure(e->instr, word, "another value than when it is run");
    if (why & ~e->depends)
        report_failure(e->instr, word, "settled by bits on which it does not depend");
    for (unsigned i = 0; i < OTHERS; i++) {
        u128 flip = (random_word() & random_word()) & e->depends & ~why;

        if (!word_expr_value(t, form, e, word ^ flip, &other) || other != value)
            report_failure(e->instr, word, "not settled by what is said to settle it");
    }
    if (!word_expr_why(t, form, e, word, &again, &now) || again != value || now & ~e->depends)
        report_failure(e->instr, word, "remembered otherwise");
}

static void check_expr(struct text *t, struct instr *in, const struct ast_expr *ast, unsigned count)
{
    struct word_expr *e = word_expr_new(t, in, ast);

    if (!e || e->uses_decode) /* for these all bits count as determining */
        return;
    for (unsigned i = 0; i < count; i++)
        check_word(t, in->forms.len ? in->forms.data[0] : NULL, e, random_word());
}

static void check_all(struct text *t, unsigned count)
{
    vec_for_each (&t->isa->instrs, in)
        vec_for_each (&(*in)->syntax, s)
            vec_for_each (&s->pieces, p)
                vec_for_each (&p->values, v)
                    check_expr(t, *in, *v, count);
}

/* Returns the first expression of an instruction's line. */
static struct word_expr *first_of(struct text *t, const char *name)
{
    vec_for_each (&t->isa->instrs, in)
        if (!strcmp((*in)->name, name))
            vec_for_each (&(*in)->syntax.data[0].pieces, p)
                if (p->values.len)
                    return word_expr_new(t, *in, p->values.data[0]);
    return NULL;
}

static void check_case(struct text *t, unsigned i)
{
    struct word_expr *e = first_of(t, cases[i].instr);
    int64_t value;
    char got[80];
    u128 why;

    if (!e || !word_expr_why(t, NULL, e, cases[i].word, &value, &why)) {
        printf("%s: no value\n", cases[i].instr);
        failures++;
        return;
    }
    snprintf(got, sizeof(got), "%lld by %06llx", (long long)value, (unsigned long long)why);
    if (value != cases[i].value || why != cases[i].why)
        report_failure(e->instr, cases[i].word, got);
}

int main(int argc, char **argv)
{
    static struct loaded l;
    bool own;

    if (argc != 5 || !load_text(&l, argv[1], argv[2]))
        return 2;
    srand((unsigned)atoi(argv[4]));
    own = !strcmp(argv[2], "reason");
    for (unsigned i = 0; own && i < sizeof(cases) / sizeof(*cases); i++)
        check_case(l.text, i);
    check_all(l.text, (unsigned)atoi(argv[3]));
    printf("seed %s: %u values asked, %u failures\n", argv[4], asked, failures);
    return failures || !asked;
}
