/*
 * The passes of the assembler over a source.
 */
#include "gencc/asm/program/program.h"
#include "gencc/asm/words/asm.h"
#include "gencc/asm/words/expr.h"
#include "gencc/disasm/text.h"

#include <string.h>

/*
 * A forward label has its value of the previous pass; in the first pass it has none. A statement
 * that cannot be assembled yet keeps its size, initially that of a word. Passes repeat until no
 * label moves. A last pass reports errors. Most sources need two passes.
 */
enum { MAX_PASSES = 32 };

/* ---- names ----------------------------------------------------------------------------------- */

static bool find_name(void *opaque, const char *name, size_t length, int64_t *value)
{
    struct asm_program *p = opaque;
    const struct asm_symbol *s = asm_program_find(p, name, length);

    if (!s)
        return false;
    /* Without a value yet: the statement's own address, so that relative operands are in range. */
    *value = s->has_value ? s->value : (int64_t)p->statements.data[p->at].address;
    return true;
}

/* ---- statements ------------------------------------------------------------------------------ */

static bool assemble_instruction(struct asm_program *p, struct asm_statement *s)
{
    const struct isa *isa = p->text->isa;
    unsigned char *bytes;
    const struct form *form;
    struct text_word made;
    char err[512];
    u128 word;

    text_asm_in_context(p->text, s->context);
    if (!text_asm(p->text, &(struct text_line){.text = s->text, .address = s->address}, &made, err,
                  sizeof(err)))
        return asm_program_error(p, s->line, "%s", err);
    bytes = asm_program_room(p, s, (made.width + 7) / 8);
    if (!bytes)
        return false;
    s->unit = (unsigned)s->size;
    s->is_word = true;
    isa_word_store(isa, bytes, made.bits, made.width);
    word = made.bits | isa_context_bits(isa, s->context);
    form = isa->context.slot ? text_decode(p->text, word, made.width) : NULL;
    s->context_after = form ? text_next_context(p->text, form, word) : 0;
    return true;
}

/* Whether the text is `NAME = EXPRESSION`. */
static bool is_assignment(const char *text)
{
    size_t n = 0;

    while (asm_is_in_name(text[n]))
        n++;
    n += strspn(text + n, " \t");
    return asm_begins_name(*text) && text[n] == '=' && text[n + 1] != '=';
}

static bool is_directive(const char *text)
{
    return (*text == '.' && (strncmp(text, ".inst", 5) || asm_is_in_name(text[5]))) ||
           is_assignment(text);
}

static void assemble_statement(struct asm_program *p, struct asm_statement *s, uint64_t address,
                               unsigned context)
{
    bool stands = s->address == address && s->context == context;

    s->address = address;
    s->context = context;
    if (s->is_final && !s->depends_on_place && !p->is_last_pass && stands)
        return;
    p->names->name_used = false;
    p->names->location = address;
    s->context_after = 0;
    s->is_final = is_directive(s->text) ? asm_directive(p, s) : assemble_instruction(p, s);
    s->depends_on_place = p->names->name_used || text_asm_placed(p->text);
    if (!s->is_final && !s->size && !is_directive(s->text))
        s->size = (p->text->isa->fetch_bits + 7) / 8;
}

static void place_labels(struct asm_program *p, unsigned *next, unsigned statement,
                         uint64_t address)
{
    for (; *next < p->symbols.len && p->symbols.data[*next].is_label &&
           p->symbols.data[*next].statement <= statement;
         ++*next)
        asm_program_set(p, &p->symbols.data[*next], (int64_t)address);
}

static void run_pass(struct asm_program *p)
{
    uint64_t address = p->base;
    unsigned context = 0, label = 0;

    p->symbols_changed = false;
    for (p->at = 0; p->at < p->statements.len && p->errors < ASM_PROGRAM_MAX_ERRORS; p->at++) {
        struct asm_statement *s = &p->statements.data[p->at];

        place_labels(p, &label, p->at, address);
        assemble_statement(p, s, address, context);
        address += s->size;
        context = s->context_after;
    }
    place_labels(p, &label, p->at, address);
    p->size = (size_t)(address - p->base);
}

static bool settle_labels(struct asm_program *p)
{
    unsigned passes = 0;

    do {
        run_pass(p);
    } while (p->symbols_changed && ++passes < MAX_PASSES);
    p->is_last_pass = true;
    if (p->symbols_changed)
        return asm_program_error(p, p->statements.len ? p->statements.data[0].line : 1,
                                 "places of labels do not settle: each decides the other");
    run_pass(p);
    return !p->errors;
}

bool asm_program(struct asm_program *p, const char *source, size_t length)
{
    struct asm_names names = {.opaque = p, .find = find_name};
    unsigned char *at;
    bool ok;

    p->names = &names;
    ok = asm_program_read(p, source, length);
    if (ok) {
        text_asm_with_names(p->text, &names);
        ok = settle_labels(p);
        text_asm_with_names(p->text, NULL);
    }
    p->names = NULL;
    if (!ok)
        return false;
    at = p->image = arena_alloc(p->arena, p->size + 1);
    vec_for_each (&p->statements, s) {
        if (s->size)
            memcpy(at, s->bytes, s->size);
        at += s->size;
    }
    return true;
}
