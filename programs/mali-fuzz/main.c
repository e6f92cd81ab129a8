/*
 * mali-run -fuzz: random instructions on the shader core, with the evaluator of the intermediate
 * representation as referee.
 *
 * The template is a bundle with one word: the instruction, with random modifiers and operands,
 * random constants, and random shared bits of the units of a stage. Registers, results of the
 * previous stage, uniforms and memory are random as well. The core decodes and runs it like any
 * bundle. The referee evaluates the functions of the instruction as they were lowered, lane by lane
 * and operation by operation. Registers, memory, branches, ends and barriers must be equal. Both
 * take the places of selectors (operand_place and the like) from the generated code.
 */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gencc/referee/load.h"
#include "gencc/referee/operands.h"
#include "gencc/referee/words.h"
#include "runtime/base/cli.h"
#include "programs/mali-fuzz/core.h"
#include "programs/mali-fuzz/evaluator.h"
#include "runtime/gpu/lane.h"
#include "programs/mali-run/isas.h"
#include "runtime/gpu/variant.h"

enum {
    EXIT_DIFFERENT = 1,
    EXIT_USAGE = 2,
    BLOCKS_TRIED = 64, /* attempts to find a valid bundle */
    MOST_LANES = 4,    /* active lanes; the referee evaluates each separately */
    SHOWN = 5,
};

struct options {
    const char *wanted_form, *gpu, *arch;
    uint64_t count, seed;
    bool help;
};

/* A unit of an ISA, once per unit of a stage. */
struct unit {
    const char *name;
    struct loaded text, lowered;
    const struct isa *isa;
    struct isa *forms; /* forms of `text` */
    bool shared;       /* `forms` belongs to an earlier unit */
};

struct fuzz {
    struct options o;
    const struct gpu_variant *variant;
    const struct gpu_isa *isa;
    struct fuzz_core *core;
    struct unit unit[GPU_MAX_UNITS];
    unsigned unit_count;
    struct random random;
    struct situation_store store;
    unsigned chosen; /* number of selected instructions */
    uint64_t run, refused, without_word, without_bundle, need_descriptors, differences;
};

/* ---- what was built in: GPU_UNITS is a list -------------------------------------------------- */

#define DECLARE(name) extern const struct gpu_external name##_externals[];
GPU_UNITS(DECLARE)
#undef DECLARE

static void (*find_external(const char *name))(void)
{
#define ENTRY(unit) unit##_externals,
    static const struct gpu_external *const tables[] = {GPU_UNITS(ENTRY)};
#undef ENTRY

    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
        for (const struct gpu_external *e = tables[i]; e->name; e++)
            if (!strcmp(e->name, name))
                return e->address;
    return NULL;
}

static const struct situation_world world = {fuzz_core_source, fuzz_core_uniform_buffer,
                                             find_external, true};

/* ---- situations ------------------------------------------------------------------------------ */

static void random_situation(struct fuzz *z, struct situation *s)
{
    struct random *r = &z->random;

    memset(s, 0, sizeof(*s));
    s->world = &world;
    s->registers = z->isa->register_count;
    s->extra_slots = fuzz_core_behind(z->core);
    s->lanes = fuzz_core_lanes(z->core);
    s->width = fuzz_core_width(z->core);
    for (unsigned i = 0; i < MOST_LANES; i++)
        s->active |= 1u << random_below(r, s->lanes / s->width * s->width);
    s->address = (random_next(r) & UINT64_C(0xffffffffff)) * z->isa->grain_bytes;
    s->end = s->address + z->isa->grain_bytes;
    s->local_base = random_next(r);
    for (unsigned l = 0; l < s->lanes; l++)
        s->tls[l] = random_next(r);
    situation_fill(s, &z->store, r);
    for (unsigned l = 0; l < s->lanes; l++)
        s->slot[s->registers + GPU_SLOT_ACTIVE][l] = s->active >> l & 1 ? UINT32_MAX : 0;
}

static void random_bundle(struct fuzz *z, struct fuzz_bundle *b, unsigned unit, u128 word)
{
    struct random *r = &z->random;

    memset(b, 0, sizeof(*b));
    b->core = z->core;
    b->unit = unit;
    b->bits.header = random_next(r) >> random_below(r, 64);
    b->bits.bytes = z->isa->grain_bytes;
    b->bits.stages = 1;
    b->bits.constants = GPU_MAX_CONSTANTS;
    b->bits.stage[0] = (struct gpu_stage){.block = random_next(r), .present = 1u << unit};
    b->bits.stage[0].word[unit] = word;
    for (unsigned i = 0; i < GPU_MAX_CONSTANTS; i++) {
        b->bits.constant[i] = situation_random_word(r) | (uint64_t)situation_random_word(r) << 32;
        b->bits.modifier[i] = (uint8_t)random_below(r, 4);
    }
}

/* ---- the referee ----------------------------------------------------------------------------- */

/* Reads a field that the instruction computes. false: it has none of that name. */
static bool read_field(const struct form *form, const char *name, const u128 *fields,
                       uint32_t *value)
{
    const struct field *f = format_field(form->instr->format, name);

    if (!f || !f->computed)
        return false;
    *value = (uint32_t)fields[f->index];
    return true;
}

/* An operation and the result that is to be written to a register. */
struct part_result {
    uint32_t selector;
    uint32_t written; /* one bit per lane */
};

/* Writes a part's result to its register. If there is no result, the register's content is
 * undefined, and the core's value is taken. */
static void write_result(const struct fuzz_bundle *b, struct situation *s,
                         const struct part_result *result, unsigned slot,
                         const struct situation *core)
{
    const struct situation *from = result->written ? s : core;
    uint32_t lanes = result->written ? result->written : s->active;

    uint64_t place = fuzz_core_result(b, result->selector);
    unsigned bytes = place >> GPU_RESULT_BYTES_SHIFT & GPU_RESULT_BYTES;
    unsigned to = place & 0xffff;
    uint32_t mask = 0;

    if (place >> 32 != GPU_PLACE_REGISTER)
        return;
    for (unsigned i = 0; i < 4; i++)
        mask |= bytes >> i & 1 ? UINT32_C(0xff) << 8 * i : 0;
    slot = result->written ? slot : to;
    for (unsigned l = 0; l < s->lanes; l++)
        if (lanes >> l & 1)
            s->slot[to][l] = (s->slot[to][l] & ~mask) | (from->slot[slot][l] & mask);
}

/* A word under test: its unit, its form, and the bundle around it. */
struct tested {
    const struct unit *unit;
    struct form *form;
    const struct fuzz_bundle *bundle;
    u128 word;
};

/* Evaluates an operation of the instruction, with its result in a slot of its own. */
static void evaluate_part(const struct tested *t, unsigned part, const struct situation *before,
                          struct situation *s, struct part_result *result)
{
    const struct fuzz_bundle *b = t->bundle;
    const struct form *form = t->form;
    u128 word = t->word | (u128)part << GPU_PART_SHIFT;
    u128 fields[EVALUATE_MAX_FIELDS];
    const char *broke = evaluator_fields(s, form, word, fields);
    uint32_t staging;

    if (broke) {
        s->failure = broke;
        return;
    }
    read_field(form, "result", fields, &result->selector);
    s->result = fuzz_core_result_slot(b, part);
    s->staging =
        fuzz_core_staging(b, read_field(form, "staging", fields, &staging) ? &staging : NULL);
    s->written = 0;
    evaluator_run(t->unit->lowered.model, form, word, before, s);
    result->written = s->written;
}

static void run_referee(const struct tested *t, const struct situation *core, struct situation *s)
{
    static struct situation before;
    u128 fields[EVALUATE_MAX_FIELDS];
    struct part_result result[GPU_MAX_PARTS] = {0};
    uint32_t parts = 1;

    before = *s;
    s->failure = evaluator_fields(s, t->form, t->word, fields);
    read_field(t->form, "parts", fields, &parts);
    for (unsigned p = 0; p < GPU_MAX_PARTS && !s->failure && !s->faulted; p++)
        if (parts >> p & 1)
            evaluate_part(t, p, &before, s, &result[p]);
    for (unsigned p = 0; p < GPU_MAX_PARTS && !s->failure && !s->faulted; p++)
        if (parts >> p & 1)
            write_result(t->bundle, s, &result[p], fuzz_core_result_slot(t->bundle, p), core);
    if (fuzz_core_ends(t->bundle))
        s->ended |= s->active & ~s->branched;
    if (s->ended == s->active)
        s->waits = GPU_WARP_RUNS; /* no live lane could wait */
}

/* ---- comparing ------------------------------------------------------------------------------- */

static bool same_registers(const struct situation *a, const struct situation *b)
{
    for (unsigned k = 0; k < a->registers; k++)
        for (unsigned l = 0; l < a->lanes; l++)
            if (!situation_same_word(a->slot[k][l], b->slot[k][l]))
                return false;
    return true;
}

static bool compare_situations(const struct situation *a, const struct situation *b)
{
    if (a->faulted || b->faulted)
        return a->faulted == b->faulted;
    return !a->failure && !b->failure && same_registers(a, b) &&
           !memcmp(a->memory, b->memory, sizeof(a->memory)) &&
           !memcmp(a->target, b->target, sizeof(a->target)) && a->branched == b->branched &&
           a->ended == b->ended && a->waits == b->waits;
}

static void print_difference(const struct situation *before, const struct situation *core,
                             const struct situation *judge)
{
    unsigned shown = 0;

    for (unsigned k = 0; k < core->registers; k++)
        for (unsigned l = 0; l < core->lanes; l++)
            if (!situation_same_word(core->slot[k][l], judge->slot[k][l]) && shown++ < SHOWN)
                printf("    register word %u, lane %u: %08" PRIx32 ", core %08" PRIx32
                       ", referee %08" PRIx32 "\n",
                       k, l, before->slot[k][l], core->slot[k][l], judge->slot[k][l]);
    for (unsigned i = 0; i < MEMORY_BYTES; i++)
        if (core->memory[i] != judge->memory[i] && shown++ < 2 * SHOWN)
            printf("    memory %x: core %02x, referee %02x\n", i, core->memory[i],
                   judge->memory[i]);
    printf("    core    branched %x ended %x faulted %u waits %u\n"
           "    referee branched %x ended %x faulted %u waits %u%s%s\n",
           core->branched, core->ended, core->faulted, core->waits, judge->branched, judge->ended,
           judge->faulted, judge->waits, judge->failure ? ": " : "",
           judge->failure ? judge->failure : "");
}

static void print_failure(struct fuzz *z, const struct tested *t, const struct situation *before,
                          const struct situation *core, const struct situation *judge)
{
    const struct unit *u = t->unit;
    const struct form *form = t->form;
    const struct fuzz_bundle *b = t->bundle;
    u128 word = b->bits.stage[0].word[b->unit];
    char text[200];

    if (z->differences++ >= SHOWN)
        return;
    text_disasm(u->text.text, word, form->instr->format->width, before->address, text,
                sizeof(text));
    printf("%s/%s: %016" PRIx64 "%016" PRIx64 "  %s, unit %u, block %" PRIx64 ", header %" PRIx64
           ", lanes %" PRIx32 "\n",
           u->name, form->name, (uint64_t)(word >> 64), (uint64_t)word, text, b->unit,
           b->bits.stage[0].block, b->bits.header, before->active);
    print_difference(before, core, judge);
    fflush(stdout);
}

/* ---- one instruction ------------------------------------------------------------------------- */

/* Runs the word in a valid bundle. false: none was found. */
static bool run_core(struct fuzz *z, unsigned unit, u128 word, struct fuzz_bundle *b,
                     struct situation *before, struct situation *core)
{
    for (unsigned i = 0; i < BLOCKS_TRIED; i++) {
        random_bundle(z, b, unit, word);
        before->opaque = b;
        before->header = b->bits.header;
        *core = *before;
        if (fuzz_core_run(z->core, b, core))
            return true;
    }
    return false;
}

static void run_form(struct fuzz *z, unsigned unit, struct form *form)
{
    static struct situation before, core, judge;
    static struct fuzz_bundle b;
    struct unit *u = &z->unit[unit];
    struct words words = {u->text.text, random_next(&z->random) | 1};
    struct tested t = {u, u->isa->forms.data[form->index], &b, 0};

    if (!random_word(&words, form, &t.word)) {
        z->without_word++;
        return;
    }
    random_situation(z, &before);
    if (!run_core(z, unit, t.word, &b, &before, &core)) {
        z->without_bundle++;
        return;
    }
    judge = before;
    run_referee(&t, &core, &judge);
    if (judge.needs_descriptors) {
        z->need_descriptors++;
        return;
    }
    z->run++;
    z->refused += core.faulted != 0;
    if (!compare_situations(&core, &judge))
        print_failure(z, &t, &before, &core, &judge);
}

/* ---- which ----------------------------------------------------------------------------------- */

/* Whether the selection contains the form: "all", an ISA, a unit, or UNIT/INSTRUCTION with '*' and
 * '?'. */
static bool is_wanted(const struct fuzz *z, const struct unit *u, const struct form *form)
{
    char name[256];

    if (!strcmp(z->o.wanted_form, "all") || !strcmp(z->o.wanted_form, z->isa->name))
        return true;
    snprintf(name, sizeof(name), "%s/%s", u->name, form->name);
    return !strcmp(z->o.wanted_form, u->name) || fnmatch(z->o.wanted_form, name, 0) == 0;
}

/* Whether the form needs descriptors of textures, images or attributes, which the template
 * lacks. */
static bool is_attribute(const struct fuzz *z, unsigned unit, const struct form *form)
{
    const char *klass = z->isa->unit[unit]->forms[form->index].klass;

    return klass && !strcmp(klass, "attribute");
}

/* Whether the GPU has all features that the instruction requires. */
static bool is_there(const struct fuzz *z, const struct form *form)
{
    vec_for_each (&form->instr->features, f)
        if (!gpu_variant_has(z->variant, (*f)->name))
            return false;
    return true;
}

struct choice {
    unsigned unit;
    struct form *form;
};

static void run_all(struct fuzz *z)
{
    VEC(struct choice) list = {0};
    struct arena arena = {0};

    for (unsigned i = 0; i < z->unit_count; i++) {
        vec_for_each (&z->unit[i].forms->forms, f) {
            if (is_wanted(z, &z->unit[i], *f) && !is_attribute(z, i, *f) && is_there(z, *f))
                vec_push_in(&arena, &list, ((struct choice){i, *f}));
        }
    }
    z->chosen = list.len;
    for (uint64_t n = 0; list.len && n < z->o.count; n++)
        run_form(z, list.data[n % list.len].unit, list.data[n % list.len].form);
    arena_free(&arena);
}

/* ---- opening --------------------------------------------------------------------------------- */

/* The GPU of the command line, or the first that has the ISA with which `what` begins. */
static const struct gpu_variant *choose_gpu(const struct options *o)
{
    if (o->gpu)
        return gpu_variant_by_name(o->gpu);
    for (const struct gpu_variant *v = gpu_variants; v->name; v++)
        if (!strncmp(o->wanted_form, v->isa, strlen(v->isa)))
            return v;
    return NULL;
}

/* Opens a unit. A stage may have several units of a kind; the description of each kind is read
 * once. */
static bool open_unit(struct fuzz *z, struct unit *u, const char *path, struct error *err)
{
    const struct gpu_unit *built = z->isa->unit[u - z->unit];

    for (const struct unit *before = z->unit; before < u; before++) {
        if (!strcmp(before->name, built->name)) {
            *u = *before;
            u->shared = true;
            return true;
        }
    }
    u->name = built->name;
    if (!load_text(&u->text, path, u->name) || !load_lowered(&u->lowered, path, u->name))
        return error_set(err, "%.200s is no description of %s", path, u->name);
    u->forms = model_isa(u->text.model, u->name);
    u->isa = model_isa(u->lowered.model, u->name);
    return u->forms->forms.len == built->form_count ||
           error_set(err, "%.200s has other instructions than this program", path);
}

static bool open_units(struct fuzz *z, struct error *err)
{
    char path[512];

    snprintf(path, sizeof(path), "%s/%s/%s.ac", GPU_DESCRIPTIONS, z->isa->name, z->isa->name);
    if (z->o.arch)
        snprintf(path, sizeof(path), "%s", z->o.arch);
    for (; z->unit_count < z->isa->unit_count; z->unit_count++)
        if (!open_unit(z, &z->unit[z->unit_count], path, err))
            return false;
    return true;
}

static bool open_all(struct fuzz *z, struct error *err)
{
    z->variant = choose_gpu(&z->o);
    if (!z->variant)
        return z->o.gpu
                   ? error_set(err, "there is no GPU named '%s' (-gpu help lists them)", z->o.gpu)
                   : error_set(err, "-gpu must say for which GPU '%s' is", z->o.wanted_form);
    z->isa = isa_built_in(z->variant->isa);
    if (!z->isa)
        return error_set(err, "the shader instruction set %s of %s is not modelled",
                         z->variant->isa, z->variant->title);
    if (z->isa->register_count > MAX_REGISTERS)
        return error_set(err, "%s has more than %d registers", z->isa->name, MAX_REGISTERS);
    z->core = fuzz_core_new(z->variant, z->isa, z->o.seed);
    return z->core ? open_units(z, err)
                   : error_set(err, "the shader cores of %s cannot be made", z->variant->title);
}

static void close_all(struct fuzz *z)
{
    for (unsigned i = 0; i < GPU_MAX_UNITS; i++) {
        if (z->unit[i].shared)
            continue;
        arena_free(&z->unit[i].text.arena);
        arena_free(&z->unit[i].lowered.arena);
    }
    fuzz_core_free(z->core);
}

/* ---- the command line ------------------------------------------------------------------------ */

#define OPTION(member) struct options, member

static const struct cli_option table[] = {
    CLI_TEXT(
        "fuzz", OPTION(wanted_form), "WHAT",
        "instructions to run: an ISA, a unit, UNIT/INSTRUCTION ('*' and '?' stand for letters),\n"
        "or all; without those that need descriptors of textures, images or attributes"),
    CLI_TEXT("gpu", OPTION(gpu), "NAME|help",
             "run on this GPU's cores (default: the first that has WHAT)"),
    CLI_NUMBER("count", OPTION(count), 1, INT64_MAX, "N", "instructions to run (default 10000)"),
    CLI_NUMBER("seed", OPTION(seed), 0, INT64_MAX, "N",
               "seed of the random numbers (default: the clock)"),
    CLI_TEXT("arch", OPTION(arch), "FILE.ac",
             "description for the referee (default: that of the build)"),
};

static const struct cli command_line = {.table = table, .count = sizeof(table) / sizeof(*table)};

static int usage(const struct error *err)
{
    fprintf(stderr, "mali-run: %s\n", err->text);
    return EXIT_USAGE;
}

static int fuzz_forms(struct fuzz *z)
{
    struct error err = {""};

    if (!open_all(z, &err))
        return usage(&err);
    printf("seed %" PRIu64 "\n", z->o.seed);
    fflush(stdout);
    z->random.state = z->o.seed;
    run_all(z);
    if (!z->chosen) {
        error_set(&err, "no instruction is called '%.100s', or it needs descriptors",
                  z->o.wanted_form);
        return usage(&err);
    }
    printf("%s: %" PRIu64 " runs of %u instructions; %" PRIu64 " refused alike, %" PRIu64
           " without a word, %" PRIu64 " without a bundle, %" PRIu64
           " that need descriptors; %" PRIu64 " differences\n",
           z->variant->title, z->run, z->chosen, z->refused, z->without_word, z->without_bundle,
           z->need_descriptors, z->differences);
    return z->differences ? EXIT_DIFFERENT : EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
    static struct fuzz z = {.o = {.count = 10000}};
    struct error err = {""};
    int status;

    (void)argc;
    z.o.seed = (uint64_t)time(NULL);
    switch (cli_read(&command_line, &z.o, argv, &err)) {
    case CLI_HELP:
        puts("mali-run -fuzz WHAT [options]\nRandom instructions on a shader core, with the "
             "evaluator "
             "of the description as referee.\n");
        cli_print(&command_line, stdout);
        return EXIT_SUCCESS;
    case CLI_VERSION:
        cli_print_version("mali-fuzz", stdout);
        return EXIT_SUCCESS;
    case CLI_WRONG:
        return usage(&err);
    case CLI_DONE:
        break;
    }
    if (z.o.gpu && !strcmp(z.o.gpu, "help")) {
        gpu_variants_print(stdout);
        return EXIT_SUCCESS;
    }
    if (!z.o.wanted_form) {
        error_set(&err, "-fuzz WHAT is missing");
        return usage(&err);
    }
    status = fuzz_forms(&z);
    close_all(&z);
    return status;
}
