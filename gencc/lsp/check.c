/*
 * Checks a description as the compiler does, for its messages: model, behaviours, assembly syntax.
 */
#include "gencc/disasm/disasm.h"
#include "gencc/lower/lower.h"
#include "gencc/lsp/gpus.h"

void project_check(struct root *r)
{
    struct model *m;

    root_read(r);
    if (r->checked || (!r->ast && !root_has_gpus(r)))
        return;
    r->checked = true;
    if (root_has_gpus(r)) {
        gpus_check(r);
        return;
    }
    diag_end_stage(&r->diag);
    m = r->diag.unreadable ? NULL : model_build(&r->arena, &r->diag, r->ast);
    if (!m)
        return;
    diag_end_stage(&r->diag);
    vec_for_each (&m->isas, isa)
        lower_isa(*isa, LOWER_CHECK);
    vec_for_each (&m->isas, isa)
        text_prepare(*isa);
    if (r->diag.errors)
        return;
    vec_for_each (&m->isas, isa)
        lower_judge_unused(*isa);
    model_judge(m);
    diag_report_verdicts(&r->diag);
}
