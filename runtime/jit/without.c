/* The functions of LLVM's tier in a build without LLVM: only the quick tier translates. */
#include "runtime/jit/internal.h"

bool jit_has_llvm(void)
{
    return false;
}

struct llvm_library *llvm_library_new(void)
{
    return NULL;
}

void llvm_library_free(struct llvm_library *library)
{
    (void)library;
}

struct compiler *compiler_new(struct jit *jit, struct error *err)
{
    (void)jit;
    return error_null(err, "built without LLVM");
}

void compiler_free(struct compiler *c)
{
    (void)c;
}

void compiler_translate(struct compiler *c, struct region *list)
{
    (void)c;
    (void)list;
}

bool llvm_catch_faults(struct jit *jit)
{
    (void)jit;
    return false;
}

void llvm_release_faults(struct jit *jit)
{
    (void)jit;
}

/* Lists bytes in hexadecimal, for a disassembler. */
void llvm_list_code(struct jit *jit, const uint8_t *code, size_t size)
{
    enum { ROW = 16 };
    char text[3 * ROW + 1];

    for (size_t at = 0; at < size; at += ROW) {
        for (size_t n = 0; n < ROW && at + n < size; n++)
            snprintf(text + 3 * n, 4, " %02x", code[at + n]);
        log_printf(jit->log, LOG_OUT_ASM, "%p:%s\n", (const void *)(code + at), text);
    }
}
