/*
 * Draws words as pictures, one cell per field.
 */
#include "gencc/doc/internal.h"

enum { ROW_BITS = 32 };

/* Writes the digits of `width` bits; a point stands for a free bit. */
static void write_digits(FILE *o, u128 mask, u128 value, unsigned width)
{
    for (unsigned bit = width; bit-- > 0;)
        fputc(mask >> bit & 1 ? '0' + (int)(value >> bit & 1) : '.', o);
}

/* Draws bits `top` down to `low` of a cell, which may be a part of the cell. */
static void draw_cell(struct page *p, const struct bits_cell *c, unsigned top, unsigned low)
{
    unsigned width = top - low + 1, shift = low - c->lsb;
    u128 all = width == 128 ? ~(u128)0 : ((u128)1 << width) - 1;
    u128 mask = c->mask >> shift & all, value = c->value >> shift & all;

    html(p->o, "<span class=\"%s\" style=\"--w:%u\"",
         mask == all ? "fixed"
         : c->any    ? "any"
                     : "free",
         width);
    if (c->name)
        html(p->o, " title=\"%s\"", c->name);
    fputs("><i>", p->o);
    if (width > 1)
        html(p->o, "%u:%u", top, low);
    else
        html(p->o, "%u", top);
    fputs("</i><b>", p->o);
    if (c->name) {
        html_text(p->o, c->name);
        if (mask) {
            fputs("<em>", p->o);
            write_digits(p->o, mask, value, width);
            fputs("</em>", p->o);
        }
    } else if (!c->any) {
        write_digits(p->o, mask, value, width);
    }
    fputs("</b></span>", p->o);
}

void bits_draw(struct page *p, const bits_list *cells, unsigned width)
{
    unsigned rows = (width + ROW_BITS - 1) / ROW_BITS;

    for (unsigned row = rows; row-- > 0;) {
        unsigned low = row * ROW_BITS, top = row + 1 == rows ? width - 1 : low + ROW_BITS - 1;

        /* All rows have the same scale. */
        if (rows > 1 && top - low + 1 < ROW_BITS)
            html(p->o, "<div class=\"bits\" style=\"width:%u%%\">",
                 (top - low + 1) * 100 / ROW_BITS);
        else
            fputs("<div class=\"bits\">", p->o);
        vec_for_each (cells, c) {
            unsigned end = c->lsb + c->width - 1;

            if (c->lsb <= top && end >= low)
                draw_cell(p, c, end < top ? end : top, c->lsb > low ? c->lsb : low);
        }
        fputs("</div>\n", p->o);
    }
}

static struct bits_cell make_cell(unsigned lsb, unsigned width, u128 mask, u128 value)
{
    u128 all = width == 128 ? ~(u128)0 : ((u128)1 << width) - 1;

    return (struct bits_cell){NULL, lsb, width, mask >> lsb & all, value >> lsb & all, false};
}

/* Adds cells for bits between fields. */
static void add_gap(struct arena *a, unsigned top, unsigned low, u128 mask, u128 value,
                    bits_list *out)
{
    while (top > low) { /* bits top - 1 to low, split where fixed bits meet free ones */
        bool fixed = mask >> (top - 1) & 1;
        unsigned to = top - 1;
        struct bits_cell c;

        while (to > low && (mask >> (to - 1) & 1) == fixed)
            to--;
        c = make_cell(to, top - to, mask, value);
        c.any = !fixed;
        vec_push_in(a, out, c);
        top = to;
    }
}

void bits_of_format(struct arena *a, const struct format *f, u128 mask, u128 value, bits_list *out)
{
    unsigned top = f->width;

    while (top) {
        const struct field *next = NULL;

        vec_for_each (&f->fields, it) {
            const struct field *x = *it;

            if (x->computed || !x->width || x->lsb + x->width > top)
                continue;
            if (!next || x->lsb + x->width > next->lsb + next->width)
                next = x;
        }
        add_gap(a, top, next ? next->lsb + next->width : 0, mask, value, out);
        if (next) {
            struct bits_cell c = make_cell(next->lsb, next->width, mask, value);

            c.name = next->name;
            vec_push_in(a, out, c);
        }
        top = next ? next->lsb : 0;
    }
}
