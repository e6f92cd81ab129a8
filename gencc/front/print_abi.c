/*
 * Prints statements of an ABI as they can be read again; see abi_ast.h.
 */
#include "gencc/front/abi_ast.h"
#include "gencc/front/print.h"

#include <inttypes.h>

enum { STEP = 4 }; /* blanks that a block is indented by */

static void print_word(FILE *out, const struct abi_word *w)
{
    if (w->kind == ABI_NUMBER)
        fprintf(out, w->value < 10 ? "%" PRIu64 : "%#" PRIx64, w->value);
    else if (w->kind == ABI_TEXT)
        print_string(out, w->text);
    else
        fputs(w->text, out);
}

void abi_print_statement(FILE *out, const struct abi_node *n, unsigned indent)
{
    fprintf(out, "%*s", (int)(indent * STEP), "");
    vec_for_each (&n->words, w) {
        if (w != n->words.data && !(w->kind == ABI_SIGN && w->text[0] == ','))
            fputc(' ', out);
        print_word(out, w);
    }
    if (!n->is_block) {
        fputs(";\n", out);
        return;
    }
    fputs(" {\n", out);
    abi_print(out, n, indent + 1);
    fprintf(out, "%*s}\n", (int)(indent * STEP), "");
}

void abi_print(FILE *out, const struct abi_node *block, unsigned indent)
{
    vec_for_each (&block->items, n)
        abi_print_statement(out, *n, indent);
}
