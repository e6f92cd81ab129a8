/* A shader as it stands in memory: clause after clause from its start to the one that ends it. */
#include "runtime/gpu/shader/core.h"

#include <stdlib.h>

#include "runtime/base/alloc.h"

enum { MAX_CLAUSES = 16384 }; /* longer shaders get no summary */

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
            address = code->next;
            s.known = code->flags & GPU_CLAUSE_END;
            more = !s.known;
        }
        free(code);
    }
    free(scratch);
    shader->summary = s;
}
