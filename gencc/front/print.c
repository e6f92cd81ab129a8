#include "gencc/front/ast.h"
void ast_print(FILE *out, const struct ast_arch *arch)
{
    (void)out;
    (void)arch;
}
