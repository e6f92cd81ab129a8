/*
 * Builds asm lines: resolves maps and number formats, counts arguments.
 */
#include "gencc/model/internal.h"
#include "common/asm_text.h"

#include <string.h>

static const struct {
    const char *name;
    enum asm_number number;
} numbers[] = {
    {"imm", ASM_IMM},         {"exp", ASM_IMM},         {"d", ASM_DEC},
    {"u", ASM_UNSIGNED},      {"x", ASM_HEX},           {"a", ASM_ADDRESS},
    {"p", ASM_PAGE},          {"f", ASM_FLOAT},         {"decimal", ASM_DECIMAL},
    {"single", ASM_SINGLE},   {"word", ASM_WORD},       {"bits", ASM_BITS},
    {"a4", ASM_ALIGNED},      {"general", ASM_GENERAL}, {"capital", ASM_CAPITAL},
    {"sysreg", ASM_SYSREG},   {"hex32", ASM_HEX},       {"hex64", ASM_HEX},
    {"reladdr", ASM_ADDRESS}, {"region", ASM_REGION},
};

static void unknown_map(struct isa_builder *ib, const struct ast_asm_piece *ast)
{
    struct name_guess guess = {.wrong = ast->map};

    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        name_guess_offer(&guess, numbers[i].name);
    vec_for_each (&ib->isa->maps, m)
        name_guess_offer(&guess, (*m)->name);
    diag_unknown(ib->b->d, ast->pos, &guess, "unknown map \"%s\"", guess.wrong);
}

/* Finds the map or number format of a placeholder. In the published form unknown names print a
 * number. */
static bool find_printer(struct isa_builder *ib, const struct ast_asm_piece *ast,
                         struct asm_piece *p)
{
    struct asm_map *map = isa_map(ib->isa, ast->map);

    p->map = map;
    if (p->map)
        map->used = true;
    if (p->map)
        return true;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (strcmp(numbers[i].name, ast->map) != 0)
            continue;
        p->number = numbers[i].number;
        return true;
    }
    p->number = ASM_IMM;
    if (!ast->positional || !ib->isa->published)
        unknown_map(ib, ast);
    return false;
}

static void check_arity(const struct isa_builder *ib, const struct asm_piece *p, const char *name)
{
    unsigned expected = p->map ? p->map->arity : 1;

    if (!p->map && p->number == ASM_SYSREG)
        expected = ib->b->m->sysreg_space.fields.len;
    if (!p->map && p->number == ASM_REGION && p->values.len == 2)
        expected = 2;
    if (p->values.len != expected && !ib->b->incomplete)
        diag_error(ib->b->d, p->pos, "%%%s takes %u value%s, not %u", name, expected,
                   expected == 1 ? "" : "s", p->values.len);
}

enum { MIPS_REGION_BITS = 28, MAX_REGION_BITS = ASM_REGION_AHEAD_AT };

/* Sets the size of a branch's region in bits: the piece's second value, or MIPS_REGION_BITS. */
static void set_region(struct isa_builder *ib, const struct instr *instr, struct asm_piece *p)
{
    u128 bits = MIPS_REGION_BITS;

    if (p->map || p->text || p->number != ASM_REGION)
        return;
    p->region_ahead = instr->format->width / 8;
    if (p->values.len == 2 &&
        !const_bits(ib->b, ib, p->values.data[--p->values.len], 6, "the size of a region", &bits))
        return;
    p->region_bits = (unsigned)bits;
    if (!bits || bits > MAX_REGION_BITS)
        diag_error(ib->b->d, p->pos, "a region has 2^1 to 2^%d bytes", MAX_REGION_BITS);
}

static struct asm_piece build_piece(struct isa_builder *ib, const struct ast_asm *ast,
                                    const struct ast_asm_piece *from, unsigned *arg)
{
    struct asm_piece p = {.pos = from->pos, .text = from->text, .list = from->list};
    bool known;

    if (p.text)
        return p;
    known = find_printer(ib, from, &p);
    if (from->positional) {
        if (*arg < ast->args.len)
            vec_push_in(ib->b->a, &p.values, ast->args.data[*arg]);
        ++*arg;
        return p;
    }
    vec_for_each (&from->values, v)
        vec_push_in(ib->b->a, &p.values, *v);
    if (known)
        check_arity(ib, &p, from->map);
    return p;
}

/* Whether the expression reads a field, as in the constraint `rn = rm`. */
static bool reads_field(const struct instr *instr, const struct ast_expr *e)
{
    if (!e)
        return false;
    if (e->kind == AST_NAME && format_field(instr->format, e->name))
        return true;
    return reads_field(instr, e->a) || reads_field(instr, e->b) || reads_field(instr, e->c);
}

static void check_constraint(struct isa_builder *ib, const struct instr *instr,
                             const struct ast_constraint *c)
{
    const struct field *f = format_field(instr->format, c->field);
    struct name_guess guess = {.wrong = c->field};
    u128 v;

    if (!f) {
        vec_for_each (&instr->format->fields, it)
            name_guess_offer(&guess, (*it)->name);
        diag_unknown(ib->b->d, c->pos, &guess, "unknown field \"%s\"", guess.wrong);
    } else if (!f->computed && !reads_field(instr, c->value)) {
        const_bits(ib->b, ib, c->value, f->width, arena_printf(ib->b->a, "field \"%s\"", f->name),
                   &v);
    }
}

static void check_count(const struct isa_builder *ib, const struct ast_asm *ast, unsigned used)
{
    if (used == ast->args.len)
        return;
    if (ib->isa->published)
        diag_warning(ib->b->d, WARN_PUBLISHED, ast->pos,
                     "this syntax has %u placeholder%s and %u argument%s", used,
                     used == 1 ? "" : "s", ast->args.len, ast->args.len == 1 ? "" : "s");
    else
        diag_error(ib->b->d, ast->pos, "this syntax has %u placeholder%s and %u argument%s", used,
                   used == 1 ? "" : "s", ast->args.len, ast->args.len == 1 ? "" : "s");
}

static void build_line(struct isa_builder *ib, struct instr *instr, const struct ast_asm *ast)
{
    struct asm_syntax s = {.pos = ast->pos, .condition = ast->condition};
    unsigned arg = 0;

    vec_for_each (&ast->args, e)
        borrow_for_text(ib, instr->format, *e);
    vec_for_each (&ast->pieces, p) {
        struct asm_piece piece = build_piece(ib, ast, p, &arg);

        set_region(ib, instr, &piece);
        /* A published placeholder without an argument prints nothing. */
        if (piece.text || piece.values.len)
            vec_push_in(ib->b->a, &s.pieces, piece);
    }
    check_count(ib, ast, arg);
    vec_for_each (&ast->constraints, c) {
        check_constraint(ib, instr, c);
        vec_push_in(ib->b->a, &s.constraints, c);
    }
    vec_push_in(ib->b->a, &instr->syntax, s);
}

/* Instructions without asm lines of their own have those of their format. */
void build_syntax(struct isa_builder *ib, struct instr *instr)
{
    const struct ast_format *format = instr->format ? instr->format->ast : NULL;

    vec_for_each (&instr->ast->syntax, own)
        build_line(ib, instr, own);
    if (instr->ast->syntax.len || !format)
        return;
    vec_for_each (&format->syntax, shared)
        build_line(ib, instr, shared);
}
