#include "gencc/model/model.h"

void model_print(FILE *out, const struct model *m)
{
    (void)out;
    (void)m;
}
