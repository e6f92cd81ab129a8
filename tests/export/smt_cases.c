/*
 * Prints what the evaluator of the intermediate representation makes of random words and states,
 * as text that tests/export/smt_check.py asks a solver about; or tells which form given words have.
 */
#include "gencc/export/cells.h"
#include "gencc/referee/evaluate.h"
#include "gencc/referee/load.h"
#include "gencc/referee/operands.h"
#include "gencc/referee/words.h"
#include "tests/diff/options.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_FEATURES = 64, MAX_BYTES = 512, STATE_BYTES = 16384 };

struct test {
    struct diff_options o;
    const char *isa_name;
    struct isa *isa;
    uint64_t every;         /* of so many forms one is used */
    const char *words_file; /* of words to tell of; NULL: cases are made */
    struct loaded loaded;
    struct words words;
    struct random random;
    struct cells *cells;
    uint8_t state[STATE_BYTES];
    uint32_t features[MAX_FEATURES];
    uint64_t pc;
    unsigned accesses, fails_at; /* the access that fails; 0: none */
    bool left;
    unsigned written; /* bytes */
    struct {
        uint64_t address;
        uint8_t byte;
    } bytes[MAX_BYTES];
};

static void print_hex(const char *before, u128 value)
{
    printf("%s%" PRIx64 "%016" PRIx64, before, (uint64_t)(value >> 64), (uint64_t)value);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static uint8_t byte_at(const struct test *t, uint64_t address)
{
    uint64_t h = address * UINT64_C(0x9e3779b97f4a7c15);

    for (unsigned i = t->written; i-- > 0;)
        if (t->bytes[i].address == address)
            return t->bytes[i].byte;
    return (uint8_t)(h >> 40 ^ h >> 13);
}

static uint64_t next_address(const struct test *t, uint64_t address, unsigned i)
{
    return (address + i) & (uint64_t)low_bits(t->loaded.model->word_bits);
}

/* Prints an access. Returns whether it succeeds. */
static bool access_memory(struct test *t, uint64_t interface, uint64_t address, unsigned bytes,
                          bool is_write)
{
    bool fails = ++t->accesses == t->fails_at;

    printf("access %" PRIx64 " %" PRIx64 " %x %d %d\n", interface, address, bytes, is_write, fails);
    if (fails) {
        printf("leave 4 %" PRIx64 " %x %d\n", address, bytes, is_write);
        t->left = true;
    }
    return !fails;
}

static bool load(struct test *t, const struct ir_data *args, unsigned bytes, struct ir_data *result)
{
    uint64_t interface = (uint64_t)args[0].lane[0], address = (uint64_t)args[1].lane[0];
    bool big = t->loaded.model->mems.data[interface].big_endian;

    if (!access_memory(t, interface, address, bytes, false))
        return false;
    result->lane[0] = 0;
    for (unsigned i = 0; i < bytes; i++) {
        uint64_t at = next_address(t, address, i);

        printf("byte %" PRIx64 " %x\n", at, byte_at(t, at));
        result->lane[0] |= (u128)byte_at(t, at) << 8 * (big ? bytes - 1 - i : i);
    }
    return true;
}

static bool store(struct test *t, const struct ir_data *args, unsigned bytes)
{
    uint64_t interface = (uint64_t)args[0].lane[0], address = (uint64_t)args[1].lane[0];
    bool big = t->loaded.model->mems.data[interface].big_endian;

    if (!access_memory(t, interface, address, bytes, true))
        return false;
    for (unsigned i = 0; i < bytes && t->written < MAX_BYTES; i++) {
        uint8_t byte = (uint8_t)(args[2].lane[0] >> 8 * (big ? bytes - 1 - i : i));

        t->bytes[t->written].address = next_address(t, address, i);
        t->bytes[t->written++].byte = byte;
        printf("store %" PRIx64 " %x\n", next_address(t, address, i), byte);
    }
    return true;
}

static unsigned access_bytes(const char *name)
{
    const char *digits = name + strcspn(name, "0123456789");

    return (unsigned)atoi(digits) / 8;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* Prints a call of a function that the script declares: its arguments, result and outputs. */
static void print_call(const struct ir_callee *fn, bool is_outside, const u128 *args,
                       const u128 *results)
{
    unsigned out = 0;

    printf("call %s %d", fn->name, !is_outside ? 0 : fn->flags & IR_FN_READ ? 1 : 2);
    for (unsigned i = 0; i < fn->params.len; i++) {
        printf(" %u:", fn->params.data[i].bits);
        print_hex("", args[i]);
    }
    fputs(" =", stdout);
    for (unsigned i = 0; i <= fn->params.len; i++) {
        struct ir_type type = i ? fn->params.data[i - 1] : fn->result;

        if (i ? !fn->by_ref.data[i - 1] : ir_is_void(type))
            continue;
        if (i)
            out++;
        printf(" %u:%u:", out, type.bits);
        print_hex("", results[i ? out : 0] & low_bits(type.bits));
    }
    putchar('\n');
}

static bool leave(struct test *t, unsigned kind, const struct ir_callee *fn,
                  const struct ir_data *args)
{
    printf("leave %u", kind);
    for (unsigned i = 0; i < fn->params.len; i++)
        print_hex(" ", args[i].lane[0]);
    putchar('\n');
    t->left = true;
    return false;
}

/* An intrinsic of which nothing is known: any results will do. */
static bool call_unknown(struct test *t, const struct ir_callee *fn, const struct ir_data *args,
                         struct ir_data *results)
{
    u128 in[16], out[16] = {0};

    for (unsigned i = 0; i < fn->params.len && i < 15; i++) {
        in[i] = args[i].lane[0];
        if (fn->by_ref.data[i])
            results[1].lane[0] = out[1] = random_next(&t->random);
    }
    results[0].lane[0] = out[0] = random_next(&t->random);
    print_call(fn, !(fn->flags & IR_FN_PURE), in, out);
    return true;
}

static bool call_feature(struct test *t, const struct ir_callee *fn, const struct ir_data *args,
                         struct ir_data *results)
{
    unsigned number = (unsigned)args[0].lane[0] % MAX_FEATURES;

    results[0].lane[0] = t->features[number];
    if (fn->intrinsic == IR_I_SET_FEATURE)
        printf("set %s %x\n", t->loaded.model->features.data[number]->name,
               (uint32_t)args[1].lane[0]);
    return true;
}

static bool call_intrinsic(void *opaque, const struct ir_callee *fn, const char *text,
                           const struct ir_data *args, struct ir_data *results)
{
    struct test *t = opaque;
    enum ir_intrinsic i = fn->intrinsic;

    (void)text;
    if (i >= IR_I_MEM_READ_8 && i <= IR_I_MEM_READ_128)
        return load(t, args, access_bytes(fn->name), &results[1]);
    if (i >= IR_I_MEM_WRITE_8 && i <= IR_I_MEM_WRITE_128)
        return store(t, args, access_bytes(fn->name));
    switch (i) {
    case IR_I_MEM_PROBE_WRITE:
        return access_memory(t, (uint64_t)args[0].lane[0], (uint64_t)args[1].lane[0],
                             (unsigned)args[2].lane[0], true);
    case IR_I_TAKE_EXCEPTION:
        return leave(t, 1, fn, args);
    case IR_I_UNDEFINED_INSTRUCTION:
        return leave(t, 2, fn, args);
    case IR_I_TAKE_MEMORY_FAULT:
        return leave(t, 3, fn, args);
    case IR_I_TRAP:
        return leave(t, 5, fn, args);
    case IR_I_READ_PC:
        results[0].lane[0] = t->pc;
        return true;
    case IR_I_WRITE_PC:
        print_hex("branch ", args[0].lane[0]);
        putchar('\n');
        return true;
    case IR_I_BRANCH_TAKEN:
    case IR_I_BRANCH_NOT_TAKEN:
    case IR_I_CONTEXT_CHANGED:
    case IR_I_TRANSLATED:
        return true;
    case IR_I_GET_FEATURE:
    case IR_I_SET_FEATURE:
        return call_feature(t, fn, args, results);
    default:
        return call_unknown(t, fn, args, results);
    }
}

/* Whether the script has a function for this operation on floats. */
static bool is_named(const struct ir_value *v)
{
    if (v->op == IR_CONVERT)
        return !ir_type_eq(ir_lane(v->type), ir_lane(v->ops.data[0]->type));
    return v->type.base == IR_FLOAT && v->op <= IR_MOD;
}

static void print_float(const struct ir_value *v, u128 *const *slot, const u128 *result)
{
    char from[24], to[24];

    if (!is_named(v))
        return;
    ir_type_name(ir_lane(v->ops.data[0]->type), from);
    ir_type_name(ir_lane(v->type), to);
    for (unsigned l = 0; l < v->type.lanes; l++) {
        if (v->op == IR_CONVERT)
            printf("call %s.to.%s 0", from, to);
        else
            printf("call %s.%s 0", from, ir_ops[v->op].name);
        for (unsigned i = 0; i < v->ops.len; i++) {
            struct ir_type type = v->ops.data[i]->type;

            printf(" %u:", type.bits);
            print_hex("", slot[v->ops.data[i]->id][type.lanes == 1 ? 0 : l]);
        }
        printf(" = 0:%u:", v->type.bits);
        print_hex("", result[l]);
        putchar('\n');
    }
}

static void observe(void *opaque, const struct ir_value *v, u128 *const *slot, const u128 *result)
{
    u128 args[16], results[16] = {0};
    unsigned at = ir_is_void(v->type) ? 1 : v->type.lanes, outs = 0;

    (void)opaque;
    if (v->op == IR_INTRINSIC && v->fn->intrinsic == IR_I_TRANSLATED)
        return; /* a constant in the script */
    if (v->op != IR_INTRINSIC && v->op != IR_EXTERNAL) {
        print_float(v, slot, result);
        return;
    }
    for (unsigned i = 0; i < v->fn->params.len && i < 15; i++) {
        args[i] = *slot[v->ops.data[v->fn->nparams_text + i]->id];
        outs += v->fn->by_ref.data[i];
    }
    results[0] = result[0];
    for (unsigned i = 0; i < outs; i++)
        results[i + 1] = result[at + i];
    print_call(v->fn, false, args, results);
}

static void (*external(void *opaque, const char *name))(void)
{
    void (*f)(void);
    void *address = dlsym(RTLD_DEFAULT, name);

    (void)opaque;
    memcpy(&f, &address, sizeof(f));
    return f;
}

static bool has_left(void *opaque)
{
    return ((struct test *)opaque)->left;
}

/* ---- cases ----------------------------------------------------------------------------------- */

static void random_state(struct test *t)
{
    const struct model *m = t->loaded.model;

    for (unsigned i = 0; i < m->state_bytes; i += 8) {
        uint64_t value = random_integer(&t->random);

        memcpy(t->state + i, &value, 8);
    }
    /* Small slots are mostly modes and flags. */
    vec_for_each (&m->views, v)
        if ((*v)->count == 1 && (*v)->type.bits == 8 && random_below(&t->random, 2))
            t->state[(*v)->offset] &= 3;
    vec_for_each (&m->features, f)
        t->features[(*f)->index] = random_below(&t->random, 20) ? 1 : 0;
    t->pc = random_integer(&t->random) & (uint64_t)low_bits(m->word_bits) & ~(uint64_t)3;
    t->accesses = t->written = 0;
    t->fails_at = random_below(&t->random, 4) ? 0 : 1 + random_below(&t->random, 3);
    t->left = false;
}

static void print_state(const struct test *t, const char *when)
{
    vec_for_each (&t->cells->groups, g) {
        struct sort sort = cells_sort(g);

        printf("%s %s %u %u ", when, g->name, g->cell,
               sort.kind == SORT_ARRAY ? sort.index_bits : 0);
        for (unsigned i = 0; i < g->bytes; i++)
            printf("%02x", t->state[g->offset + i]);
        putchar('\n');
    }
}

static bool has_features(const struct test *t, const struct form *form)
{
    vec_for_each (&form->instr->features, f)
        if (!t->features[(*f)->index])
            return false;
    return true;
}

static void run_case(struct test *t, const struct form *form, u128 word)
{
    struct ir_machine machine = {
        .opaque = t,
        .state = t->state,
        .max_steps = 1000000,
        .intrinsic = call_intrinsic,
        .external = external,
        .observe = observe,
    };
    const char *broke;

    random_state(t);
    if (t->isa->context.slot)
        t->state[t->isa->context.slot->offset] = (uint8_t)(word >> CONTEXT_LSB);
    printf("case %s %u\n", form->name, form->instr->format->width);
    print_hex("word ", word & low_bits(form->instr->format->width));
    printf(" %x %" PRIx64 "\n", (unsigned)(word >> CONTEXT_LSB) & 0xff, t->pc);
    vec_for_each (&t->loaded.model->features, f)
        printf("feature %s %x\n", (*f)->name, t->features[(*f)->index]);
    print_state(t, "before");
    if (!has_features(t, form)) {
        puts("illegal");
        return;
    }
    broke = evaluate_form(&machine, form, word, has_left);
    if (broke)
        printf("broke %s\n", broke);
    print_state(t, "after");
}

static void run_form(struct test *t, struct form *form)
{
    for (unsigned i = 0; i < t->o.count; i++) {
        unsigned context = random_below(&t->random, 4) ? 0 : random_below(&t->random, 256);
        u128 word;

        if (!random_word(&t->words, form, &word))
            break;
        word |= isa_context_bits(t->isa, context);
        if (text_decode(t->loaded.text, word, form->instr->format->width) == form)
            run_case(t, form, word);
    }
}

/* ---- given words ----------------------------------------------------------------------------- */

/* Prints the form of a word, and where its fields are: NAME FIELD:HIGH:LOW …; - if it has none. */
static void tell(const struct test *t, unsigned width, u128 word)
{
    const struct form *form = text_decode(t->loaded.text, word, width);

    fputs(form ? form->name : "-", stdout);
    if (form)
        vec_for_each (&form->instr->format->fields, f)
            if (!(*f)->computed && (*f)->lsb < width)
                printf(" %s:%u:%u", (*f)->name, (*f)->lsb + (*f)->width - 1, (*f)->lsb);
    putchar('\n');
}

/* Reads lines of a width and a word in hexadecimal. */
static bool tell_words(const struct test *t)
{
    FILE *in = fopen(t->words_file, "r");
    unsigned width;
    uint64_t word;

    if (!in) {
        perror(t->words_file);
        return false;
    }
    while (fscanf(in, "%u %" SCNx64, &width, &word) == 2)
        tell(t, width, word);
    fclose(in);
    return true;
}

static bool take_option(void *opaque, const char *name, const char *value)
{
    struct test *t = opaque;

    if (!strcmp(name, "--isa"))
        t->isa_name = value;
    else if (!strcmp(name, "--every"))
        t->every = strtoull(value, NULL, 0);
    else if (!strcmp(name, "--words"))
        t->words_file = value;
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    static struct test t;

    t.every = 1;
    if (diff_options(&t.o, argc, argv, take_option, &t) != argc || !t.isa_name || !t.every) {
        fputs("usage: smt_cases --isa ISA [--every N | --words FILE] " DIFF_USAGE "\n", stderr);
        return 2;
    }
    if (!load_text(&t.loaded, t.o.arch, t.isa_name))
        return 2;
    t.isa = model_isa(t.loaded.model, t.isa_name);
    if (t.words_file)
        return tell_words(&t) ? 0 : 2;
    if (t.loaded.model->state_bytes > STATE_BYTES || t.loaded.model->features.len > MAX_FEATURES) {
        fputs("smt_cases: more registers or features than there is room for\n", stderr);
        return 2;
    }
    t.cells = cells_of(&t.loaded.arena, t.loaded.model);
    t.random.state = t.o.seed;
    t.words = (struct words){t.loaded.text, random_next(&t.random) | 1};
    for (unsigned i = (unsigned)(t.o.seed % t.every); i < t.isa->forms.len; i += (unsigned)t.every)
        if (diff_wanted(&t.o, t.isa->forms.data[i]->name))
            run_form(&t, t.isa->forms.data[i]);
    arena_free(&t.loaded.arena);
    return 0;
}
