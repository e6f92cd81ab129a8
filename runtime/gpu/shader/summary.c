/*
 * A shader as it stands in memory: clause after clause from its start to the one that ends it.
 *
 * Bounds      MAX_CLAUSES clauses, once a shader
 */
#include "runtime/gpu/shader/core.h"

#include <stdlib.h>

#include "gencc/text/asm_text.h"
#include "runtime/base/alloc.h"

enum { MAX_CLAUSES = 16384 }; /* longer shaders get no summary */

/* How a clause's text names another one, by the number of the word that it begins at. */
static const char target_prefix[] = "clause_";

/* Branches of the clause at word `index` that go back: each makes a loop. */
static unsigned count_loops(const struct gpu_isa *isa, const uint8_t *bytes, size_t available,
                            unsigned index)
{
    char text[4096];
    struct asm_out out = {.text = text, .size = sizeof(text)};
    unsigned loops = 0;

    if (!isa->disasm_clause || !isa->disasm_clause(bytes, available, index, &out))
        return 0;
    for (const char *at = text; (at = strstr(at, target_prefix));) {
        at += sizeof(target_prefix) - 1;
        loops += strtoul(at, NULL, 10) <= index;
    }
    return loops;
}

static void add_clause(const struct gpu_code *code, struct gpu_shader_summary *s)
{
    const struct gpu_profile *p = &code->profile;

    s->clauses++;
    s->tuples += p->tuples;
    for (unsigned i = 0; i < GPU_FORM_CLASSES; i++)
        if (i != GPU_CLASS_NOP)
            s->instructions += p->instructions[i];
    s->load_store += p->instructions[GPU_CLASS_LOAD_STORE] + p->instructions[GPU_CLASS_ATTRIBUTE];
    s->arithmetic += p->arithmetic_tuples;
    s->quadwords += code->bytes / GPU_CLAUSE_ALIGNMENT;
    if (p->registers > s->registers)
        s->registers = p->registers;
}

void gpu_shader_summarise(const struct gpu_decoder *d, const struct gpu_address_space *as,
                          struct gpu_shader *shader)
{
    struct gpu_shader *scratch = xcalloc(1, sizeof(*scratch));
    struct gpu_shader_summary s = {0};
    uint64_t address = shader->address;
    bool more = address % GPU_CLAUSE_ALIGNMENT == 0;

    while (more && s.clauses < MAX_CLAUSES) {
        uint8_t bytes[GPU_MAX_CLAUSE_BYTES];
        size_t available = gpu_code_read(as, address, bytes, sizeof(bytes), NULL);
        struct gpu_code *code;
        bool valid = false;

        if (!available)
            break;
        scratch->pool_count = 0;
        code = gpu_decode_clause(d, scratch, bytes, available, address, &valid);
        more = valid;
        if (valid) {
            add_clause(code, &s);
            s.loops += count_loops(d->isa, bytes, available,
                                   (unsigned)((address - shader->address) / GPU_CLAUSE_ALIGNMENT));
            address = code->next;
            s.known = code->flags & GPU_CLAUSE_END;
            more = !s.known;
        }
        free(code);
    }
    free(scratch);
    shader->summary = s;
    shader->summarised = true;
}
