/*
 * Builds GPU variants: properties, and registers that read as constants.
 */
#include "gencc/model/layout_internal.h"

#include <stddef.h>
#include <string.h>

static const struct property {
    const char *name;
    size_t offset; /* in struct gpu */
    uint64_t min, max;
    bool is_text, is_optional;
    const char *about;
} properties[] = {
    {"title", offsetof(struct gpu, title), 0, 0, true, false, "the product's name"},
    {"compatible", offsetof(struct gpu, compatible), 0, 0, true, false,
     "compatible string in device trees"},
    {"isa", offsetof(struct gpu, isa), 0, 0, true, false, "architecture of its shaders"},
    {"features", offsetof(struct gpu, features), 0, 0, true, true,
     "features of the ISA that it has, as declared by ac_features"},
    {"product", offsetof(struct gpu, product), 1, 0xffff, false, false,
     "product number that drivers read"},
    {"revision", offsetof(struct gpu, revision), 0, 0xffff, false, false,
     "revision of the product that drivers read"},
    {"architecture", offsetof(struct gpu, architecture), 0, LAYOUT_MAX_VERSION, false, false,
     "version of the descriptors that it reads"},
    {"cores", offsetof(struct gpu, cores), 1, 64, false, false,
     "number of shader cores, over which work-groups are spread"},
    {"shader_present", offsetof(struct gpu, shader_present), 1, UINT64_MAX, false, true,
     "mask with one bit per core, if the cores are not numbered consecutively"},
    {"warp_width", offsetof(struct gpu, warp_width), 1, 32, false, false,
     "lanes per warp; 1: threads are scalar"},
    {"engines", offsetof(struct gpu, engines), 1, 64, false, false,
     "execution engines per core, over which bundles are spread"},
    {"max_threads", offsetof(struct gpu, max_threads), 1, 65536, false, false,
     "threads that a core can hold"},
    {"max_group", offsetof(struct gpu, max_group), 1, 65536, false, false,
     "threads of a work-group at most"},
    {"clock_mhz", offsetof(struct gpu, clock_mhz), 1, 10000, false, false,
     "clock in MHz, also reported to the guest"},
    {"bundle_cycles", offsetof(struct gpu, bundle_cycles), 0, 1000, false, false,
     "cycles per bundle, in addition to its stages"},
    {"stage_cycles", offsetof(struct gpu, stage_cycles), 1, 1000, false, false,
     "cycles per stage of a bundle"},
    {"traits", offsetof(struct gpu, traits), 0, UINT32_MAX, false, true,
     "flags that the runtime reads by name"},
};
enum { PROPERTIES = sizeof(properties) / sizeof(*properties) };

static const struct ast_gpu_property *find_property(const struct gpu *g, const char *name)
{
    vec_for_each (&g->ast->properties, p)
        if (strcmp(p->name, name) == 0)
            return p;
    return NULL;
}

/* Place for messages about a property: its value, or the GPU if the property is inherited. */
static struct src_pos property_place(const struct gpu *g, const char *name)
{
    const struct ast_gpu_property *p = find_property(g, name);

    return p ? p->value->pos : g->ast->pos;
}

bool gpu_property_word(unsigned i, struct gpu_word *out)
{
    const struct property *p = &properties[i];

    if (i >= PROPERTIES)
        return false;
    *out = (struct gpu_word){p->name, p->is_text ? "text" : "a number", p->about, p->min, p->max};
    return true;
}

/* ---- properties ------------------------------------------------------------------------------ */

static void set_text(struct layouts *l, const struct ast_gpu_property *a, const char **out)
{
    bool is_name = strcmp(a->name, "isa") == 0 || strcmp(a->name, "like") == 0;

    if (a->value->kind == (is_name ? AST_NAME : AST_STRING) && *a->value->name)
        *out = a->value->name;
    else
        diag_error(l->diag, a->value->pos, "\"%s\" is a %s", a->name, is_name ? "name" : "string");
}

static void set_property(struct layouts *l, struct gpu *g, const struct ast_gpu_property *a)
{
    struct name_guess guess = {.wrong = a->name};

    if (strcmp(a->name, "like") == 0)
        return;
    for (unsigned i = 0; i < PROPERTIES; i++) {
        const struct property *p = &properties[i];
        void *at = (char *)g + p->offset;
        uint64_t v;

        name_guess_offer(&guess, p->name);
        if (strcmp(p->name, a->name) != 0)
            continue;
        g->given_properties |= 1ull << i;
        if (p->is_text) {
            set_text(l, a, at);
            return;
        }
        v = layout_uint(l, a->value, UINT64_MAX);
        if (v < p->min || v > p->max)
            diag_error(l->diag, a->value->pos, "\"%s\" is a number from %llu to %llu", p->name,
                       (unsigned long long)p->min, (unsigned long long)p->max);
        else
            *(uint64_t *)at = v;
        return;
    }
    diag_unknown(l->diag, a->pos, &guess, "unknown property \"%s\"", guess.wrong);
}

static void check_twice(struct layouts *l, const struct gpu *g)
{
    vec_for_each (&g->ast->properties, a) {
        const struct ast_gpu_property *first = find_property(g, a->name);

        if (first == a)
            continue;
        diag_error(l->diag, a->pos, "\"%s\" is given twice", a->name);
        diag_note(l->diag, first->pos, "the first is here");
    }
}

/* ---- registers ------------------------------------------------------------------------------- */

static void set_value(struct layouts *l, struct gpu *g, const struct gpu_value *v)
{
    vec_for_each (&g->values, old) {
        if (old->reg != v->reg || old->index != v->index)
            continue;
        if (old->pos.file == g->ast->pos.file && old->pos.line >= g->ast->pos.line) {
            diag_error(l->diag, v->pos, "register \"%s\" is given twice", v->reg->name);
            diag_note(l->diag, old->pos, "the first is here");
        }
        *old = *v;
        return;
    }
    if (g->values.len == GPU_MAX_REGISTERS)
        diag_error(l->diag, v->pos, "a GPU has values of at most %u registers", GPU_MAX_REGISTERS);
    else
        vec_push_in(l->arena, &g->values, *v);
}

static void set_register(struct layouts *l, struct gpu *g, const struct ast_gpu_register *a)
{
    struct gpu_value v = {.pos = a->pos, .index = a->index};
    struct name_guess guess = {.wrong = a->name};

    v.reg = name_map_get(&l->register_names, a->name);
    vec_for_each (&l->registers, r)
        name_guess_offer(&guess, (*r)->name);
    if (!v.reg) {
        diag_unknown(l->diag, a->pos, &guess, "unknown register \"%s\"", guess.wrong);
        return;
    }
    if (v.reg->access != REG_READ)
        diag_error(l->diag, a->pos, "register \"%s\" can be written: it has no constant value",
                   a->name);
    if (a->has_index != v.reg->repeated)
        diag_error(l->diag, a->pos,
                   v.reg->repeated ? "there are %u of \"%s\"; select one by [n]"
                                   : "there is only %u of \"%s\"",
                   v.reg->count, a->name);
    else if (a->index >= v.reg->count)
        diag_error(l->diag, a->pos, "\"%s\" has instances 0 to %u", a->name, v.reg->count - 1);
    v.value = (uint32_t)layout_uint(l, a->value, UINT32_MAX);
    set_value(l, g, &v);
}

/* ---- what belongs together ------------------------------------------------------------------- */

static void check_cores(struct layouts *l, struct gpu *g)
{
    int shown = __builtin_popcountll(g->shader_present);

    /* cores of its own, so an inherited mask does not apply */
    if (!find_property(g, "shader_present"))
        g->shader_present = g->cores >= 64 ? UINT64_MAX : (1ull << g->cores) - 1;
    else if ((uint64_t)shown != g->cores)
        diag_error(l->diag, property_place(g, "shader_present"),
                   "shader_present has %d cores, not %llu", shown, (unsigned long long)g->cores);
}

/* Returns false after reporting, in one message, all missing properties. */
static bool check_complete(struct layouts *l, const struct gpu *g)
{
    const char *missing = NULL;

    for (unsigned i = 0; i < PROPERTIES; i++)
        if (!(g->given_properties >> i & 1) && !properties[i].is_optional)
            missing = missing ? arena_printf(l->arena, "%s, \"%s\"", missing, properties[i].name)
                              : arena_printf(l->arena, "\"%s\"", properties[i].name);
    if (missing)
        diag_error(l->diag, g->ast->pos, "GPU \"%s\" has no %s", g->name, missing);
    return !missing;
}

static void check_gpu(struct layouts *l, struct gpu *g)
{
    if (!check_complete(l, g))
        return;
    check_cores(l, g);
    if (g->warp_width % 4 && g->warp_width != 1)
        diag_error(l->diag, property_place(g, "warp_width"),
                   "the warp width is a multiple of 4, or 1 where threads are scalar");
    if (g->max_group > g->max_threads)
        diag_error(l->diag, property_place(g, "max_group"),
                   "a work-group of %llu threads does not fit into a core of %llu",
                   (unsigned long long)g->max_group, (unsigned long long)g->max_threads);
    if (!(l->versions >> g->architecture & 1))
        diag_error(l->diag, property_place(g, "architecture"), "the layouts have no version %llu",
                   (unsigned long long)g->architecture);
}

/* ---- GPUs ------------------------------------------------------------------------------------ */

static void build_gpu(struct gpus *all, struct gpu *g);

/* Inherits everything from the GPU that `like` names, before its own properties replace it. Returns
 * false after reporting. */
static bool inherit_from(struct gpus *all, struct gpu *g, const struct ast_gpu_property *like)
{
    struct layouts *l = all->layouts;
    const struct ast_gpu *ast = g->ast;
    const char *name = NULL;
    struct gpu *other;

    set_text(l, like, &name);
    other = name ? name_map_get(&all->names, name) : NULL;
    if (!other) {
        struct name_guess guess = {.wrong = name ? name : ""};

        vec_for_each (&all->all, it)
            name_guess_offer(&guess, (*it)->name);
        if (name)
            diag_unknown(l->diag, like->value->pos, &guess, "unknown GPU \"%s\"", guess.wrong);
        return false;
    }
    if (other->state == GPU_VISITING) {
        diag_error(l->diag, like->value->pos, "GPU \"%s\" would be like itself", other->name);
        return false;
    }
    build_gpu(all, other);
    name = g->name;
    *g = *other;
    g->ast = ast;
    g->name = name;
    g->state = GPU_VISITING;
    g->values.data = NULL;
    g->values.len = g->values.cap = 0;
    vec_for_each (&other->values, v)
        vec_push_in(l->arena, &g->values, *v);
    return other->is_valid;
}

static void build_gpu(struct gpus *all, struct gpu *g)
{
    const struct ast_gpu_property *like = find_property(g, "like");
    unsigned errors;
    bool valid;

    if (g->state != GPU_NEW)
        return;
    g->state = GPU_VISITING;
    check_twice(all->layouts, g);
    errors = all->layouts->diag->errors;
    gpu_numbers_begin(g);
    valid = !like || inherit_from(all, g, like);
    vec_for_each (&g->ast->properties, p)
        set_property(all->layouts, g, p);
    vec_for_each (&g->ast->registers, r)
        set_register(all->layouts, g, r);
    gpu_numbers_set(all->layouts, g);
    gpu_points_set(all->layouts, g, find_property(g, "clock_mhz") != NULL);
    if (valid) /* otherwise the inherited properties are missing */
        check_gpu(all->layouts, g);
    g->is_valid = valid && all->layouts->diag->errors == errors;
    g->state = GPU_DONE;
}

static void declare_gpu(struct gpus *all, const struct ast_gpu *a)
{
    struct layouts *l = all->layouts;
    struct gpu *g = arena_new(l->arena, struct gpu);
    struct gpu *old = name_map_put(l->arena, &all->names, a->name, g);

    g->ast = a;
    g->name = a->name;
    if (old) {
        diag_error(l->diag, a->pos, "GPU \"%s\" is declared twice", a->name);
        diag_note(l->diag, old->ast->pos, "the first declaration is here");
        return;
    }
    vec_push_in(l->arena, &all->all, g);
}

struct gpus *gpus_build(struct layouts *l, struct ast_layout_file *const *files, unsigned count)
{
    struct gpus *all = arena_new(l->arena, struct gpus);

    all->layouts = l;
    for (unsigned i = 0; i < count; i++)
        vec_for_each (&files[i]->gpus, a)
            declare_gpu(all, *a);
    vec_for_each (&all->all, g)
        build_gpu(all, *g);
    return all;
}

/* ---- features -------------------------------------------------------------------------------- */

static void check_feature(const struct gpus *all, const struct gpu *g, const struct ast_arch *arch,
                          const char *name)
{
    struct name_guess guess = {.wrong = name};

    vec_for_each (&arch->features, f) {
        if (!strcmp(f->name, name))
            return;
        name_guess_offer(&guess, f->name);
    }
    diag_unknown(all->layouts->diag, property_place(g, "features"), &guess,
                 "unknown feature \"%s\"", guess.wrong);
}

void gpus_check_features(const struct gpus *all, const struct ast_arch *arch)
{
    vec_for_each (&all->all, it) {
        const struct gpu *g = *it;
        const char *at = find_property(g, "features") ? g->features : NULL;

        if (!at || !g->isa || strcmp(g->isa, arch->name) != 0)
            continue;
        for (at += strspn(at, " "); *at; at += strspn(at, " ")) {
            size_t length = strcspn(at, " ");

            check_feature(all, g, arch, arena_printf(all->layouts->arena, "%.*s", (int)length, at));
            at += length;
        }
    }
}
