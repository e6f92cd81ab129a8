/*
 * Builds the tree of architecture and ISA files: one function per statement.
 */
#include "gencc/front/parser.h"

#include <string.h>

/* ---- architecture ---------------------------------------------------------------------------- */

void arch_begin(struct parser *p, const struct token *name)
{
    struct ast_arch *arch = p->front->arch;

    if (p->front->arch_included && !p->build) /* an included file adds to the architecture */
        return;
    if (p->build || arch->name) {
        diag_error(p->d, name->pos, "AC_ARCH is expected only once, in the architecture file");
        return;
    }
    arch->pos = name->pos;
    arch->name = name->text;
}

void check_once(struct parser *p, struct src_pos pos, bool already)
{
    if (already)
        diag_error(p->d, pos, "this is given twice, but only one can apply");
}

void arch_word_size(struct parser *p, struct src_pos pos, unsigned bits)
{
    check_once(p, pos, !p->build && p->front->arch->word_bits);
    p->front->arch->word_bits = bits;
}

void arch_endian(struct parser *p, struct src_pos pos, const struct token *name)
{
    check_once(p, pos, !p->build && p->front->arch->endian_pos.file);
    p->front->arch->endian = name->text;
    p->front->arch->endian_pos = name->pos;
}

/* ---- ac_timing ------------------------------------------------------------------------------- */

enum { MAX_TIMING_NUMBER = 1000000 };

static struct ast_timing *latest_timing(struct parser *p)
{
    return &p->front->arch->timings.data[p->front->arch->timings.len - 1];
}

void cpu_timing_begin(struct parser *p, const struct token *name, const struct token *source)
{
    struct ast_timing t = {.pos = name->pos, .name = name->text, .source = source->text};

    vec_push_in(p->a, &p->front->arch->timings, t);
}

void cpu_timing_class(struct parser *p, const struct token *name)
{
    struct ast_timing_class c = {.pos = name->pos, .name = name->text};

    vec_push_in(p->a, &latest_timing(p)->classes, c);
}

static struct ast_timing_word word_of(struct parser *p, const struct token *name,
                                      const struct token *value)
{
    return (struct ast_timing_word){name->pos, name->text,
                                    literal_uint(p, node_number(p, value), MAX_TIMING_NUMBER)};
}

void cpu_timing_word(struct parser *p, const struct token *name, const struct token *value)
{
    struct ast_timing_word w = word_of(p, name, value);

    vec_push_in(p->a, &latest_timing(p)->words, w);
}

void class_word(struct parser *p, const struct token *name, const struct token *value)
{
    struct ast_timing *t = latest_timing(p);
    struct ast_timing_word w = word_of(p, name, value);

    vec_push_in(p->a, &t->classes.data[t->classes.len - 1].words, w);
}

/* ---- other statements ------------------------------------------------------------------------ */

void report_unsupported(struct parser *p, struct src_pos pos, const char *what, const char *hint)
{
    diag_error(p->d, pos, "%s is not supported: %s", what, hint);
}

void arch_isa(struct parser *p, const struct token *path)
{
    struct pending_file f = {front_find(p->front, p->file, path), path->pos};

    if (f.path && !p->build) /* an AC_ARCH inside an ISA's file was reported already */
        vec_push_in(p->a, &p->front->isas, f);
}

static void read_isa(struct parser *p, const struct pending_file *file)
{
    struct isa_build build = {.isa = arena_new(p->a, struct ast_isa)};

    build.isa->path = file->path;
    build.isa->pos = file->from;
    front_parse_file(p->front, file->path, file->from, LANG_ARCH, &build);
    if (!build.isa->name)
        return;
    instr_check_declared(p->front, &build);
    vec_push_in(p->a, &p->front->arch->isas, build.isa);
    vec_for_each (&build.files, f)
        front_parse_file(p->front, f->path, f->from, LANG_GENC, &build);
}

/* Declares per ISA the constant ISA_NAME, the ISA's number, for set_cpu_mode(). */
static void declare_isa_constants(struct front *f)
{
    const char *text = "";

    for (unsigned i = 0; i < f->arch->isas.len; i++)
        text = arena_printf(f->a, "%sconst uint32 ISA_%s = %u;\n", text,
                            arena_upper(f->a, f->arch->isas.data[i]->name), i);
    front_parse_prelude(f, "(ISAs)", text, strlen(text));
}

void arch_include(struct parser *p, const struct token *path)
{
    const char *found = front_find(p->front, p->file, path);

    if (!found || p->build) /* an AC_ARCH in place of an AC_ISA was reported already */
        return;
    p->front->arch_included++;
    front_parse_file(p->front, found, path->pos, LANG_ARCH, NULL);
    p->front->arch_included--;
}

void arch_end(struct parser *p)
{
    if (p->build || p->front->arch_included)
        return;
    vec_for_each (&p->front->isas, f)
        read_isa(p, f);
    p->front->isas.len = 0;
    abi_read_files(p->front);
    declare_isa_constants(p->front);
}

static void take_numbers(struct parser *p, const struct expr_list *numbers, unsigned *out,
                         unsigned room)
{
    for (unsigned i = 0; i < numbers->v.len && i < room; i++)
        out[i] = literal_uint(p, numbers->v.data[i], 1u << 30);
}

/* Bytes of a value of a base type, by the type's name; 0: another type. */
static unsigned bytes_of_base(const struct ast_type *type)
{
    static const struct {
        const char *name;
        unsigned bytes;
    } bases[] = {
        {"uint8", 1},    {"sint8", 1},    {"uint16", 2}, {"sint16", 2},
        {"uint32", 4},   {"sint32", 4},   {"uint64", 8}, {"sint64", 8},
        {"uint128", 16}, {"sint128", 16}, {"float", 4},  {"double", 8},
    };

    for (size_t i = 0; type->kind == AST_TYPE_NAMED && i < sizeof(bases) / sizeof(*bases); i++) {
        if (strcmp(type->name, bases[i].name) == 0)
            return bases[i].bytes;
    }
    return 0;
}

/*
 * Four numbers are offset, count, register stride and element size; or, in the published
 * description of a Mali, count, register stride, element size and offset. The type has the element
 * size and so shows which order is meant; if both fit, the offset comes first.
 */
static void four_bank_numbers(struct ast_view *v, const unsigned n[4])
{
    unsigned bytes = bytes_of_base(v->type);
    bool count_first = bytes && n[3] != bytes && n[2] == bytes;

    v->offset = count_first ? n[3] : n[0];
    v->count = count_first ? n[0] : n[1];
    v->reg_stride = count_first ? n[1] : n[2];
    v->elem_size = v->elem_stride = count_first ? n[2] : n[3];
    v->elems = 1;
}

static bool bank_numbers(struct parser *p, struct ast_view *v, const struct expr_list *numbers)
{
    unsigned n[6] = {0};
    unsigned count = numbers->v.len;

    if (count < 4 || count > 6) {
        diag_error(p->d, v->pos,
                   "bank \"%s\" needs 4 to 6 numbers, not %u: offset, count, register stride, "
                   "elements, element size, element stride",
                   v->name, count);
        return false;
    }
    take_numbers(p, numbers, n, 6);
    if (count == 4) {
        four_bank_numbers(v, n);
        return true;
    }
    v->offset = n[0];
    v->count = n[1];
    v->reg_stride = n[2];
    v->elems = n[3];
    v->elem_size = n[4];
    v->elem_stride = count == 6 ? n[5] : v->elem_size;
    return true;
}

static bool slot_numbers(struct parser *p, struct ast_view *v, const struct expr_list *numbers)
{
    unsigned n[2] = {0};

    if (numbers->v.len != 2) {
        diag_error(p->d, v->pos, "slot \"%s\" needs two numbers, size and offset, not %u", v->name,
                   numbers->v.len);
        return false;
    }
    take_numbers(p, numbers, n, 2);
    v->size = n[0];
    v->offset = n[1];
    return true;
}

void regspace_view(struct parser *p, struct ast_regspace *space, struct ast_view v,
                   const struct expr_list *numbers, const struct token *tag)
{
    if (!(v.is_bank ? bank_numbers(p, &v, numbers) : slot_numbers(p, &v, numbers)))
        return;
    if (tag && v.is_bank && strcmp(tag->text, "PARTS") != 0)
        diag_error(p->d, tag->pos, "only slots have tags, but for PARTS");
    else if (tag && !v.is_bank && !strcmp(tag->text, "PARTS"))
        diag_error(p->d, tag->pos, "only a bank has the tag PARTS");
    else if (tag)
        v.tag = tag->text;
    vec_push_in(p->a, &space->views, v);
}

/* ---- ISA ------------------------------------------------------------------------------------- */

void isa_begin(struct parser *p, const struct token *name)
{
    /* Error recovery may return to a block that has ended, so there is always a current
     * instruction. */
    p->instr = arena_new(p->a, struct ast_instr);
    p->isa_name = name->text;
    if (!p->build) {
        diag_error(p->d, name->pos,
                   "an architecture file begins with AC_ARCH; AC_ISA belongs "
                   "into a file that ac_isa(\"…\") names");
        p->build = arena_new(p->a, struct isa_build);
        p->build->isa = arena_new(p->a, struct ast_isa);
    }
    if (p->build->isa->name) /* an included file adds to the ISA */
        return;
    p->build->isa->name = name->text;
    p->build->isa->pos = name->pos;
}

void check_ctor(struct parser *p, const char *what, const struct token *name, const char *of)
{
    if (of && strcmp(name->text, of))
        diag_warning(p->d, WARN_CTOR_NAME, name->pos, "%s(%s) is in \"%s\"", what, name->text, of);
}

/* Whether the architecture has lanes. Words of lanes are parts of a bundle and need not be whole
 * bytes. */
static bool has_lanes(const struct parser *p)
{
    if (p->front->arch)
        vec_for_each (&p->front->arch->spaces, s)
            if (s->is_lane)
                return true;
    return false;
}

void isa_fetch_size(struct parser *p, struct src_pos pos, unsigned bits)
{
    struct ast_isa *isa = p->build->isa;

    if (!bits || bits > 128 || (bits % 8 && !has_lanes(p)))
        diag_error(p->d, pos, "ac_fetchsize is a multiple of 8 from 8 to 128");
    else if (isa->fetch_bits && isa->fetch_bits != bits)
        diag_error(p->d, pos, "ac_fetchsize is %u here and %u before", bits, isa->fetch_bits);
    else
        isa->fetch_bits = bits;
}

void isa_predicated(struct parser *p, const struct token *value)
{
    check_once(p, value->pos, p->build->isa->predicated);
    if (strcmp(value->text, "no") != 0)
        diag_error(p->d, value->pos,
                   "ac_predicated \"%s\" is not supported, only \"no\" or a predicate's call",
                   value->text);
    p->build->isa->predicated = value->text;
}

void isa_predicate(struct parser *p, struct ast_expr *call, struct ast_decoder *bits)
{
    struct ast_isa *isa = p->build->isa;

    check_once(p, call->pos, isa->predicated || isa->predicate);
    isa->extended = true;
    if (call->args.len && call->args.data[0]->kind == AST_NAME) {
        isa->predicate = call;
        isa->predicate_bits = bits;
        return;
    }
    diag_error(
        p->d, call->pos,
        "the predicate's first argument is a field: instructions that have it are predicated");
}

/* The only attribute is `notpred`. It has no effect, since no format has a predicate of its own. */
void isa_attribute(struct parser *p, const struct token *name)
{
    if (strcmp(name->text, "notpred") != 0)
        diag_error(p->d, name->pos, "formats have no attribute \"%s\", only \"notpred\"",
                   name->text);
    vec_push_in(p->a, &p->attrs, name->text);
}

void isa_include(struct parser *p, const struct token *path)
{
    const char *found = front_find(p->front, p->file, path);

    if (found)
        front_parse_file(p->front, found, path->pos, LANG_ARCH, p->build);
}

void isa_elf(struct parser *p, struct src_pos pos, unsigned machine, unsigned bits, unsigned flags)
{
    struct ast_isa *isa = p->build->isa;

    if (isa->elf_bits)
        diag_error(p->d, pos, "the ISA has two assembler.set_elf()");
    if (machine > 0xffff || (bits != 32 && bits != 64))
        diag_error(p->d, pos,
                   "assembler.set_elf() takes a machine up to 65535, 32 or 64, and flags");
    isa->elf_machine = machine;
    isa->elf_bits = bits;
    isa->elf_flags = flags;
}

void isa_behaviour_file(struct parser *p, const struct token *path)
{
    const char *found = front_find(p->front, p->file, path);
    struct pending_file f = {found, path->pos};

    if (found && !name_map_put(p->a, &p->build->files_seen, found, (void *)(uintptr_t)found))
        vec_push_in(p->a, &p->build->files, f);
}

void format_begin(struct parser *p, const struct token *name, const struct token *picture)
{
    struct ast_format *f = arena_new(p->a, struct ast_format);

    f->pos = name->pos;
    f->name = name->text;
    picture_parse(p, picture, f);
    vec_take(&f->attrs, &p->attrs);
    p->attrs.data = NULL;
    p->attrs.len = p->attrs.cap = 0;
    p->format = f;
}

void format_end(struct parser *p)
{
    vec_push_in(p->a, &p->build->isa->formats, *p->format);
    p->format = NULL;
}

/* ---- instructions ---------------------------------------------------------------------------- */

/* Returns the instruction of that name; makes it on the first mention. */
static struct ast_instr *find_instr(struct parser *p, const struct token *name)
{
    struct ast_instr *i = name_map_get(&p->build->instrs, name->text);

    if (i)
        return i;
    i = arena_new(p->a, struct ast_instr);
    i->name = name->text;
    i->pos = name->pos;
    name_map_put(p->a, &p->build->instrs, name->text, i);
    return i;
}

void instr_declare(struct parser *p, const struct token *name, const struct token *format)
{
    struct ast_instr *old = name_map_get(&p->build->declared, name->text);
    struct ast_instr *i = old ? arena_new(p->a, struct ast_instr) : find_instr(p, name);

    if (old) {
        diag_error(p->d, name->pos, "instruction \"%s\" is declared twice", name->text);
        diag_note(p->d, old->pos, "the first declaration is here");
    }
    i->name = name->text;
    i->pos = name->pos;
    i->format = format ? format->text : name->text;
    i->format_pos = format ? format->pos : name->pos;
    p->instr = i;
    if (old)
        return;
    name_map_put(p->a, &p->build->declared, name->text, i);
    vec_push_in(p->a, &p->build->isa->instrs, i);
}

void instr_block_begin(struct parser *p, const struct token *name, const struct token *format,
                       const struct token *picture)
{
    if (name)
        instr_declare(p, name, format);
    p->build->isa->extended = true;
    p->instr->is_block = true;
    p->format = NULL;
    if (picture) {
        format_begin(p, name, picture);
        p->format->of_block = true;
    }
}

void instr_block_end(struct parser *p)
{
    if (p->format)
        format_end(p);
}

void instr_field(struct parser *p, struct ast_type *type, const struct token *name,
                 struct ast_expr *value)
{
    struct ast_field f = {name->pos, type, name->text, value};

    if (p->format)
        vec_push_in(p->a, &p->format->fields, f);
    else
        vec_push_in(p->a, &p->instr->fields, f);
}

void instr_select(struct parser *p, const struct token *name)
{
    p->instr = find_instr(p, name);
    if (!name_map_get(&p->build->declared, name->text))
        vec_push_in(p->a, &p->build->used, p->instr);
}

void instr_asm(struct parser *p, const struct token *text, struct asm_args *args,
               struct ast_expr *condition, bool published)
{
    struct ast_asm s = {.pos = text->pos, .text = text->text, .condition = condition};

    asm_string_parse(p, text, &s, published);
    vec_take(&s.args, &args->args);
    vec_take(&s.constraints, &args->constraints);
    if (p->format && !p->format->of_block)
        vec_push_in(p->a, &p->format->syntax, s);
    else
        vec_push_in(p->a, &p->instr->syntax, s);
}

/* Published models may give the behaviour twice; the last one counts. */
void instr_behaviour(struct parser *p, struct src_pos pos, const struct token *name)
{
    if (p->instr->behaviour && p->build->isa->extended)
        check_once(p, pos, true);
    else if (p->instr->behaviour)
        diag_warning(p->d, WARN_PUBLISHED, pos,
                     "instruction \"%s\" has its behaviour twice; the last counts", p->instr->name);
    p->instr->behaviour = name->text;
    p->instr->behaviour_pos = name->pos;
}

/* Bits after an instruction would be decoded as the next instruction. */
void instr_long_immediate(struct parser *p, struct src_pos pos, unsigned bits)
{
    if (bits)
        report_unsupported(p, pos, "an immediate behind the instruction",
                           "an instruction is one word of ac_fetchsize bits");
}

/* Several set_end_of_block() are alternatives, and one without conditions includes all others. If
 * two have conditions, the instruction always ends its block, which is correct but slower. */
void instr_end_of_block(struct parser *p, const struct ast_decoder *when)
{
    if (p->instr->end_of_block)
        p->instr->eob = (struct ast_decoder){0};
    else
        p->instr->eob = *when;
    p->instr->end_of_block = true;
}

void instr_jump(struct parser *p, enum ast_jump_kind kind, const struct token *field, bool relative,
                struct ast_expr *offset)
{
    struct ast_instr *i = p->instr;
    struct ast_expr *magnitude = offset;
    bool negative = offset && offset->kind == AST_UNARY && offset->op == AST_OP_NEG;

    i->jump = kind;
    i->jump_field = field ? field->text : NULL;
    if (field)
        i->jump_pos = field->pos;
    i->jump_relative = relative;
    if (!offset)
        return;
    if (negative)
        magnitude = offset->a;
    i->jump_offset = literal_uint(p, magnitude, 1u << 30);
    if (negative)
        i->jump_offset = -i->jump_offset;
}

void instr_check_declared(struct front *f, const struct isa_build *b)
{
    vec_for_each (&b->used, u) {
        struct name_guess guess = {.wrong = (*u)->name};

        if (name_map_get(&b->declared, (*u)->name))
            continue;
        vec_for_each (&b->isa->instrs, i)
            name_guess_offer(&guess, (*i)->name);
        diag_unknown(f->d, (*u)->pos, &guess, "unknown instruction \"%s\"", (*u)->name);
    }
}
