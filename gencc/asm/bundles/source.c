/*
 * `gencc asm` of shaders that are strings of bundles: labels, and header fields that describe the
 * next bundle.
 */
#include "gencc/asm/bundles/lines.h"
#include "gencc/asm/command.h"

#include <ctype.h>
#include <string.h>

/* Given bytes that were dropped may be taken again in the first HINT_ROUNDS rounds only, so that
 * rounds end. */
enum { MAX_ROUNDS = 8, HINT_ROUNDS = 3, MAX_TARGET = 256 };

struct assembled {
    struct source_bundle source;
    struct source_bundle resolved; /* with labels replaced */
    unsigned index;                /* first grain of the bundle */
    unsigned made_at;              /* index when it was assembled */
    size_t bytes;
    uint8_t code[BUNDLE_MAX_BYTES];
    struct bundle_bits bits;
    bool is_hinted;       /* the code is the bytes that the source gives */
    uint64_t said_header; /* bits of the header that the lines give */
};

struct source {
    struct text *t;
    struct arena *arena;
    const struct bundle *c;
    struct text_bundle *reader; /* a disassembler that has assembled nothing */
    struct bundle_asm *ba;      /* made when the first bundle is assembled */
    bool failed;                /* making it failed, which was reported */
    struct diag diag;
    struct source_lines lines;
    VEC(struct assembled *) bundles;
};

static struct assembled *last_bundle(struct source *s)
{
    return s->bundles.data[s->bundles.len - 1];
}

/* ---- labels ---------------------------------------------------------------------------------- */

static const struct source_label *label_at(const struct source *s, const char *p, size_t n)
{
    vec_for_each (&s->lines.labels, l)
        if (strlen(l->name) == n && !strncmp(l->name, p, n))
            return l;
    return NULL;
}

/* Bytes of a bundle; before it is assembled, an estimate. */
static size_t bytes_of(const struct source *s, const struct assembled *b)
{
    size_t said = b->source.hint.code ? b->source.hint.bytes : s->c->grain_bits / 8;

    return b->bytes ? b->bytes : said;
}

/* Index of the grain behind a bundle. */
static unsigned index_behind(const struct source *s, const struct assembled *b)
{
    return b->index + (unsigned)(bytes_of(s, b) / (s->c->grain_bits / 8));
}

/* The text of a label as an operand of the bundle `from`. */
static const char *text_of_target(struct source *s, const struct source_label *l,
                                  const struct assembled *from)
{
    const struct assembled *to = l->bundle < s->bundles.len ? s->bundles.data[l->bundle] : NULL;
    unsigned index = to ? to->index : index_behind(s, last_bundle(s));
    struct text_bundle tc = {.text = s->t, .index = index, .end = !to};
    char text[MAX_TARGET];
    struct asm_out out = {.text = text, .size = sizeof(text)};

    if (to)
        tc.bits = to->bits;
    tc.distance = (int64_t)index - index_behind(s, from);
    if (bundle_write_target(&tc, &out) && !out.cut)
        return arena_strndup(s->arena, text, out.length);
    return arena_printf(s->arena, "%s_%u", s->c->name, index);
}

/* A line of a bundle with its labels replaced by their targets. */
static const char *with_targets(struct source *s, const struct assembled *from, const char *text)
{
    const char *out = text, *p = text;

    while (*p) {
        size_t n = 0;
        const struct source_label *l;

        while (isalnum((unsigned char)p[n]) || p[n] == '_')
            n++;
        l = n ? label_at(s, p, n) : NULL;
        if (l) {
            size_t before = (size_t)(p - text);

            const char *reads = text_of_target(s, l, from);

            out = arena_printf(s->arena, "%.*s%s%s", (int)before, text, reads, p + n);
            p = out + before + strlen(reads);
            text = out;
            continue;
        }
        p += n ? n : 1;
    }
    return out;
}

/* ---- labels that there are not --------------------------------------------------------------- */

/* Finds an undefined label: a name that makes the line readable if it is replaced by a target. *n
 * is its length, 0 if there is none. */
static const char *missing_label(struct source *s, const struct assembled *from, const char *text,
                                 size_t *n)
{
    const struct source_label any = {.name = "", .bundle = 0};
    const char *reads = text_of_target(s, &any, from);

    for (const char *p = text; *p; p += *n ? *n : 1) {
        *n = 0;
        while (isalnum((unsigned char)p[*n]) || p[*n] == '_')
            (*n)++;
        if (*n && !isdigit((unsigned char)*p) &&
            bundle_reads_line(
                s->ba, arena_printf(s->arena, "%.*s%s%s", (int)(p - text), text, reads, p + *n)))
            return p;
    }
    *n = 0;
    return text;
}

/* Column in the source of a character of the read line. In the read line labels are replaced and a
 * header may be removed. */
static unsigned column_of(const struct assembled *b, const struct source_line *at, size_t character)
{
    const struct source_line *written = at;
    size_t same = 0;

    for (unsigned i = 0; i < b->source.words; i++)
        if (b->source.word[i].line == at->line)
            written = &b->source.word[i];
    while (same < character && written->text[same] == at->text[same])
        same++;
    if (same == character)
        return at->column + (unsigned)same;
    character = strlen(at->text) - character; /* from the end */
    same = strlen(written->text);
    return written->column + (unsigned)(same > character ? same - character : 0);
}

/* Reports why a bundle cannot be assembled. */
static void refuse_bundle(struct source *s, const struct assembled *b, const struct source_line *at,
                          const char *err)
{
    size_t n = 0, wrong = bundle_wrong(s->ba);

    if (!at) {
        source_error(&s->lines, b->source.end.line, 1, 1, err);
        return;
    }
    if (at != &b->resolved.header && !bundle_reads_line(s->ba, at->text)) {
        const char *name = missing_label(s, b, at->text, &n);

        if (n) {
            err = arena_printf(s->arena, "unknown label '%.*s'", (int)n, name);
            wrong = (size_t)(name - at->text);
        }
    }
    source_error(&s->lines, at->line, column_of(b, at, wrong), n ? (unsigned)n : 1, err);
}

/* ---- assembling ------------------------------------------------------------------------------ */

/* Replaces labels in the bundle's lines. Returns whether the text is the same as in the round
 * before. */
static bool replace_labels(struct source *s, unsigned number)
{
    struct assembled *b = s->bundles.data[number];
    struct source_bundle before = b->resolved;
    bool same = b->bytes != 0;

    b->resolved = b->source;
    for (unsigned i = 0; i < b->source.words; i++) {
        b->resolved.word[i].text = with_targets(s, b, b->source.word[i].text);
        same = same && !strcmp(b->resolved.word[i].text, before.word[i].text);
    }
    return same;
}

static void place_bundles(struct source *s)
{
    unsigned index = 0;

    vec_for_each (&s->bundles, b) {
        (*b)->index = index;
        index += (unsigned)(bytes_of(s, *b) / (s->c->grain_bits / 8));
    }
}

/* Takes the bytes that the source gives for a bundle, if they are printed as its lines. */
static bool take_code(struct source *s, struct assembled *b)
{
    const struct source_hint *hint = &b->source.hint;
    struct bundle_refusal why;
    uint64_t header;

    b->is_hinted = hint->code && bundle_check(s->reader, &b->resolved, b->index, hint->code,
                                              hint->bytes, &why) == hint->bytes;
    if (!b->is_hinted)
        return false;
    memcpy(b->code, hint->code, hint->bytes);
    b->bytes = hint->bytes;
    b->bits = s->reader->bits;
    b->said_header = 0;
    if (b->source.header.text)
        bundle_read_header(s->reader, b->source.header.text, &header, &b->said_header);
    return true;
}

/* Assembles a bundle's lines. False after reporting. */
static bool assemble_lines(struct source *s, struct assembled *b)
{
    struct bundle_refusal why = {0};

    if (!s->ba)
        s->ba = bundle_asm_new(s->t);
    s->failed = !s->ba;
    if (s->failed)
        return false;
    b->bytes = bundle_assemble(s->ba, &b->resolved, b->index, b->code, &b->bits, &why);
    b->said_header = bundle_said_of_header(s->ba);
    if (!b->bytes)
        refuse_bundle(s, b, why.at, why.text);
    return b->bytes != 0;
}

/* Assembles all bundles that changed. False if none did, or after errors. */
static bool assemble_round(struct source *s, unsigned round)
{
    bool changed = false;

    for (unsigned i = 0; i < s->bundles.len; i++) {
        struct assembled *b = s->bundles.data[i];

        place_bundles(s);
        if (replace_labels(s, i) && b->index == b->made_at)
            continue;
        changed = true;
        b->made_at = b->index;
        if ((round < HINT_ROUNDS || b->is_hinted) && take_code(s, b))
            continue;
        if (!assemble_lines(s, b) && s->failed)
            return false;
    }
    return changed && !s->lines.errors;
}

/* Stores in each header the fields that describe the next bundle. */
static bool link_headers(struct source *s)
{
    for (unsigned i = 0; s->c->follows.len && i < s->bundles.len; i++) {
        struct assembled *b = s->bundles.data[i];
        const struct assembled *behind = i + 1 < s->bundles.len ? s->bundles.data[i + 1] : NULL;
        uint64_t header =
            bundle_header_before(s->c, &b->bits, b->said_header, behind ? &behind->bits : NULL);

        if (header == b->bits.header)
            continue;
        b->bits.header = header;
        if (bundle_store(s->t, &b->bits, b->code) == b->bytes)
            continue;
        source_error(&s->lines, b->source.word[0].line, b->source.word[0].column, 1,
                     "what follows this cannot be said in its header");
        return false;
    }
    return true;
}

/* Unpacks given bytes, since targets of labels are printed from them before assembly. */
static void read_hints(struct source *s)
{
    vec_for_each (&s->bundles, b)
        if ((*b)->source.hint.code &&
            !text_bundle_unpack(s->t, (*b)->source.hint.code, (*b)->source.hint.bytes, &(*b)->bits))
            (*b)->bits = (struct bundle_bits){0};
}

static bool assemble_source(struct source *s)
{
    read_hints(s);
    for (unsigned round = 0; round < MAX_ROUNDS; round++)
        if (!assemble_round(s, round))
            return !s->failed && !s->lines.errors && link_headers(s);
    source_error(&s->lines, 1, 1, 1, "labels do not settle");
    return false;
}

/* ---- the program ----------------------------------------------------------------------------- */

/* The bytes of all bundles, one after the other. */
static uint8_t *join_bytes(struct source *s, size_t *bytes)
{
    uint8_t *code, *p;

    *bytes = 0;
    vec_for_each (&s->bundles, b)
        *bytes += (*b)->bytes;
    p = code = arena_alloc(s->arena, *bytes);
    vec_for_each (&s->bundles, b) {
        memcpy(p, (*b)->code, (*b)->bytes);
        p += (*b)->bytes;
    }
    return code;
}

/* Disassembles the program and compares it with its source. Labels must be at their bundles. */
static bool check_program(struct source *s, const uint8_t *code, size_t bytes)
{
    size_t at = 0;

    place_bundles(s);
    for (unsigned i = 0; i < s->bundles.len; i++) {
        struct assembled *b = s->bundles.data[i];
        struct bundle_refusal why;
        size_t used;

        replace_labels(s, i);
        used = bundle_check(s->reader, &b->resolved, b->index, code + at, bytes - at, &why);
        if (!used) {
            source_error(&s->lines, why.at->line, why.at->column, 1, why.text);
            return false;
        }
        at += used;
    }
    if (at != bytes)
        source_error(&s->lines, 1, 1, 1, "more was assembled than is read again");
    return at == bytes;
}

static void write_code(const struct source *s, const uint8_t *code, bool hex, FILE *out)
{
    vec_for_each (&s->bundles, b) {
        if (!hex) {
            fwrite(code, 1, (*b)->bytes, out);
            code += (*b)->bytes;
            continue;
        }
        for (size_t i = 0; i < (*b)->bytes; i++)
            fprintf(out, "%02x", *code++);
        fputc('\n', out);
    }
}

static bool read_source(struct source *s, FILE *in, const char *file)
{
    s->lines = (struct source_lines){.arena = s->arena,
                                     .c = s->c,
                                     .comment = s->t->isa->ast->line_comment,
                                     .file = strcmp(file, "-") ? file : "<stdin>",
                                     .diag = &s->diag};
    if (!source_lines_read(&s->lines, in))
        return false;
    vec_for_each (&s->lines.bundles, b) {
        vec_push_in(s->arena, &s->bundles, arena_new(s->arena, struct assembled));
        last_bundle(s)->source = **b;
    }
    return true;
}

int text_command_asm_bundles(struct text *t, const struct text_options *o, FILE *out)
{
    struct arena arena = {0};
    struct source s = {.t = t, .arena = &arena, .c = t->isa->bundle};
    const struct field *unsaid = bundle_unsaid_field(t);
    uint8_t *code = NULL;
    size_t bytes;
    FILE *in;
    bool ok;

    if (unsaid) {
        fprintf(stderr,
                "gencc asm: no line of a %s of '%s' says what the field '%s' of its header is: "
                "these cannot be "
                "assembled yet\n",
                s.c->name, t->isa->name, unsaid->name);
        return 2;
    }
    s.reader = text_bundle_prepare(t);
    in = s.reader ? text_open_input(o->file) : NULL;
    if (!in)
        return s.reader ? 2 : 1;
    ok = read_source(&s, in, o->file) && s.bundles.len && assemble_source(&s);
    if (ok) {
        code = join_bytes(&s, &bytes);
        ok = check_program(&s, code, bytes);
    }
    if (!s.bundles.len && !s.lines.errors && !ferror(in))
        source_error(&s.lines, 1, 1, 1, "there is no bundle");
    if (ok)
        write_code(&s, code, o->hex, out);
    arena_free(&arena);
    return text_close_all(in, o->file, out, ok ? 0 : 1);
}
