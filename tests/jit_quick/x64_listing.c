/*
 * Machine code of the assembler and its expected text, for a referee. `x64_listing FILE.bin
 * FILE.txt` writes the bytes, and one line per instruction with its address, length and text.
 * x64_listing.py compares them.
 */
#include "x64_listing.h"

#include <assert.h>
#include <stdarg.h>
#include <stdlib.h>

enum { BUFFER = 16 << 20 };

struct listing l;
struct mems mems;

void expect(const char *format, ...)
{
    fprintf(l.text, "%tx %td ", l.mark - l.x.start, l.x.at - l.mark);
    va_list args;
    va_start(args, format);
    vfprintf(l.text, format, args);
    va_end(args);
    fputc('\n', l.text);
    l.mark = l.x.at;
}

static void make_mems(void)
{
    static const int32_t disps[] = {0, 1, 0x7f, -0x80, 0x80, -0x81, 0x1000, INT32_MAX, INT32_MIN};
    static_assert(ALL_MEMS == 16 * COUNT(disps) * (1 + 15 * 4), "room for all");
    for (unsigned base = 0; base < 16; base++) {
        for (size_t d = 0; d < COUNT(disps); d++) {
            mems.all[mems.all_count++] = x64_at(base, disps[d]);
            for (unsigned i = 0; i < 16 * 4; i++)
                if (i >> 2 != RSP)
                    mems.all[mems.all_count++] = x64_at_index(base, i >> 2, i & 3, disps[d]);
        }
        mems.some[mems.some_count++] = x64_at(base, 0);
        mems.some[mems.some_count++] = x64_at(base, -8);
        mems.some[mems.some_count++] = x64_at(base, 0x1000);
        unsigned index = base == RSP ? R12 : base;
        mems.some[mems.some_count++] = x64_at_index(15 - base, index, base & 3, 0x40);
    }
}

const char *gpr(unsigned bits, unsigned r)
{
    static const char *const names[][16] = {
        {"al", "cl", "dl", "bl", "spl", "bpl", "sil", "dil", "r8b", "r9b", "r10b", "r11b", "r12b",
         "r13b", "r14b", "r15b"},
        {"ax", "cx", "dx", "bx", "sp", "bp", "si", "di", "r8w", "r9w", "r10w", "r11w", "r12w",
         "r13w", "r14w", "r15w"},
        {"eax", "ecx", "edx", "ebx", "esp", "ebp", "esi", "edi", "r8d", "r9d", "r10d", "r11d",
         "r12d", "r13d", "r14d", "r15d"},
        {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12",
         "r13", "r14", "r15"},
    };
    return names[bits == 8 ? 0 : bits == 16 ? 1 : bits == 32 ? 2 : 3][r];
}

static struct text typed_address(const char *type, struct x64_mem m)
{
    struct text t;
    size_t n = (size_t)sprintf(t.s, "%s[%s", type, gpr(64, m.base));
    if (m.index != X64_NO_INDEX)
        n += (size_t)sprintf(t.s + n, "+%s*%u", gpr(64, m.index), 1u << m.scale);
    /* Base RBP and R13 have no form without displacement. */
    if (m.disp != 0 || (m.base & 7) == RBP)
        n += (size_t)sprintf(t.s + n, "%c0x%llx", m.disp < 0 ? '-' : '+', llabs(m.disp));
    sprintf(t.s + n, "]");
    return t;
}

struct text address(struct x64_mem m)
{
    return typed_address("", m);
}

struct text mem(unsigned bits, struct x64_mem m)
{
    return typed_address(bits == 8    ? "BYTE PTR "
                         : bits == 16 ? "WORD PTR "
                         : bits == 32 ? "DWORD PTR "
                         : bits == 64 ? "QWORD PTR "
                                      : "XMMWORD PTR ",
                         m);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: x64_listing FILE.bin FILE.txt\n");
        return 2;
    }
    uint8_t *buffer = malloc(BUFFER);
    FILE *code = fopen(argv[1], "wb");
    l.text = fopen(argv[2], "w");
    if (!buffer || !code || !l.text) {
        perror("x64_listing");
        return 1;
    }
    l.x = (struct q_buffer){buffer, buffer, buffer + BUFFER, 0, false, 0, NULL};
    l.mark = buffer;
    make_mems();
    list_integers();
    list_vectors();
    if (l.x.full) {
        fprintf(stderr, "x64_listing: the buffer is too small\n");
        return 1;
    }
    fwrite(buffer, 1, (size_t)(l.x.at - buffer), code);
    bool written = fclose(code) == 0 && fclose(l.text) == 0;
    free(buffer);
    return written ? 0 : 1;
}
