/*
 * Runs the cases of a64_semantics.py on the evaluator of the intermediate representation.
 *
 *     evaluate ARCH CASES WORDS MEMORY CODE STRIDE OUTPUT
 *
 * CASES holds the registers of each case (struct registers), WORDS its instructions (case_words a
 * case), MEMORY what is at memory_base. The instructions of case i are at CODE + i * STRIDE. OUTPUT
 * becomes what the same cases leave on a processor: the registers of all cases, then the memory.
 * A case that does something else than compute (a fault, an exception, an undefined instruction)
 * is reported, and the exit status is 1.
 */
#include "gencc/front/ast.h"
#include "gencc/lower/lower.h"
#include "gencc/model/model.h"
#include "gencc/disasm/disasm.h"
#include "runtime/fp/arm_crypto.h"
#include "runtime/fp/fp.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { case_words = 8, max_steps = 64, max_fields = 128 };
static const uint64_t memory_base = 0x10000000;

struct registers {
    u128 v[32];
    uint64_t x[31], sp, nzcv, fpcr, fpsr, unused;
};

struct bytes {
    uint8_t *at;
    size_t size;
};

/* State that the intrinsics of a running case read and change. */
struct run {
    struct model *model;
    struct bytes memory;
    uint64_t pc, next_pc;
    const char *left; /* reason why the case left its instruction */
};

struct place { /* offsets into the register blob */
    unsigned x, v, n, z, c, o, fpcr, fpsr, el;
};

static bool read_file(const char *path, struct bytes *out)
{
    FILE *f = fopen(path, "rb");
    long size;

    if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0) {
        fprintf(stderr, "cannot read %s\n", path);
        return false;
    }
    rewind(f);
    out->size = (size_t)size;
    out->at = malloc(out->size + 1);
    return out->at && fread(out->at, 1, out->size, f) == out->size && !fclose(f);
}

/* ---- intrinsics ------------------------------------------------------------------------------ */

static uint8_t *memory_at(struct run *r, uint64_t address, size_t bytes)
{
    uint64_t offset = address - memory_base;

    if (address < memory_base || offset + bytes > r->memory.size) {
        r->left = "an access outside the memory of the cases";
        return NULL;
    }
    return r->memory.at + offset;
}

static bool read_memory(struct run *r, const struct ir_data *args, size_t bytes,
                        struct ir_data *results)
{
    uint8_t *at = memory_at(r, (uint64_t)args[1].lane[0], bytes);

    results[1].lane[0] = 0;
    if (at)
        memcpy(&results[1].lane[0], at, bytes);
    return at;
}

static bool write_memory(struct run *r, const struct ir_data *args, size_t bytes)
{
    uint8_t *at = memory_at(r, (uint64_t)args[1].lane[0], bytes);

    if (at)
        memcpy(at, &args[2].lane[0], bytes);
    return at;
}

/* Features of a CPU whose optional features are all present. */
static unsigned value_of(const struct feature *f)
{
    return f->about ? 1 : f->value;
}

static bool call_intrinsic(void *opaque, const struct ir_callee *fn, const char *text,
                           const struct ir_data *args, struct ir_data *results)
{
    struct run *r = opaque;

    (void)text;
    switch (fn->intrinsic) {
    case IR_I_READ_PC:
        results[0].lane[0] = r->pc;
        return true;
    case IR_I_WRITE_PC:
        r->next_pc = (uint64_t)args[0].lane[0];
        return true;
    case IR_I_GET_FEATURE:
        results[0].lane[0] = value_of(r->model->features.data[(unsigned)args[0].lane[0]]);
        return true;
#define MEMORY(bits)                                      \
    case IR_I_MEM_READ_##bits:                            \
        return read_memory(r, args, (bits) / 8, results); \
    case IR_I_MEM_WRITE_##bits:                           \
        return write_memory(r, args, (bits) / 8);
        MEMORY(8)
        MEMORY(16)
        MEMORY(32)
        MEMORY(64)
        MEMORY(128)
    case IR_I_MEM_PROBE_WRITE:
        return memory_at(r, (uint64_t)args[1].lane[0], (size_t)args[2].lane[0]) != NULL;
    case IR_I_SYNCHRONISE_CONTEXT:
        return true;
    default:
        r->left = fn->name;
        return false;
    }
}

static void (*external(void *opaque, const char *name))(void)
{
    void (*f)(void);
    void *address = dlsym(RTLD_DEFAULT, name);

    (void)opaque;
    memcpy(&f, &address, sizeof(f));
    return f;
}

/* ---- state ----------------------------------------------------------------------------------- */

static unsigned place_of(const struct model *m, const char *name)
{
    const struct reg_view *v = model_view(m, name);

    if (!v) {
        fprintf(stderr, "the description has no register %s\n", name);
        exit(2);
    }
    return v->offset;
}

static struct place find_places(const struct model *m)
{
    return (struct place){
        .x = place_of(m, "X"),
        .v = place_of(m, "V"),
        .n = place_of(m, "NF"),
        .z = place_of(m, "ZF"),
        .c = place_of(m, "CF"),
        .o = place_of(m, "VF"),
        .fpcr = place_of(m, "FPCR"),
        .fpsr = place_of(m, "FPSR"),
        .el = place_of(m, "EL"),
    };
}

static void load_state(uint8_t *state, const struct place *p, const struct registers *s)
{
    memcpy(state + p->x, s->x, sizeof(s->x));
    memcpy(state + p->x + sizeof(s->x), &s->sp, sizeof(s->sp));
    memcpy(state + p->v, s->v, sizeof(s->v));
    state[p->n] = s->nzcv >> 31 & 1;
    state[p->z] = s->nzcv >> 30 & 1;
    state[p->c] = s->nzcv >> 29 & 1;
    state[p->o] = s->nzcv >> 28 & 1;
    memcpy(state + p->fpcr, &s->fpcr, 4);
    memcpy(state + p->fpsr, &s->fpsr, 4);
    state[p->el] = 1; /* At EL1 and above, system registers that are all zero trap nothing. */
}

static void save_state(const uint8_t *state, const struct place *p, struct registers *s)
{
    memcpy(s->x, state + p->x, sizeof(s->x));
    memcpy(&s->sp, state + p->x + sizeof(s->x), sizeof(s->sp));
    memcpy(s->v, state + p->v, sizeof(s->v));
    s->nzcv = (uint64_t)state[p->n] << 31 | (uint64_t)state[p->z] << 30 |
              (uint64_t)state[p->c] << 29 | (uint64_t)state[p->o] << 28;
    memcpy(&s->fpcr, state + p->fpcr, 4);
    memcpy(&s->fpsr, state + p->fpsr, 4);
}

/* ---- running --------------------------------------------------------------------------------- */

static bool run_word(struct ir_machine *machine, struct text *text, uint32_t word)
{
    struct run *r = machine->opaque;
    struct form *form = text_decode(text, word, 32);
    struct ir_data argument, result;

    if (!form) {
        r->left = "an undefined instruction";
        return false;
    }
    machine->word = argument.lane[0] = word;
    if (ir_eval(machine, form->decode, &argument, &result) == IR_DONE &&
        ir_eval(machine, form->exec, NULL, &result) == IR_DONE)
        return true;
    if (!r->left)
        r->left = machine->missing ? machine->missing : "the evaluator";
    return false;
}

static bool run_case(struct ir_machine *machine, struct text *text, const uint32_t *words,
                     uint64_t start)
{
    struct run *r = machine->opaque;
    char line[128];

    r->left = NULL;
    r->pc = start;
    for (unsigned step = 0; step < max_steps; step++) {
        uint64_t index = (r->pc - start) / 4;

        if (index >= case_words)
            return true;
        r->next_pc = r->pc + 4;
        if (!run_word(machine, text, words[index])) {
            text_disasm(text, words[index], 32, r->pc, line, sizeof(line));
            fprintf(stderr, "%08" PRIx32 " %s: left the case: %s\n", words[index], line, r->left);
            return false;
        }
        r->pc = r->next_pc;
    }
    fprintf(stderr, "a case does not end\n");
    return false;
}

/* The cases' instructions, and where in guest memory: one case every `stride` bytes. */
struct instructions {
    const uint32_t *words;
    uint64_t address, stride;
};

static bool run_cases(struct model *m, struct text *text, struct run *r, struct bytes cases,
                      struct instructions code)
{
    static u128 fields[max_fields];
    uint8_t *state = calloc(1, m->state_bytes);
    struct registers *s = (struct registers *)cases.at;
    struct place p = find_places(m);
    struct ir_machine machine = {
        .opaque = r,
        .state = state,
        .fields = fields,
        .intrinsic = call_intrinsic,
        .external = external,
    };
    bool ok = state != NULL;

    for (size_t i = 0; ok && i < cases.size / sizeof(*s); i++) {
        memset(state, 0, m->state_bytes);
        load_state(state, &p, &s[i]);
        ok = run_case(&machine, text, code.words + i * case_words, code.address + i * code.stride);
        save_state(state, &p, &s[i]);
    }
    free(state);
    return ok;
}

static struct model *load_model(struct arena *arena, struct diag *d, const char *path)
{
    struct ast_arch *arch = ast_parse_arch(d, path);
    struct model *m = arch && !d->errors ? model_build(arena, d, arch) : NULL;

    if (!m || d->errors || !m->isas.len || !lower_isa(m->isas.data[0], LOWER_OPTIMISE))
        return NULL;
    return m;
}

int main(int argc, char **argv)
{
    struct arena arena = {0};
    struct diag d = {.arena = &arena, .out = stderr};
    struct bytes cases, words;
    struct run r = {0};
    struct text *text;
    FILE *out;
    bool ok;

    if (argc != 8) {
        fprintf(stderr, "evaluate ARCH CASES WORDS MEMORY CODE STRIDE OUTPUT\n");
        return 2;
    }
    r.model = load_model(&arena, &d, argv[1]);
    text = r.model ? text_prepare(r.model->isas.data[0]) : NULL;
    if (!text || !read_file(argv[2], &cases) || !read_file(argv[3], &words) ||
        !read_file(argv[4], &r.memory))
        return 2;
    if (cases.size / sizeof(struct registers) != words.size / (4 * case_words)) {
        fprintf(stderr, "the files do not belong together\n");
        return 2;
    }
    ok = run_cases(r.model, text, &r, cases,
                   (struct instructions){(const uint32_t *)words.at, strtoull(argv[5], NULL, 0),
                                         strtoull(argv[6], NULL, 0)});
    out = fopen(argv[7], "wb");
    ok &= out && fwrite(cases.at, 1, cases.size, out) == cases.size &&
          fwrite(r.memory.at, 1, r.memory.size, out) == r.memory.size && !fclose(out);
    free(cases.at);
    free(words.at);
    free(r.memory.at);
    arena_free(&arena);
    return ok ? 0 : 1;
}
