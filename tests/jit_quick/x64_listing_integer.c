/* The assembler's calls: moves, integers and control flow. */
#include "x64_listing.h"

static const unsigned sizes[] = {8, 16, 32, 64};
enum { SIZES = COUNT(sizes) };

static const int32_t immediates[] = {0,     1,      0x7f,   0x80,   -1,         -0x80,
                                     -0x81, 0x1234, 0x8000, 0xff80, 0x12345678, INT32_MIN};

static const char *cc_name(unsigned cc)
{
    static const char *const names[] = {"o", "no", "b", "ae", "e", "ne", "be", "a",
                                        "s", "ns", "p", "np", "l", "ge", "le", "g"};
    return names[cc];
}

/* The text of an immediate for an operand of `bits` bits. */
static struct text imm_text(unsigned bits, int32_t imm)
{
    struct text t;
    sprintf(t.s, "0x%llx", (unsigned long long)imm & ~0ull >> (64 - bits));
    return t;
}

/* ---- moves ----------------------------------------------------------------------------------- */

static void moves_of_registers(unsigned d, unsigned s)
{
    for (unsigned i = 0; i < SIZES; i++) {
        unsigned bits = sizes[i];
        if (bits >= 32) {
            x64_mov_rr(&l.x, bits, d, s);
            expect("mov %s,%s", gpr(bits, d), gpr(bits, s));
            continue;
        }
        x64_movzx(&l.x, bits, d, s);
        expect("movzx %s,%s", gpr(32, d), gpr(bits, s));
        for (unsigned to = 32; to <= 64; to *= 2) {
            x64_movsx(&l.x, to, bits, d, s);
            expect("movsx %s,%s", gpr(to, d), gpr(bits, s));
        }
    }
    x64_movzx(&l.x, 32, d, s);
    expect("mov %s,%s", gpr(32, d), gpr(32, s));
    x64_movsx(&l.x, 64, 32, d, s);
    expect("movsxd %s,%s", gpr(64, d), gpr(32, s));
}

static void moves_of_values(unsigned d)
{
    static const uint64_t values[] = {0,
                                      1,
                                      0x7fffffff,
                                      0x80000000,
                                      UINT32_MAX,
                                      0x100000000,
                                      0x123456789abcdef0,
                                      0xffffffff7fffffff,
                                      0xffffffff80000000,
                                      UINT64_MAX};
    for (size_t i = 0; i < COUNT(values); i++) {
        uint64_t value = values[i];
        bool low = value <= UINT32_MAX;
        bool wide = !low && (uint64_t)(int64_t)(int32_t)value != value;
        x64_mov_ri(&l.x, d, value);
        expect("%s %s,0x%llx", wide ? "movabs" : "mov", gpr(low ? 32 : 64, d),
               (unsigned long long)value);
    }
    x64_push(&l.x, d);
    expect("push %s", gpr(64, d));
    x64_pop(&l.x, d);
    expect("pop %s", gpr(64, d));
}

static void loads_and_stores(unsigned r, struct x64_mem m)
{
    for (unsigned i = 0; i < SIZES; i++) {
        unsigned bits = sizes[i];
        x64_load(&l.x, bits, r, m);
        expect("%s %s,%s", bits < 32 ? "movzx" : "mov", gpr(bits < 32 ? 32 : bits, r),
               mem(bits, m).s);
        x64_store(&l.x, bits, m, r);
        expect("mov %s,%s", mem(bits, m).s, gpr(bits, r));
        if (bits >= 32) {
            x64_lea(&l.x, bits, r, m);
            expect("lea %s,%s", gpr(bits, r), address(m).s);
            continue;
        }
        for (unsigned to = 32; to <= 64; to *= 2) {
            x64_load_signed(&l.x, to, bits, r, m);
            expect("movsx %s,%s", gpr(to, r), mem(bits, m).s);
        }
    }
    x64_load_signed(&l.x, 32, 32, r, m);
    expect("mov %s,%s", gpr(32, r), mem(32, m).s);
    x64_load_signed(&l.x, 64, 32, r, m);
    expect("movsxd %s,%s", gpr(64, r), mem(32, m).s);
}

/* ---- integers -------------------------------------------------------------------------------- */

static const char *const alu_names[] = {"add", "or", "adc", "sbb", "and", "sub", "xor", "cmp"};

static void integers_of_registers(unsigned d, unsigned s)
{
    for (unsigned i = 0; i < SIZES; i++) {
        const char *dst = gpr(sizes[i], d), *src = gpr(sizes[i], s);
        for (unsigned op = X64_ADD; op <= X64_CMP; op++) {
            x64_alu_rr(&l.x, op, sizes[i], d, s);
            expect("%s %s,%s", alu_names[op], dst, src);
        }
        x64_test_rr(&l.x, sizes[i], d, s);
        expect("test %s,%s", dst, src);
    }
    for (unsigned bits = 32; bits <= 64; bits *= 2) {
        const char *dst = gpr(bits, d), *src = gpr(bits, s);
        x64_imul_rr(&l.x, bits, d, s);
        expect("imul %s,%s", dst, src);
        for (size_t i = 0; i < COUNT(immediates); i++) {
            x64_imul_rri(&l.x, bits, d, s, immediates[i]);
            expect("imul %s,%s,%s", dst, src, imm_text(bits, immediates[i]).s);
        }
        x64_count_rr(&l.x, X64_POPCNT, bits, d, s);
        expect("popcnt %s,%s", dst, src);
        x64_count_rr(&l.x, X64_TZCNT, bits, d, s);
        expect("tzcnt %s,%s", dst, src);
        x64_count_rr(&l.x, X64_LZCNT, bits, d, s);
        expect("lzcnt %s,%s", dst, src);
        x64_rorx(&l.x, bits, d, s, bits - 1);
        expect("rorx %s,%s,0x%x", dst, src, bits - 1);
        for (unsigned cc = CC_O; cc <= CC_G; cc++) {
            x64_cmov(&l.x, cc, bits, d, s);
            expect("cmov%s %s,%s", cc_name(cc), dst, src);
        }
        for (unsigned r = 0; r < 16; r++) {
            x64_shift_rrr(&l.x, X64_SHL, bits, d, s, r);
            expect("shlx %s,%s,%s", dst, src, gpr(bits, r));
            x64_shift_rrr(&l.x, X64_SHR, bits, d, s, r);
            expect("shrx %s,%s,%s", dst, src, gpr(bits, r));
            x64_shift_rrr(&l.x, X64_SAR, bits, d, s, r);
            expect("sarx %s,%s,%s", dst, src, gpr(bits, r));
            x64_andn(&l.x, bits, d, s, r);
            expect("andn %s,%s,%s", dst, gpr(bits, r), src);
        }
    }
}

static void list_shifts(unsigned bits, unsigned r)
{
    static const struct {
        enum x64_shift op;
        const char *name;
    } ops[] = {
        {X64_ROL, "rol"}, {X64_ROR, "ror"}, {X64_SHL, "shl"}, {X64_SHR, "shr"}, {X64_SAR, "sar"}};
    for (unsigned bit = 0; bits >= 32 && bit < bits; bit += 7) {
        x64_bt_ri(&l.x, bits, r, bit);
        expect("bt %s,0x%x", gpr(bits, r), bit);
    }
    for (size_t i = 0; i < COUNT(ops); i++) {
        x64_shift_ri(&l.x, ops[i].op, bits, r, 1);
        expect("%s %s,1", ops[i].name, gpr(bits, r));
        for (unsigned count = 0; count < bits; count += 7) {
            x64_shift_ri(&l.x, ops[i].op, bits, r, count);
            expect("%s %s,0x%x", ops[i].name, gpr(bits, r), count);
        }
    }
}

static void integers_of_one(unsigned r)
{
    static const char *const group3[] = {"", "", "not", "neg", "mul", "imul", "div", "idiv"};
    for (unsigned i = 0; i < SIZES; i++) {
        unsigned bits = sizes[i];
        for (unsigned op = X64_NOT; op <= X64_IDIV; op++) {
            x64_group3(&l.x, op, bits, r);
            expect("%s %s", group3[op], gpr(bits, r));
        }
        list_shifts(bits, r);
    }
    for (unsigned bits = 32; bits <= 64; bits *= 2) {
        x64_bswap(&l.x, bits, r);
        expect("bswap %s", gpr(bits, r));
    }
    for (unsigned cc = CC_O; cc <= CC_G; cc++) {
        x64_setcc(&l.x, cc, r);
        expect("set%s %s", cc_name(cc), gpr(8, r));
    }
}

static void integers_with_immediate(unsigned r, unsigned bits, int32_t imm)
{
    for (unsigned op = X64_ADD; op <= X64_CMP; op++) {
        x64_alu_ri(&l.x, op, bits, r, imm);
        expect("%s %s,%s", alu_names[op], gpr(bits, r), imm_text(bits, imm).s);
    }
    /* The low byte alone gives the same flags. */
    unsigned tested = imm >= 0 && imm <= 0x7f ? 8 : bits;
    x64_test_ri(&l.x, bits, r, imm);
    expect("test %s,%s", gpr(tested, r), imm_text(tested, imm).s);
}

static void integers_of_memory(unsigned r, struct x64_mem m)
{
    for (unsigned i = 0; i < SIZES; i++) {
        for (unsigned op = X64_ADD; op <= X64_CMP; op++) {
            x64_alu_rm(&l.x, op, sizes[i], r, m);
            expect("%s %s,%s", alu_names[op], gpr(sizes[i], r), mem(sizes[i], m).s);
        }
    }
}

static void memory_with_immediate(struct x64_mem m)
{
    for (unsigned i = 0; i < SIZES; i++) {
        for (size_t n = 0; n < COUNT(immediates); n++) {
            struct text imm = imm_text(sizes[i], immediates[n]);
            x64_store_i(&l.x, sizes[i], m, immediates[n]);
            expect("mov %s,%s", mem(sizes[i], m).s, imm.s);
            for (unsigned op = X64_ADD; op <= X64_CMP; op++) {
                x64_alu_mi(&l.x, op, sizes[i], m, immediates[n]);
                expect("%s %s,%s", alu_names[op], mem(sizes[i], m).s, imm.s);
            }
        }
    }
    for (unsigned cc = CC_O; cc <= CC_G; cc++) {
        x64_setcc_m(&l.x, cc, m);
        expect("set%s %s", cc_name(cc), mem(8, m).s);
    }
    x64_jmp_m(&l.x, m);
    expect("jmp %s", mem(64, m).s);
}

/* ---- control --------------------------------------------------------------------------------- */

/* Branches to earlier and to later code. */
static void list_branches(void)
{
    const uint8_t *targets[] = {l.x.start, l.x.at, l.x.start + 0x123456};
    for (size_t i = 0; i < COUNT(targets); i++) {
        long long target = targets[i] - l.x.start;
        x64_jmp_to(&l.x, targets[i]);
        expect("jmp 0x%llx", target);
        x64_patch(x64_jmp(&l.x), targets[i], 0);
        expect("jmp 0x%llx", target);
        x64_patch(x64_call(&l.x), targets[i], 0);
        expect("call 0x%llx", target);
        for (unsigned cc = CC_O; cc <= CC_G; cc++) {
            x64_jcc_to(&l.x, cc, targets[i]);
            expect("j%s 0x%llx", cc_name(cc), target);
            x64_patch(x64_jcc(&l.x, cc), targets[i], 0);
            expect("j%s 0x%llx", cc_name(cc), target);
        }
    }
}

static void list_control_flow(void)
{
    list_branches();
    for (unsigned r = 0; r < 16; r++) {
        x64_jmp_r(&l.x, r);
        expect("jmp %s", gpr(64, r));
        x64_call_r(&l.x, r);
        expect("call %s", gpr(64, r));
    }
    x64_ret(&l.x);
    expect("ret");
    x64_ud2(&l.x);
    expect("ud2");
    x64_ldmxcsr(&l.x, x64_at(RSP, -8));
    expect("ldmxcsr DWORD PTR [rsp-0x8]");
    x64_ldmxcsr(&l.x, x64_at(R13, 0x1234));
    expect("ldmxcsr DWORD PTR [r13+0x1234]");
    x64_cqo(&l.x, 32);
    expect("cdq");
    x64_cqo(&l.x, 64);
    expect("cqo");
    static const char *const nops[] = {"nop",
                                       "xchg ax,ax",
                                       "nop DWORD PTR [rax]",
                                       "nop DWORD PTR [rax+0x0]",
                                       "nop DWORD PTR [rax+rax*1+0x0]",
                                       "nop WORD PTR [rax+rax*1+0x0]",
                                       "nop DWORD PTR [rax+0x0]",
                                       "nop DWORD PTR [rax+rax*1+0x0]",
                                       "nop WORD PTR [rax+rax*1+0x0]"};
    for (unsigned n = 1; n <= COUNT(nops); n++) {
        x64_nop(&l.x, n);
        expect("%s", nops[n - 1]);
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

void list_integers(void)
{
    list_control_flow();
    for (unsigned d = 0; d < 16; d++) {
        moves_of_values(d);
        integers_of_one(d);
        for (unsigned i = 0; i < SIZES; i++)
            for (size_t n = 0; n < COUNT(immediates); n++)
                integers_with_immediate(d, sizes[i], immediates[n]);
        for (unsigned s = 0; s < 16; s++) {
            moves_of_registers(d, s);
            integers_of_registers(d, s);
        }
    }
    for (size_t i = 0; i < mems.all_count; i++) {
        x64_load(&l.x, 64, i % 16, mems.all[i]);
        expect("mov %s,%s", gpr(64, i % 16), mem(64, mems.all[i]).s);
    }
    for (size_t i = 0; i < mems.some_count; i++) {
        memory_with_immediate(mems.some[i]);
        for (unsigned r = 0; r < 16; r++)
            loads_and_stores(r, mems.some[i]);
        /* Every register, but with only some of the bases. */
        for (unsigned r = (unsigned)i % 5; r < 16; r += 5)
            integers_of_memory(r, mems.some[i]);
    }
}
