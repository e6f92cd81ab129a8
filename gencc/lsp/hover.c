/*
 * Hover: the declaration of a name, and its comment.
 */
#include "gencc/lsp/features.h"

#include "gencc/front/excerpt.h"
#include "gencc/ir/ir.h"
#include "gencc/lsp/gpus.h"
#include "gencc/lsp/text.h"

#include <inttypes.h>
#include <string.h>

enum { MOST_LINES = 24 };

static struct src_pos position_of(const struct symbol *x)
{
    struct src_pos pos = {.file = x->file, .line = 1, .column = 1, .length = 1};

    for (size_t i = 0; i < x->at; i++)
        pos.line += x->file->text[i] == '\n';
    return pos;
}

/* The first lines of a text, without their common indentation. */
static const char *cut_lines(struct arena *a, const char *text, size_t n)
{
    size_t margin = strspn(text, " "), used = 0;
    const char *out = "";

    for (unsigned line = 0; used < n && line < MOST_LINES; line++) {
        size_t length = strcspn(text + used, "\n"), skip = strspn(text + used, " ");

        length = used + length > n ? n - used : length;
        skip = skip > margin ? margin : skip;
        skip = skip > length ? length : skip;
        out = arena_printf(a, "%s%.*s\n", out, (int)(length - skip), text + used + skip);
        used += length + 1;
    }
    return used < n ? arena_printf(a, "%s…\n", out) : out;
}

/* The whole definition if it is short, else the part before its body. */
static const char *code_of(struct arena *a, const struct symbol *x)
{
    size_t n, head;
    const char *text = source_definition(position_of(x), &n);
    unsigned lines = 0;

    if (x->kind == SYMBOL_LOCAL || x->kind == SYMBOL_FIELD || x->kind == SYMBOL_REGISTER ||
        x->kind == SYMBOL_MEMORY || x->kind == SYMBOL_FEATURE)
        return cut_lines(a, text, strcspn(text, "\n"));
    for (size_t i = 0; i < n; i++)
        lines += text[i] == '\n';
    head = strcspn(text, "{");
    if (lines > MOST_LINES && x->kind == SYMBOL_HELPER && head < n)
        return cut_lines(a, text, head);
    return cut_lines(a, text, n);
}

static json_t *make_markdown(struct arena *a, const struct source_file *f, const struct word *w,
                             const char *text)
{
    (void)a;
    return json_pack("{s:{s:s, s:s}, s:o}", "contents", "kind", "markdown", "value", text, "range",
                     text_range(f->text, w->from, w->to));
}

static json_t *hover_intrinsic(const struct place *p, const struct word *w)
{
    struct arena *a = p->symbols->a;
    const char *name = arena_strndup(a, p->file->text + w->from, w->to - w->from);
    enum ir_intrinsic i = ir_intrinsic_find(name);
    const char *signature;

    if (w->where == WORD_MAP || i == IR_I_NONE)
        return json_null();
    signature = ir_intrinsics[i].signature;
    return make_markdown(a, p->file, w,
                         arena_printf(a, "```genc\n%.*s %s%s\n```\nintrinsic",
                                      (int)strcspn(signature, "("), signature, name,
                                      strchr(signature, '(')));
}

/* Describes a word that can begin a line of a GPU's block. */
static json_t *hover_gpu_word(const struct place *p, const struct word *w)
{
    struct arena *a = p->symbols->a;
    const char *name = arena_strndup(a, p->file->text + w->from, w->to - w->from);
    struct gpu_word about;

    if (!gpus_word(name, &about))
        return json_null();
    return make_markdown(a, p->file, w,
                         strcmp(about.unit, "text")
                             ? arena_printf(a, "```genc\n%s\n```\n%s, %s, %" PRIu64 " to %" PRIu64,
                                            name, about.about, about.unit, about.least, about.most)
                             : arena_printf(a, "```genc\n%s\n```\n%s", name, about.about));
}

json_t *answer_hover(const struct place *p)
{
    struct arena *a = p->symbols->a;
    const struct symbol *x;
    const char *comment;
    struct word w;

    if (!p->file || !word_at(p->file->text, p->at, &w))
        return json_null();
    x = symbol_meant(p->symbols, p->file, &w);
    if (!x)
        return root_has_gpus(p->root) ? hover_gpu_word(p, &w) : hover_intrinsic(p, &w);
    comment = source_comment(a, position_of(x));
    return make_markdown(a, p->file, &w,
                         arena_printf(a, "```genc\n%s```\n%s%s%s%s%s", code_of(a, x),
                                      symbol_kind_name(x->kind), x->detail ? ", " : "",
                                      x->detail ? x->detail : "", *comment ? "\n\n" : "", comment));
}
