/*
 * Builds the syntax tree of the files that ac_abi() names.
 */
#include "gencc/front/abi_ast.h"
#include "gencc/front/parser.h"

#include "genc.tab.h"

void arch_abi(struct parser *p, const struct token *path)
{
    const char *found = front_find(p->front, p->file, path);

    if (p->front->abis.len)
        diag_error(p->d, path->pos, "the architecture has two ac_abi()");
    if (found)
        vec_push_in(p->a, &p->front->abis, ((struct pending_file){found, path->pos}));
}

void abi_read_files(struct front *f)
{
    if (f->abis.len)
        f->arch->abi = arena_new(f->a, struct abi_node);
    vec_for_each (&f->abis, file)
        front_parse_file(f, file->path, file->from, LANG_ABI, NULL);
}

void abi_include(struct parser *p, const struct token *path)
{
    const char *found = front_find(p->front, p->file, path);
    struct abi_node *whole = p->front->arch->abi;

    /* Statements of an included file belong to the block that includes it. */
    p->front->arch->abi = p->abi ? p->abi : whole;
    if (found)
        front_parse_file(p->front, found, path->pos, LANG_ABI, NULL);
    p->front->arch->abi = whole;
}

struct abi_node *abi_statement(struct parser *p, const struct token *first)
{
    struct abi_node *n = arena_new(p->a, struct abi_node);

    if (!p->abi)
        p->abi = p->front->arch->abi;
    n->pos = first->pos;
    n->outer = p->abi;
    vec_push_in(p->a, &p->abi->items, n);
    abi_word(p, n, first);
    return n;
}

void abi_word(struct parser *p, struct abi_node *n, const struct token *t)
{
    struct abi_word w = {.pos = t->pos, .kind = ABI_SIGN, .text = t->text};

    if (t->kind == TOK_ID) {
        w.kind = ABI_NAME;
    } else if (t->kind == TOK_STRING) {
        w.kind = ABI_TEXT;
        w.text = string_value(p, t);
    } else if (t->kind == TOK_INT) {
        w.kind = ABI_NUMBER;
        w.value = (uint64_t)t->value;
        if (t->value >> 64)
            diag_error(p->d, t->pos, "this number does not fit into 64 bits");
    }
    vec_push_in(p->a, &n->words, w);
}

void abi_open(struct parser *p, struct abi_node *n)
{
    n->is_block = true;
    p->abi = n;
}

void abi_close(struct parser *p)
{
    if (p->abi && p->abi->outer)
        p->abi = p->abi->outer;
}
