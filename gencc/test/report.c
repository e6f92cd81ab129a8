/*
 * Prints programs and totals; see report.h.
 */
#include "gencc/test/report.h"

#include <inttypes.h>
#include <string.h>

static void print_instruction(struct machine *m, const struct step *s, FILE *out)
{
    char text[160] = "";

    if (s->form)
        text_disasm(m->text[m->w.mode], s->word, s->bytes * 8, m->code_at + s->at, text,
                    sizeof(text));
    fprintf(out, "    %08" PRIx64 ": %0*" PRIx64 "  %s%s%s\n", m->code_at + s->at,
            (int)(s->bytes ? s->bytes : 4) * 2,
            (uint64_t)s->word &
                (s->bytes && s->bytes < 8 ? (UINT64_C(1) << 8 * s->bytes) - 1 : UINT64_MAX),
            s->form ? text : "(undefined)", s->form ? "  # " : "",
            s->form ? s->form->instr->name : "");
}

void report_program(struct frame *f, struct program *p, FILE *out)
{
    unsigned shown = 0;

    machine_load(f->m, &p->before);
    for (unsigned n = 0; n < p->count; n++)
        print_instruction(f->m, &p->step[n], out);
    fputs("  from", out);
    vec_for_each (&f->parts, part) {
        u128 value = frame_part(f, part);

        if (!value || part->kind == ABI_PC)
            continue;
        if (value >> 64)
            fprintf(out, " %s=0x%" PRIx64 "%016" PRIx64, part->name, (uint64_t)(value >> 64),
                    (uint64_t)value);
        else
            fprintf(out, " %s=0x%" PRIx64, part->name, (uint64_t)value);
        if (++shown % 8 == 0)
            fputs("\n      ", out);
    }
    fputc('\n', out);
}

void report_totals(const struct generator *g, const struct totals *t, bool list, FILE *out)
{
    unsigned executed = 0, unsupported = 0, shown = 0;

    vec_for_each (&g->forms, form) {
        const struct form_count *c = &g->counts[(*form)->index];

        executed += c->executed > 0;
        unsupported += !c->executed && c->unsupported;
    }
    vec_for_each (&g->forms, form) {
        const struct form_count *c = &g->counts[(*form)->index];

        if (c->executed || (!list && shown >= 20))
            continue;
        shown++;
        fprintf(out, "not executed: %s%s%s\n", (*form)->name, c->unsupported ? ": " : "",
                c->unsupported ? c->unsupported : "");
    }
    if (g->forms.len - executed > shown)
        fprintf(out, "… and %u more (--list)\n", g->forms.len - executed - shown);
    fprintf(out,
            "%" PRIu64 " programs, %" PRIu64 " instructions, %u of %u forms (%u cannot be tested), "
            "%.1f s: %" PRIu64 " difference%s\n",
            t->programs, t->instructions, executed, g->forms.len, unsupported, t->seconds,
            t->differences, t->differences == 1 ? "" : "s");
}
