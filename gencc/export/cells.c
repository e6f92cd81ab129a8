/*
 * Registers as arrays of cells; see cells.h.
 */
#include "gencc/export/cells.h"

static unsigned view_bytes(const struct reg_view *v)
{
    unsigned bytes = v->type.bits / 8u;

    return v->type.lanes > 1 ? (v->type.lanes - 1u) * v->elem_stride + bytes : bytes;
}

static unsigned view_end(const struct reg_view *v)
{
    return v->offset + (v->count - 1) * v->reg_stride + view_bytes(v);
}

/* Distance of a view's registers; of a slot, the bytes of the only one. */
static unsigned stride_of(const struct reg_view *v)
{
    return v->count > 1 ? v->reg_stride : view_bytes(v);
}

/* ---- groups ---------------------------------------------------------------------------------- */

static bool overlap(const struct cell_group *g, const struct reg_view *v)
{
    return v->offset < g->offset + g->bytes && g->offset < view_end(v);
}

static void add_view(struct arena *a, struct cell_group *g, const struct reg_view *v)
{
    unsigned end = g->offset + g->bytes;

    if (!g->views.len) {
        g->name = v->name;
        g->offset = v->offset;
        end = view_end(v);
    }
    if (v->offset < g->offset)
        g->offset = v->offset;
    if (view_end(v) > end)
        end = view_end(v);
    g->bytes = end - g->offset;
    vec_push_in(a, &g->views, v);
}

/* Adds the views of each group that overlaps a later one to it, until none does. */
static void join_groups(struct arena *a, struct cells *c)
{
    for (unsigned i = 0; i < c->groups.len; i++) {
        for (unsigned k = i + 1; k < c->groups.len; k++) {
            struct cell_group *x = &c->groups.data[i], *y = &c->groups.data[k];

            if (y->offset >= x->offset + x->bytes || x->offset >= y->offset + y->bytes)
                continue;
            vec_for_each (&y->views, v)
                add_view(a, x, *v);
            *y = c->groups.data[--c->groups.len];
            k = i; /* it has grown: begin again */
        }
    }
}

static unsigned common_divisor(unsigned x, unsigned y)
{
    return y ? common_divisor(y, x % y) : x;
}

/* Whether cells of that many bytes contain every register whole. */
static bool fits(const struct cell_group *g, unsigned cell)
{
    if (g->bytes % cell || cell > 16)
        return false;
    vec_for_each (&g->views, it) {
        const struct reg_view *v = *it;
        unsigned stride = stride_of(v), at = (v->offset - g->offset) % cell;

        if (v->count > 1 && stride % cell && (cell % stride || at % stride))
            return false;
        if (at + view_bytes(v) > cell && stride % cell)
            return false;
    }
    return true;
}

/* Cells as large as the widest register, so that a register is a cell, or the largest into which
 * all fit. */
static void choose_cell(struct cell_group *g)
{
    unsigned all = g->bytes;

    g->cell = 1;
    vec_for_each (&g->views, v) {
        unsigned stride = stride_of(*v);

        all = common_divisor(common_divisor(all, stride), (*v)->offset - g->offset);
        if (stride > g->cell && fits(g, stride))
            g->cell = stride;
    }
    if (!fits(g, g->cell) || (g->cell == 1 && fits(g, all)))
        g->cell = fits(g, all) ? all : 1;
    g->count = g->bytes / g->cell;
}

struct cells *cells_of(struct arena *a, const struct model *m)
{
    struct cells *c = arena_new(a, struct cells);
    unsigned *group_of = arena_alloc(a, m->views.len * sizeof(*group_of));

    vec_for_each (&m->views, it) {
        struct cell_group *found = NULL;

        vec_for_each (&c->groups, g)
            if (!found && overlap(g, *it))
                found = g;
        if (!found) {
            vec_push_in(a, &c->groups, (struct cell_group){0});
            found = &c->groups.data[c->groups.len - 1];
        }
        add_view(a, found, *it);
    }
    join_groups(a, c);
    for (unsigned i = 0; i < c->groups.len; i++) {
        choose_cell(&c->groups.data[i]);
        vec_for_each (&c->groups.data[i].views, v)
            group_of[(*v)->index] = i;
    }
    c->group_of = group_of;
    return c;
}

/* Bits that number the cells of a group */
static unsigned index_bits(const struct cell_group *g)
{
    unsigned bits = 1;

    while ((1u << bits) < g->count)
        bits++;
    return bits;
}

struct sort cells_sort(const struct cell_group *g)
{
    return g->count > 1 ? sort_array(index_bits(g), 8 * g->cell) : sort_bits(8 * g->cell);
}

/* ---- places ---------------------------------------------------------------------------------- */

/* Bytes of a part: accesses to registers that share a cell go register by register. */
static unsigned part_bytes(const struct cell_group *g, const struct reg_view *v, unsigned bytes)
{
    unsigned stride = stride_of(v), at = (v->offset - g->offset) % g->cell;

    if (v->count > 1 && stride < g->cell)
        return bytes < stride ? bytes : stride;
    return at + bytes <= g->cell ? bytes : g->cell - at % g->cell;
}

unsigned cells_parts(const struct cells *c, const struct reg_view *v, unsigned bytes)
{
    unsigned part = part_bytes(&c->groups.data[c->group_of[v->index]], v, bytes);

    return (bytes + part - 1) / part;
}

struct cell_place cells_place(struct terms *t, const struct cells *c, const struct reg_view *v,
                              const struct term *index, unsigned part, unsigned bytes)
{
    const struct cell_group *g = &c->groups.data[c->group_of[v->index]];
    unsigned stride = stride_of(v), size = part_bytes(g, v, bytes), bits = index_bits(g);
    unsigned at = v->offset - g->offset + part * size;
    struct cell_place p = {.group = g, .low = 8 * (at % g->cell), .bits = 8 * size};
    const struct term *first = term_number(t, bits, at / g->cell);

    if (size * part + size > bytes)
        p.bits = 8 * (bytes - size * part);
    p.index = g->count > 1 ? first : NULL;
    if (!index || v->count == 1)
        return p;
    if (stride >= g->cell) {
        const struct term *cells = term_number(t, bits, stride / g->cell);

        index = term_resize(t, index, bits, false);
        if (!term_is(cells, 1))
            index = term_op2(t, "bvmul", index, cells);
        p.index = at / g->cell ? term_op2(t, "bvadd", index, first) : index;
        return p;
    }
    /* Several registers a cell */
    index = term_resize(t, index, 16, false);
    if (at / stride)
        index = term_op2(t, "bvadd", index, term_number(t, 16, at / stride));
    p.shift =
        term_op2(t, "bvmul", term_op2(t, "bvurem", index, term_number(t, 16, g->cell / stride)),
                 term_number(t, 16, 8 * stride));
    p.shift = term_resize(t, p.shift, 8 * g->cell, false);
    if (p.index)
        p.index = term_resize(t, term_op2(t, "bvudiv", index, term_number(t, 16, g->cell / stride)),
                              bits, false);
    return p;
}

static const struct term *cell_now(struct terms *t, const struct cell_place *p,
                                   const struct term *now)
{
    if (!p->index)
        return now;
    return term_op(t, "select", sort_bits(8 * p->group->cell), 2,
                   (const struct term *[]){now, p->index});
}

const struct term *cells_read(struct terms *t, const struct cell_place *p, const struct term *now)
{
    const struct term *cell = cell_now(t, p, now);

    if (p->shift)
        return term_extract(t, term_op2(t, "bvlshr", cell, p->shift), 0, p->bits);
    return term_extract(t, cell, p->low, p->bits);
}

/* The cell with the value at the place. */
static const struct term *insert(struct terms *t, const struct cell_place *p,
                                 const struct term *cell, const struct term *value)
{
    unsigned all = 8 * p->group->cell, high = p->low + p->bits;

    if (p->shift) {
        const struct term *mask = term_number(t, all, low_bits(p->bits));

        mask = term_op1(t, "bvnot", sort_bits(all), term_op2(t, "bvshl", mask, p->shift));
        value = term_op2(t, "bvshl", term_resize(t, value, all, false), p->shift);
        return term_op2(t, "bvor", term_op2(t, "bvand", cell, mask), value);
    }
    if (high < all)
        value = term_concat(t, term_extract(t, cell, high, all - high), value);
    return p->low ? term_concat(t, value, term_extract(t, cell, 0, p->low)) : value;
}

const struct term *cells_write(struct terms *t, const struct cell_place *p, const struct term *now,
                               const struct term *value)
{
    value = insert(t, p, p->bits == 8 * p->group->cell ? NULL : cell_now(t, p, now), value);
    if (!p->index)
        return value;
    return term_op(t, "store", now->sort, 3, (const struct term *[]){now, p->index, value});
}
