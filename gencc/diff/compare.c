/*
 * Compares two lists of things. For unchanged behaviours it reports changed helpers that they call.
 */
#include "gencc/diff/diff.h"
#include "gencc/front/names.h"

#include <ctype.h>
#include <string.h>

static const char *const kind_names[] = {
    [THING_ARCHITECTURE] = "architecture",
    [THING_TIMING] = "timing",
    [THING_ABI] = "abi",
    [THING_REGISTER] = "register",
    [THING_SYSTEM_REGISTER] = "system register",
    [THING_ISA] = "isa",
    [THING_MAP] = "map",
    [THING_FAMILY] = "family",
    [THING_ENCODING] = "encoding",
    [THING_BEHAVIOUR] = "behaviour",
    [THING_LAYOUTS] = "layouts",
    [THING_ENUMERATION] = "enumeration",
    [THING_LAYOUT] = "layout",
    [THING_CONSTANT] = "constant",
    [THING_GPU] = "gpu",
};

/* ---- lines ----------------------------------------------------------------------------------- */

typedef VEC(const char *) line_list;

static void split_lines(struct arena *a, const char *text, line_list *out)
{
    while (*text) {
        const char *nl = strchr(text, '\n');
        size_t n = nl ? (size_t)(nl - text) : strlen(text);

        vec_push_in(a, out, arena_strndup(a, text, n));
        text += n + (nl != NULL);
    }
}

/* Lengths of the longest common subsequences of the lines from x[i] and y[j] on, for all i and
 * j. */
static unsigned *common_lengths(struct arena *a, const line_list *x, const line_list *y)
{
    unsigned row = y->len + 1;
    unsigned *length = arena_alloc(a, sizeof(*length) * (x->len + 1) * row);

    for (unsigned i = x->len; i-- > 0;)
        for (unsigned j = y->len; j-- > 0;) {
            unsigned down = length[(i + 1) * row + j], right = length[i * row + j + 1];

            length[i * row + j] = !strcmp(x->data[i], y->data[j])
                                      ? length[(i + 1) * row + j + 1] + 1
                                  : down > right ? down
                                                 : right;
        }
    return length;
}

static void print_lines(FILE *out, struct arena *a, const char *old, const char *new)
{
    line_list x = {0}, y = {0};
    const unsigned *length;
    unsigned i = 0, j = 0, row;

    split_lines(a, old, &x);
    split_lines(a, new, &y);
    length = common_lengths(a, &x, &y);
    row = y.len + 1;
    while (i < x.len || j < y.len) {
        if (i < x.len && j < y.len && !strcmp(x.data[i], y.data[j])) {
            i++;
            j++;
        } else if (i < x.len &&
                   (j == y.len || length[(i + 1) * row + j] >= length[i * row + j + 1])) {
            fprintf(out, "  - %s\n", x.data[i++]);
        } else {
            fprintf(out, "  + %s\n", y.data[j++]);
        }
    }
}

/* ---- behaviours that reach changed helpers
 * ---------------------------------------------------- */

enum reach { REACH_NEW, REACH_VISITING, REACH_NO, REACH_YES };

struct node {
    const struct thing *thing;
    enum reach reach;
    const char *through; /* the changed definition that it reaches */
};

struct graph {
    struct arena *a;
    struct name_map nodes; /* struct node, by ISA and name */
    VEC(const char *) isas;
};

static struct node *find_node(const struct graph *g, const char *isa, const char *name)
{
    return name_map_get(&g->nodes, arena_printf(g->a, "%s %s", isa, name));
}

/* The definition that a name in a definition of that ISA refers to. System registers may refer to
 * those of any ISA. */
static struct node *node_of(const struct graph *g, const char *isa, const char *name)
{
    struct node *found = NULL;

    if (*isa)
        return find_node(g, isa, name);
    for (unsigned i = 0; i < g->isas.len && !found; i++)
        found = find_node(g, g->isas.data[i], name);
    return found;
}

/* Whether the definition, or one that it names, changed. */
static bool reaches_changed(struct graph *g, struct node *n)
{
    const char *c = n->thing->text;

    if (n->reach != REACH_NEW)
        return n->reach == REACH_YES;
    n->reach = REACH_VISITING;
    while (*c) {
        const char *start = c;
        struct node *other;

        if (!isalpha((unsigned char)*c) && *c != '_') {
            c++;
            continue;
        }
        while (isalnum((unsigned char)*c) || *c == '_')
            c++;
        other = node_of(g, n->thing->isa, arena_strndup(g->a, start, (size_t)(c - start)));
        if (other && other != n && reaches_changed(g, other)) {
            n->reach = REACH_YES;
            n->through = other->through ? other->through : other->thing->name;
            return true;
        }
    }
    n->reach = REACH_NO;
    return false;
}

/* ---- the comparison -------------------------------------------------------------------------- */

static void print_headline(FILE *out, const char *what, const struct thing *t, const char *more)
{
    fprintf(out, "%s %s%s%s %s%s\n", what, t->isa, *t->isa ? " " : "", kind_names[t->kind], t->name,
            more);
}

/* Compares two versions of a thing and enters the result in the graph. Returns 1 if they differ. */
static unsigned compare_thing(FILE *out, struct graph *g, const struct thing *old,
                              const struct thing *new)
{
    struct node *n = arena_new(g->a, struct node);
    bool same = !strcmp(old->text, new->text);

    n->thing = new;
    n->reach = same ? REACH_NEW : REACH_YES;
    if (new->kind == THING_ISA)
        vec_push_in(g->a, &g->isas, new->isa);
    if (new->kind == THING_BEHAVIOUR || new->kind == THING_SYSTEM_REGISTER)
        name_map_put(g->a, &g->nodes, arena_printf(g->a, "%s %s", new->isa, new->name), n);
    if (same)
        return 0;
    print_headline(out, "changed", new, "");
    print_lines(out, g->a, old->text, new->text);
    return 1;
}

static unsigned print_only_in_one(FILE *out, const char *what, const struct thing *t)
{
    print_headline(out, what, t, "");
    return 1;
}

static void print_reached(FILE *out, struct graph *g, const thing_list *new)
{
    vec_for_each (new, t) {
        bool is_entry = t->kind == THING_SYSTEM_REGISTER ||
                        (t->kind == THING_BEHAVIOUR && strchr(t->name, '('));
        struct node *n = is_entry ? find_node(g, t->isa, t->name) : NULL;

        if (n && n->reach != REACH_YES && reaches_changed(g, n))
            print_headline(out, "reached", t, arena_printf(g->a, ", through %s", n->through));
    }
}

unsigned diff_print(FILE *out, struct arena *a, const thing_list *old, const thing_list *new)
{
    struct graph g = {.a = a};
    unsigned i = 0, j = 0, count = 0;

    while (i < old->len || j < new->len) {
        int order = i == old->len   ? 1
                    : j == new->len ? -1
                                    : diff_order(&old->data[i], &new->data[j]);

        if (order < 0)
            count += print_only_in_one(out, "removed", &old->data[i++]);
        else if (order > 0)
            count += print_only_in_one(out, "added", &new->data[j++]);
        else
            count += compare_thing(out, &g, &old->data[i++], &new->data[j++]);
    }
    if (count)
        print_reached(out, &g, new);
    return count;
}
