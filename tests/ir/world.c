/* The small machine that IR is tested on: registers, a format, callable functions, intrinsics. */

#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t random_next(uint64_t *seed)
{
    uint64_t x = *seed;

    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    *seed = x;
    return x * 0x2545f4914f6cdd1dull;
}

/* ---- external functions ---------------------------------------------------------------------- */

static uint32_t ext_sum(uint32_t a, uint64_t b)
{
    return a + (uint32_t)b;
}

static uint8_t ext_pair(uint16_t a, uint32_t *inout, int64_t *out)
{
    *out = -(int64_t)a;
    *inout += a;
    return (uint8_t)a;
}

static double ext_scale(double x, float y, int8_t z)
{
    return x * (double)y + z;
}

static int16_t ext_negate(int16_t x)
{
    return (int16_t)-x;
}

static void (*find_external(void *opaque, const char *name))(void)
{
    static const struct {
        const char *name;
        void (*address)(void);
    } table[] = {
        {"ext_sum", (void (*)(void))ext_sum},
        {"ext_pair", (void (*)(void))ext_pair},
        {"ext_scale", (void (*)(void))ext_scale},
        {"ext_negate", (void (*)(void))ext_negate},
    };

    (void)opaque;
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
        if (!strcmp(table[i].name, name))
            return table[i].address;
    return NULL;
}

struct external {
    const char *name;
    unsigned flags;
    struct ir_type result;
    unsigned n;
    const struct ir_type *params;
    const bool *refs; /* whether parameters are by reference; NULL: none is */
};

static void add_external(struct world *w, const struct external *e)
{
    struct ir_callee *c = arena_new(&w->arena, struct ir_callee);

    c->name = e->name;
    c->flags = e->flags;
    c->result = e->result;
    for (unsigned i = 0; i < e->n; i++) {
        vec_push_in(&w->arena, &c->params, e->params[i]);
        vec_push_in(&w->arena, &c->by_ref, e->refs && e->refs[i]);
    }
    w->fns[w->fn_count++] = c;
}

static void add_externals(struct world *w)
{
    const struct ir_type sum[] = {IR_T_U32, IR_T_U64};
    const struct ir_type pair[] = {IR_T_U16, IR_T_U32, IR_T_S64};
    const bool pair_refs[] = {false, true, true};
    const struct ir_type scale[] = {ir_type(IR_FLOAT, 64, 1), ir_type(IR_FLOAT, 32, 1),
                                    ir_type(IR_SINT, 8, 1)};
    const struct ir_type s16 = ir_type(IR_SINT, 16, 1);

    add_external(w, &(struct external){"ext_sum", IR_FN_PURE, IR_T_U32, 2, sum, NULL});
    add_external(w, &(struct external){"ext_pair", 0, IR_T_U8, 3, pair, pair_refs});
    add_external(
        w, &(struct external){"ext_scale", IR_FN_PURE, ir_type(IR_FLOAT, 64, 1), 3, scale, NULL});
    add_external(w, &(struct external){"ext_negate", IR_FN_PURE, s16, 1, &s16, NULL});
    add_external(w, &(struct external){"ext_missing", 0, IR_T_VOID, 0, NULL, NULL});
}

/* ---- intrinsics ------------------------------------------------------------------------------ */

static void note_value(struct world *w, u128 x)
{
    w->trace = (w->trace ^ (uint64_t)x ^ (uint64_t)(x >> 64) * 31) * 0x9e3779b97f4a7c15ull;
    w->trace ^= w->trace >> 31;
}

static bool call_intrinsic(void *opaque, const struct ir_callee *fn, const char *text,
                           const struct ir_data *args, struct ir_data *results)
{
    struct world *w = opaque;
    unsigned out = 0;

    if (fn->flags & (IR_FN_PURE | IR_FN_READ)) {
        results[0].lane[0] = strlen(fn->name);
        return true;
    }
    w->calls++;
    note_value(w, strlen(fn->name));
    for (const char *c = text; c && *c; c++)
        note_value(w, (unsigned char)*c);
    for (unsigned i = 0; i < fn->params.len; i++) {
        note_value(w, args[i].lane[0]);
        if (fn->by_ref.data[i])
            results[++out].lane[0] = w->trace;
    }
    results[0].lane[0] = w->trace;
    return !(fn->flags & IR_FN_NORETURN) && w->calls != w->leave_at;
}

static void add_intrinsics(struct world *w)
{
    static const enum ir_intrinsic some[] = {
        IR_I_READ_PC,        IR_I_WRITE_PC,     IR_I_MEM_READ_64, IR_I_MEM_WRITE_32,
        IR_I_TAKE_EXCEPTION, IR_I_PHYS_READ_32, IR_I_ASM_TEXT,    IR_I_ASM_NUMBER,
        IR_I_CLZ32,          IR_I_POPCOUNT64,   IR_I_ASM_HAS,     IR_I_CPU_NUMBER,
        IR_I_TRAP,           IR_I_GET_FEATURE,
    };

    for (size_t i = 0; i < sizeof(some) / sizeof(*some); i++)
        w->fns[w->fn_count++] = ir_intrinsic(&w->arena, some[i], IR_T_U64);
}

/* ---- names ----------------------------------------------------------------------------------- */

struct ir_callee *world_fn(struct world *w, const char *name)
{
    for (unsigned i = 0; i < w->fn_count; i++)
        if (!strcmp(w->fns[i]->name, name))
            return w->fns[i];
    return NULL;
}

struct reg_view *world_view(struct world *w, const char *name)
{
    for (unsigned i = 0; i < WORLD_VIEWS; i++)
        if (!strcmp(w->views[i].name, name))
            return &w->views[i];
    return NULL;
}

static struct ir_callee *name_fn(void *opaque, const char *name)
{
    return world_fn(opaque, name);
}

static struct reg_view *name_view(void *opaque, const char *name)
{
    return world_view(opaque, name);
}

static struct ir_func *name_func(void *opaque, const char *name)
{
    struct world *w = opaque;

    vec_for_each (&w->funcs, f)
        if (!strcmp((*f)->name, name))
            return *f;
    return NULL;
}

static struct format *name_format(void *opaque, const char *name)
{
    struct world *w = opaque;

    return strcmp(name, w->format.name) ? NULL : &w->format;
}

static struct field *name_field(void *opaque, const char *format, const char *name)
{
    struct world *w = opaque;

    for (unsigned i = 0; name_format(w, format) && i < WORLD_FIELDS; i++)
        if (!strcmp(w->fields[i].name, name))
            return &w->fields[i];
    return NULL;
}

/* ---- the world ------------------------------------------------------------------------------- */

static void make_format(struct world *w)
{
    static const struct field fields[WORLD_FIELDS] = {
        {.name = "sf", .type = {IR_UINT, 8, 1}, .width = 1, .lsb = 31},
        {.name = "rn", .type = {IR_UINT, 8, 1}, .width = 5, .lsb = 5},
        {.name = "rd", .type = {IR_UINT, 8, 1}, .width = 5, .lsb = 0},
        {.name = "imm12", .type = {IR_UINT, 16, 1}, .width = 12, .lsb = 10},
        {.name = "imm", .type = {IR_UINT, 64, 1}, .computed = true},
    };

    memcpy(w->fields, fields, sizeof(fields));
    w->format.name = "FMT";
    w->format.width = 32;
    for (unsigned i = 0; i < WORLD_FIELDS; i++) {
        w->fields[i].index = i;
        vec_push_in(&w->arena, &w->format.fields, &w->fields[i]);
    }
}

/* X and W share bytes, B is X as bytes, V is a bank of vectors, and S's lanes are not adjacent. */
static void make_views(struct world *w)
{
    static const struct reg_view views[WORLD_VIEWS] = {
        {.name = "X",
         .is_bank = true,
         .type = {IR_UINT, 64, 1},
         .count = 16,
         .reg_stride = 8,
         .elem_stride = 8},
        {.name = "W",
         .is_bank = true,
         .type = {IR_UINT, 32, 1},
         .count = 16,
         .reg_stride = 8,
         .elem_stride = 4},
        {.name = "B",
         .is_bank = true,
         .type = {IR_UINT, 8, 1},
         .count = 128,
         .reg_stride = 1,
         .elem_stride = 1},
        {.name = "PC",
         .type = {IR_UINT, 64, 1},
         .offset = 128,
         .count = 1,
         .reg_stride = 8,
         .elem_stride = 8},
        {.name = "V",
         .is_bank = true,
         .type = {IR_UINT, 32, 4},
         .offset = 144,
         .count = 8,
         .reg_stride = 16,
         .elem_stride = 4},
        {.name = "S",
         .type = {IR_UINT, 16, 4},
         .offset = 272,
         .count = 1,
         .reg_stride = 32,
         .elem_stride = 8},
    };

    memcpy(w->views, views, sizeof(views));
}

void world_open(struct world *w)
{
    memset(w, 0, sizeof(*w));
    w->diag.arena = &w->arena;
    w->diag.out = open_memstream(&w->messages, &w->messages_size);
    w->diag.max_errors = 1000000;
    make_format(w);
    make_views(w);
    add_externals(w);
    add_intrinsics(w);
    w->names = (struct ir_names){w, name_view, name_field, name_func, name_fn, name_format};
    w->machine = (struct ir_machine){.opaque = w,
                                     .state = w->state,
                                     .fields = w->computed,
                                     .intrinsic = call_intrinsic,
                                     .external = find_external};
}

void world_close(struct world *w)
{
    fclose(w->diag.out);
    free(w->messages);
    arena_free(&w->arena);
}

void world_reset(struct world *w, uint64_t seed)
{
    for (unsigned i = 0; i < WORLD_STATE; i++)
        w->state[i] = (uint8_t)random_next(&seed);
    for (unsigned i = 0; i < WORLD_FIELDS; i++)
        w->computed[i] = random_next(&seed);
    w->machine.word = (uint32_t)random_next(&seed);
    w->leave_at = random_next(&seed) % 4 ? 0 : (unsigned)(random_next(&seed) % 8);
    w->trace = w->calls = 0;
}

const char *world_messages(struct world *w)
{
    char *copy;

    fflush(w->diag.out);
    copy = arena_strndup(&w->arena, w->messages, w->messages_size);
    rewind(w->diag.out);
    fputc(0, w->diag.out);
    rewind(w->diag.out);
    return copy;
}

struct ir_func *world_parse(struct world *w, const char *text)
{
    struct source_file *file = arena_new(&w->arena, struct source_file);
    struct ir_func *f;

    file->path = "test.ir";
    file->text = text;
    file->length = strlen(text);
    f = ir_parse(&w->arena, &w->diag, file, &w->names);
    if (f)
        vec_push_in(&w->arena, &w->funcs, f);
    return f;
}

char *world_print(struct world *w, const struct ir_func *f)
{
    char *text = NULL, *copy;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    ir_print(out, f);
    fclose(out);
    copy = arena_strdup(&w->arena, text);
    free(text);
    return copy;
}
