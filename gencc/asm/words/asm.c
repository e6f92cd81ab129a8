/*
 * The assembler of one line: cleans the line, finds its mnemonic, attempts to find its word, and
 * explains why there is none.
 */
#include "gencc/asm/words/asm.h"
#include "gencc/asm/words/job.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Copies the statement without its comment and surrounding blanks. */
static bool clean_line(const struct text *t, const char *line, char *out, size_t size)
{
    const char *comment = t->isa->ast ? t->isa->ast->line_comment : NULL;
    size_t n = 0;

    while (match_is_blank(*line))
        line++;
    for (const char *p = line; *p && *p != '\n' && *p != '\r'; p++) {
        if (!strncmp(p, "//", 2) || (comment && *comment && !strncmp(p, comment, strlen(comment))))
            break;
        if (n + 1 == size)
            return false;
        out[n++] = *p;
    }
    while (n && match_is_blank(out[n - 1]))
        n--;
    out[n] = '\0';
    return true;
}

void text_asm_with_names(struct text *t, struct asm_names *names)
{
    t->names = names;
}

bool text_asm_placed(const struct text *t)
{
    return t->assembler && t->assembler->depends_on_address;
}

void text_asm_in_context(struct text *t, unsigned context)
{
    t->context = context;
}

/* Reads the number of `.inst NUMBER`. */
static bool raw_word(struct text *t, const char *number, struct text_word *word, char *err,
                     size_t n)
{
    unsigned bits;
    unsigned long long v;
    char *end;

    v = strtoull(number, &end, 0);
    while (match_is_blank(*end))
        end++;
    bits = isa_width_of_word(t->isa, v);
    if (end == number || *end || !bits) {
        snprintf(err, n, ".inst takes a number of %u bits%s, not '%.32s'", t->isa->fetch_bits,
                 t->isa->word_widths.len ? " or more" : "", number);
        return false;
    }
    *word = (struct text_word){v, bits};
    return true;
}

static void prepare_assembler(struct text *t)
{
    struct text_asm *a = arena_new(t->arena, struct text_asm);

    index_build(&a->index, t);
    a->tables = arena_alloc(t->arena, (t->isa->maps.len + 1) * sizeof(*a->tables));
    for (unsigned i = 0; i < t->isa->maps.len; i++)
        a->tables[i] = match_table_of(t->arena, t->isa->maps.data[i]);
    t->assembler = a;
}

size_t text_asm_reached(const struct text *t)
{
    return t->assembler ? t->assembler->reached_length : 0;
}

size_t text_asm_wrong(const struct text *t)
{
    return t->assembler ? t->assembler->error_offset : 0;
}

bool text_asm(struct text *t, const struct text_line *line, struct text_word *word, char *err,
              size_t n)
{
    char statement[ASM_MAX_LINE], mnemonic[ASM_MAX_LINE];
    const struct text_around *around = line->around;
    struct asm_job j = {
        .text = t, .statement = statement, .address = line->address, .around = around};
    size_t length = 0;

    if (!t->assembler)
        prepare_assembler(t);
    if (!clean_line(t, line->text, statement, sizeof(statement))) {
        snprintf(err, n, "the line is longer than %d characters", ASM_MAX_LINE - 1);
        return false;
    }
    for (; statement[length] && !match_is_blank(statement[length]); length++)
        mnemonic[length] = (char)tolower((unsigned char)statement[length]);
    mnemonic[length] = '\0';
    if (!length && !around) {
        snprintf(err, n, "there is no instruction");
        return false;
    }
    t->assembler->reached_length = length;
    t->assembler->error_offset = 0;
    t->assembler->depends_on_address = false;
    if (t->names)
        t->names->unknown = t->names->problem = NULL;
    if (!strcmp(mnemonic, ".inst"))
        return raw_word(t, statement + length, word, err, n);
    j.matcher = (struct matcher){.line = statement,
                                 .tables = t->assembler->tables,
                                 .address = line->address,
                                 .sysregs = t->sysregs,
                                 .found = asm_try_reading,
                                 .around = around,
                                 .names = around ? NULL : t->names,
                                 .as_written = around && !around->own_numbers,
                                 .opaque = &j};
    asm_try_all(&j, mnemonic, length);
    if (!j.found && j.matcher.notation_differs) {
        j.matcher.as_written = false;
        asm_try_all(&j, mnemonic, length);
    }
    t->assembler->depends_on_address = j.matcher.depends_on_address;
    *word = (struct text_word){j.word & low_bits(j.width), j.width};
    t->assembler->reached_length = j.has_match ? strlen(statement) : j.closest_at;
    if (!j.found)
        asm_explain(&j, mnemonic, length, err, n);
    return j.found;
}
