/*
 * The result of each pass on small functions, as text; reads of unset variables; known bits of
 * values.
 */
#include "gencc/ir/pass.h"
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

static bool run_ssa(struct ir_func *f)
{
    return ir_pass_ssa(f, NULL);
}
static bool run_inline(struct ir_func *f)
{
    return ir_pass_inline(f, 24);
}
static bool run_inline_choices(struct ir_func *f)
{
    return ir_pass_inline_choices(f, 24);
}
static bool run_fixedness(struct ir_func *f)
{
    ir_pass_fixedness(f);
    return true;
}
static bool run_optimise(struct ir_func *f)
{
    ir_optimise(f, NULL);
    return true;
}
/* Runs folding, then removes what it left unused. */
static bool run_fold(struct ir_func *f)
{
    bool changed = false;

    while (ir_pass_constprop(f))
        changed = true;
    ir_pass_dce(f);
    return changed;
}

#define H  "helper f(uint8 a, uint32 b, uint64 c, sint32 s) -> uint8 {\nb0:\n"
#define H4 "helper f(uint8 a, uint32 b, uint64 c, sint32 s) -> uint32 {\nb0:\n"
#define H8 "helper f(uint8 a, uint32 b, uint64 c, sint32 s) -> uint64 {\nb0:\n"
#define A  "%0 = param uint8 0\n"
#define B  "%0 = param uint32 1\n"
#define C  "%0 = param uint64 2\n"
#define X  "execute f() -> void format FMT {\nb0:\n"

struct row {
    bool (*run)(struct ir_func *f);
    const char *before, *after; /* after: text that must occur; NULL: the pass changes nothing */
    const char *without;        /* text that must not occur, or NULL */
};

static const struct row rows[] = {
    /* folding */
    {run_fold, H4 B "%1 = sub uint32 %0, %0\nret %1\n}", "const uint32 0x0", "sub"},
    {run_fold, H4 B "%1 = const uint32 8\n%2 = mul uint32 %1, %0\nret %2\n}", "shl uint32 %0",
     "mul"},
    {run_fold, H4 B "%1 = const uint32 8\n%2 = mod uint32 %0, %1\nret %2\n}", "const uint32 0x7",
     "mod"},
    {run_fold, H4 B "%1 = const uint8 4\n%2 = shl uint32 %0, %1\n%3 = shr uint32 %2, %1\nret %3\n}",
     "const uint32 0xfffffff", "shr"},
    /* a slice becomes a shift and a mask */
    {run_fold,
     H4 B "%1 = const uint32 0xff0\n%2 = and uint32 %0, %1\n%3 = const uint8 4\n"
          "%4 = shr uint32 %2, %3\nret %4\n}",
     "const uint32 0xff\n", "0xff0"},
    /* a mask of bits that are clear anyway is removed */
    {run_fold,
     H8 A "%1 = convert uint64 %0\n%2 = const uint64 0xfff\n%3 = and uint64 %1, %2\n"
          "ret %3\n}",
     "ret %1", "and"},
    /* narrowing and widening again */
    {run_fold, H8 C "%1 = convert uint8 %0\n%2 = convert uint64 %1\nret %2\n}", "and uint64 %0",
     "convert"},
    {run_fold, H A "%1 = convert uint64 %0\n%2 = convert uint8 %1\nret %2\n}", "ret %0", "convert"},
    /* ranges decide comparisons: an 8-bit number is below 256, and so is a shifted one */
    {run_fold,
     H A "%1 = convert uint32 %0\n%2 = const uint32 0x100\n%3 = lt uint8 %1, %2\nret %3\n}",
     "const uint8 0x1", "lt"},
    {run_fold,
     H B "%1 = const uint8 30\n%2 = shr uint32 %0, %1\n%3 = const uint32 3\n"
         "%4 = gt uint8 %2, %3\nret %4\n}",
     "const uint8 0x0", "gt"},
    /* (2 to 5) - (0 to 2) may wrap; (4 to 7) - (0 to 2) is 2 to 7 */
    {run_fold,
     H B "%1 = const uint32 3\n%2 = and uint32 %0, %1\n%3 = const uint32 4\n"
         "%4 = or uint32 %2, %3\n%5 = const uint32 2\n%6 = const uint8 3\n%7 = shr uint32 %0, %6\n"
         "%8 = and uint32 %7, %5\n%9 = sub uint32 %4, %8\n%10 = const uint32 1\n"
         "%11 = gt uint8 %9, %10\nret %11\n}",
     "const uint8 0x1", "gt"},
    {run_fold,
     H B "%1 = const uint32 3\n%2 = and uint32 %0, %1\n%5 = const uint32 2\n%6 = const uint8 3\n"
         "%7 = shr uint32 %0, %6\n%8 = and uint32 %7, %5\n%9 = sub uint32 %2, %8\n"
         "%10 = const uint32 9\n%11 = lt uint8 %9, %10\nret %11\n}",
     "lt uint8", NULL},
    {run_fold,
     H B "%1 = const uint32 1\n%2 = and uint32 %0, %1\n%3 = const uint32 0\n"
         "%4 = ne uint8 %2, %3\nret %4\n}",
     "convert uint8", "ne"},
    {run_fold, H B "%1 = lt uint8 %0, %2\n%2 = param uint32 1\nret %1\n}", NULL, NULL},
    {run_fold, H B "%1 = const uint32 5\n%2 = add uint32 %0, %1\n%3 = eq uint8 %2, %1\nret %3\n}",
     "const uint32 0x0", "add"},
    {run_fold,
     H B "%1 = const uint32 5\n%2 = lt uint8 %0, %1\n%3 = const uint8 0\n%4 = eq uint8 %2, %3\n"
         "ret %4\n}",
     "ge uint8 %0", "eq"},
    /* selects */
    {run_fold,
     H4 A "%1 = const uint32 1\n%2 = const uint32 0\n%3 = const uint8 1\n%4 = and uint8 %0, %3\n"
          "%5 = select uint32 %4, %1, %2\nret %5\n}",
     "convert uint32", "select"},
    {run_fold, H4 B "%1 = const uint8 0\n%2 = select uint32 %1, %1, %0\nret %2\n}", "ret %0",
     "select"},
    /* vectors */
    {run_fold,
     H4 B "%1 = splat uint32[4] %0\n%2 = const uint8 3\n%3 = extract uint32 %1, %2\nret %3\n}",
     "ret %0", "extract"},
    {run_fold,
     H8 B "%1 = const uint32 7\n%2 = build uint32[2] %1, %1\n%3 = bitcast uint64 %2\nret %3\n}",
     "const uint64 0x700000007", "build"},
    {run_fold,
     H8 B "%1 = const uint32 7\n%2 = const uint32 8\n%3 = build uint32[2] %1, %2\n"
          "%4 = bitcast uint64 %3\nret %4\n}",
     "const uint64 0x800000007", "build"},
    {run_fold,
     H4 B "%1 = const uint8 0\n%2 = const uint8 1\n%3 = const uint32[2] 0\n"
          "%4 = insert uint32[2] %3, %1, %0\n%5 = insert uint32[2] %4, %2, %0\n"
          "%6 = add uint32[2] %5, %5\n%7 = extract uint32 %6, %1\nret %7\n}",
     "splat uint32[2] %0", "insert"},
    /* intrinsics */
    {run_fold, H4 "%0 = const uint32 16\n%1 = intrinsic uint32 __builtin_clz32(%0)\nret %1\n}",
     "const uint32 0x1b", "intrinsic"},
    {run_fold,
     H B "%1 = intrinsic uint32 __builtin_clz32(%0)\n%2 = const uint32 32\n"
         "%3 = le uint8 %1, %2\nret %3\n}",
     "const uint8 0x1", "le"},
    /* floats: rounding operations are left to the host */
    {run_fold,
     "helper f() -> float {\nb0:\n%0 = const float 0x3f800000\n%1 = const float 0x40400000\n"
     "%2 = div float %0, %1\nret %2\n}",
     NULL, NULL},
    {run_fold,
     "helper f() -> float {\nb0:\n%0 = const double 0x3ff8000000000000\n%1 = convert float %0\n"
     "ret %1\n}",
     "const float 0x3fc00000", "convert"},
    {run_fold,
     "helper f() -> float {\nb0:\n%0 = const uint32 0x1000001\n%1 = convert float %0\nret %1\n}",
     NULL, NULL},
    {run_fold,
     "helper f() -> uint8 {\nb0:\n%0 = const float 0x7fc00000\n%1 = eq uint8 %0, %0\nret %1\n}",
     "const uint8 0x0", "eq"},
    /* a PHI whose inputs are one value */
    {run_fold, H4 B "br b1\nb1:\n%1 = phi uint32 b0: %0, b1: %1\ncbr %0, b1, b2\nb2:\nret %1\n}",
     "ret %0", "phi"},

    /* common subexpressions: in order of blocks, not across branches */
    {ir_pass_gvn,
     H4 B "%1 = param uint32 1\n%2 = add uint32 %0, %1\n%3 = add uint32 %1, %0\n"
          "%4 = mul uint32 %2, %3\nret %4\n}",
     "mul uint32 %2, %2", "%3"},
    {ir_pass_gvn,
     H4 B "cbr %0, b1, b2\nb1:\n%1 = not uint32 %0\nret %1\nb2:\n%2 = not uint32 %0\nret %2\n}",
     NULL, NULL},
    {ir_pass_gvn,
     X "%0 = reg.read uint64 PC\n%1 = reg.read uint64 PC\nreg.write PC, %1\n"
       "%2 = reg.read uint64 PC\nreg.write PC, %2\nret\n}",
     "reg.write PC, %0\n    reg.write PC, %0", "%1"},
    {ir_pass_gvn,
     X "%0 = reg.read uint64 PC\n%1 = intrinsic void write_pc(%0)\n%2 = reg.read uint64 PC\n"
       "reg.write PC, %2\nret\n}",
     NULL, NULL},
    /* X[1] and W[1] share bytes, X[1] and W[2] do not */
    {ir_pass_gvn,
     X "%0 = const uint8 1\n%1 = reg.read uint64 X[%0]\n%2 = const uint32 5\nreg.write W[%0], %2\n"
       "%3 = reg.read uint64 X[%0]\nreg.write PC, %3\nret\n}",
     NULL, NULL},
    {ir_pass_gvn,
     X "%0 = const uint8 1\n%1 = reg.read uint64 X[%0]\n%2 = const uint32 5\n%4 = const uint8 2\n"
       "reg.write W[%4], %2\n%3 = reg.read uint64 X[%0]\nreg.write PC, %3\nret\n}",
     "reg.write PC, %1", "%3"},

    /* unused values and writes */
    {ir_pass_dce, H A "%1 = not uint8 %0\n%2 = not uint8 %1\nret %0\n}", "ret %0", "not"},
    {ir_pass_dce,
     X "%0 = const uint64 1\nreg.write PC, %0\n%1 = const uint64 2\nreg.write PC, %1\nret\n}",
     "reg.write PC, %1", "%0"},
    {ir_pass_dce,
     X "%0 = const uint64 1\nreg.write PC, %0\n%2 = intrinsic uint64 read_pc()\n"
       "reg.write PC, %2\nret\n}",
     NULL, NULL},
    {ir_pass_dce,
     X "%0 = const uint64 1\n%1 = intrinsic void write_pc(%0)\n%2 = intrinsic uint64 read_pc()\n"
       "ret\n}",
     "write_pc(%0)", "read_pc"},

    /* control flow */
    {ir_pass_cfg, H A "%1 = const uint8 0\ncbr %1, b1, b2\nb1:\nret %1\nb2:\nret %0\n}", "ret %0",
     "b1"},
    {ir_pass_cfg, H A "br b1\nb1:\nbr b2\nb2:\nret %0\n}",
     "b0:\n    %0 = param uint8 0\n    ret %0", "br"},
    {ir_pass_cfg,
     H A "%1 = const uint8 3\n%2 = and uint8 %0, %1\nswitch %2, b1 [0x1: b2, 0x9: b3]\nb1:\n"
         "ret %0\nb2:\nret %1\nb3:\nret %2\n}",
     "switch %2, b1 [0x1: b2]", "b3"},
    {ir_pass_cfg, H A "switch %0, b1 [0x1: b1, 0x9: b1]\nb1:\nret %0\n}", "ret %0", "switch"},
    {ir_pass_cfg,
     H B "%1 = const uint8 7\n%2 = const uint8 9\ncbr %0, b1, b2\nb1:\nbr b2\nb2:\n"
         "%3 = phi uint8 b0: %1, b1: %2\nret %3\n}",
     "select uint8 %8, %2, %1", "cbr"},
    {ir_pass_cfg, H A "%1 = not uint8 %0\ncbr %0, b1, b2\nb1:\nret %0\nb2:\nret %1\n}",
     "select uint8 %0, %0, %1", "cbr"},
    /* both sides write the PC: one write of a SELECT */
    {ir_pass_cfg,
     X "%0 = reg.read uint64 PC\ncbr %0, b1, b2\nb1:\n%1 = intrinsic uint64 read_pc()\n"
       "%2 = intrinsic void write_pc(%1)\nbr b3\nb2:\n%3 = const uint64 8\n"
       "%4 = intrinsic void write_pc(%3)\nbr b3\nb3:\nret\n}",
     "%11 = select uint64 %10, %1, %3\n    %2 = intrinsic void write_pc(%11)\n    ret", "cbr"},
    {ir_pass_cfg,
     X "%0 = reg.read uint64 PC\ncbr %0, b1, b2\nb1:\n%1 = intrinsic void write_pc(%0)\nbr b3\n"
       "b2:\nreg.write PC, %0\n%2 = intrinsic void write_pc(%0)\nbr b3\nb3:\nret\n}",
     NULL, NULL},
    /* bodies with too much work or with effects stay behind their branch */
    {ir_pass_cfg,
     X "%0 = const uint64 1\ncbr %0, b1, b2\nb1:\nreg.write PC, %0\nbr b2\nb2:\nret\n}", "ret",
     "cbr"},
    {ir_pass_cfg,
     X "%0 = reg.read uint64 PC\ncbr %0, b1, b2\nb1:\nreg.write PC, %0\nbr b2\nb2:\nret\n}", NULL,
     NULL},
    /* if (a && b) through a PHI needs no second branch on it */
    {ir_pass_cfg,
     X "%0 = reg.read uint64 PC\n%1 = const uint8 0\n%2 = convert uint8 %0\ncbr %0, b1, b2\nb1:\n"
       "%3 = intrinsic uint64 read_pc()\n%4 = convert uint8 %3\nbr b2\nb2:\n"
       "%5 = phi uint8 b0: %1, b1: %4\ncbr %5, b3, b4\nb3:\nreg.write PC, %0\nbr b4\nb4:\nret\n}",
     "cbr %0, b1, b4", "phi"},
    {ir_pass_cfg,
     H A
     "%1 = const uint8 0\n%2 = eq uint8 %0, %1\ncbr %2, b1, b2\nb1:\n%3 = intrinsic void trap()\n"
     "unreachable\nb2:\nret %0\n}",
     "cbr %0, b2, b1", NULL},

    /* inlining */
    {run_inline,
     H A "%1 = call uint8 two(%0)\n%2 = result uint16 %1, 1\n%3 = convert uint8 %2\nret %3\n}",
     "convert uint16", "call"},
    {run_inline, H A "%1 = call void never(%0)\nret %0\n}", "trap", "call"},
    {run_inline, H A "%1 = call uint8 self(%0)\nret %1\n}", NULL, NULL},
    {run_inline, H A "%1 = call uint8 apart(%0)\nret %1\n}", NULL, NULL},
    {run_optimise, H A "%1 = call uint8 pick(%0)\nret %1\n}", "select", "call"},
    {run_inline_choices, X "%0 = field uint8 FMT.rn\n%1 = call uint8 cases(%0)\nret\n}", "switch",
     "call uint8 cases"},
    {run_inline_choices, H A "%1 = call uint8 cases(%0)\nret %1\n}", "call uint8 cases", "switch"},
    {run_inline_choices, X "%0 = field uint8 FMT.rn\n%1 = call uint8 apart(%0)\nret\n}",
     "call uint8 apart", NULL},

    /* fixedness: values that depend on the instruction alone are printed with '!' */
    {run_fixedness,
     X "%0 = field uint8 FMT.rn\n%1 = not uint8 %0\ncbr %1, b1, b2\nb1:\nbr b2\nb2:\n"
       "%2 = phi uint8 b0: %0, b1: %1\nreg.write X[%2], %3\n%3 = reg.read uint64 X[%2]\nret\n}",
     "b2 !:\n    %2! = phi", "%3!"},
    {run_fixedness,
     X "%0 = field uint8 FMT.rn\n%1 = reg.read uint64 PC\ncbr %1, b1, b2\nb1:\nbr b2\nb2:\n"
       "%2 = phi uint8 b0: %0, b1: %0\n%3 = not uint8 %0\nret\n}",
     "b2:\n    %2 = phi uint8 b0: %0, b1: %0\n    %3! = not", "b1 !"},
    {run_fixedness,
     X "%0 = const uint32 0\nbr b1\nb1:\n%1 = phi uint32 b0: %0, b2: %3\n%2 = const uint32 9\n"
       "%4 = lt uint8 %1, %2\ncbr %4, b2, b3\nb2:\n%3 = add uint32 %1, %2\nbr b1\nb3:\nret\n}",
     "%1! = phi", "b3:"},
    {run_fixedness,
     X "%0 = const uint32 0\n%1 = intrinsic uint32 __builtin_get_feature(%0)\nret\n}",
     "%1! = intrinsic", NULL},
    {run_fixedness, X "%1 = intrinsic uint64 read_pc()\nret\n}", "%1 = intrinsic", "%1!"},

    /* variables */
    {run_ssa,
     "helper f(uint8 a) -> uint8 {\nvar $0 uint8 x\nb0:\n%0 = param uint8 0\nvar.write $0, %0\n"
     "cbr %0, b1, b2\nb1:\n%1 = const uint8 1\nvar.write $0, %1\nbr b2\nb2:\n%2 = var.read uint8 "
     "$0\n"
     "ret %2\n}",
     "phi uint8 b0: %0, b1: %1", "var"},
    {run_ssa,
     "helper f(uint8 a) -> uint8 {\nvar $0 uint8 x\nvar $1 uint8 y\nb0:\n%0 = param uint8 0\n"
     "var.write $0, %0\n%1 = var.read uint8 $0\nvar.write $1, %1\n%2 = var.read uint8 $1\nret "
     "%2\n}",
     "ret %0", "phi"},
};

static const char *const callees[] = {
    "helper two(uint8 x) -> uint8, uint16 {\nb0:\n%0 = param uint8 0\n%1 = convert uint16 %0\n"
    "cbr %0, b1, b2\nb1:\nret %0, %1\nb2:\n%2 = not uint8 %0\nret %2, %1\n}",
    "helper never(uint8 x) -> void {\nb0:\n%0 = intrinsic void trap()\nunreachable\n}",
    "helper self(uint8 x) -> uint8 {\nb0:\n%0 = param uint8 0\nret %0\n}",
    "helper apart(uint8 x) -> uint8 noinline {\nb0:\n%0 = param uint8 0\nret %0\n}",
    "helper pick(uint8 x) -> uint8 {\nb0:\n%0 = param uint8 0\ncbr %0, b1, b2\nb1:\nret %0\nb2:\n"
    "%1 = not uint8 %0\nret %1\n}",
    "helper cases(uint8 x) -> uint8 noinline {\nb0:\n%0 = param uint8 0\nswitch %0, b1 [0x1: b2]\n"
    "b1:\nret %0\nb2:\n%1 = not uint8 %0\nret %1\n}",
};

/* Makes `self` call itself, which its text cannot express when it is parsed. */
static void make_recursive(struct ir_func *f)
{
    struct ir_value *ret = f->blocks.data[0]->last;
    struct ir_builder b = {.func = f, .block = f->blocks.data[0]};
    struct ir_value *call;

    ir_remove(ret);
    call = ir_call(&b, f, 1, &f->blocks.data[0]->first);
    ir_ret(&b, 1, &call);
}

static void open_world(struct world *w)
{
    world_open(w);
    for (size_t i = 0; i < sizeof(callees) / sizeof(*callees); i++)
        if (!world_parse(w, callees[i]))
            fail_msg("%s", world_messages(w));
    make_recursive(w->funcs.data[2]);
}

static void passes_change_text(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const struct row *r = &rows[i];
        char *before, *after;
        struct ir_func *f;
        struct world w;

        open_world(&w);
        f = world_parse(&w, r->before);
        if (!f)
            fail_msg("%s: %s", r->before, world_messages(&w));
        before = world_print(&w, f);
        r->run(f);
        after = world_print(&w, f);
        if (!r->after && strcmp(before, after))
            fail_msg("row %zu changed to\n%s", i, after);
        if (r->after && (!strstr(after, r->after) || (r->without && strstr(after, r->without))))
            fail_msg("row %zu gives\n%swith '%s', without '%s'", i, after, r->after,
                     r->without ? r->without : "");
        world_close(&w);
    }
}

/* ---- reads of what is not set ---------------------------------------------------------------- */

#define VARS \
    "helper f(uint8 a) -> uint8 {\nvar $0 uint8 x\nvar $1 uint32[4] v\nb0:\n%0 = param uint8 0\n"

static void unset_variables(void **state)
{
    static const struct {
        const char *text, *message;
        unsigned errors;
    } table[] = {
        {VARS "%1 = var.read uint8 $0\nret %1\n}",
         "6:1: error: variable 'x' is read before it is set", 1},
        {VARS "%1 = var.read uint8 $0\n%2 = var.read uint8 $0\nret %2\n}", "'x' is read", 1},
        {VARS
         "cbr %0, b1, b2\nb1:\nvar.write $0, %0\nbr b2\nb2:\n%1 = var.read uint8 $0\nret %1\n}",
         "variable 'x' may be read before it is set", 1},
        {VARS "br b1\nb1:\ncbr %0, b2, b3\nb2:\n%1 = var.read uint8 $0\n%2 = not uint8 "
              "%1\nvar.write $0, %2\nbr "
              "b1\nb3:\nret %0\n}",
         "'x' may be read", 1},
        {VARS "cbr %0, b1, b2\nb1:\nbr b2\nb2:\n%1 = var.read uint8 $0\nret %1\n}", "'x' is read",
         1},
        {VARS
         "cbr %0, b1, b2\nb1:\n%2 = intrinsic void trap()\nunreachable\nb2:\nvar.write $0, %0\n"
         "%1 = var.read uint8 $0\nret %1\n}",
         "", 0},
        {VARS "cbr %0, b1, b2\nb1:\nvar.write $0, %0\nbr b2\nb2:\nret %0\n}", "", 0},
        /* elements set one by one */
        {VARS "%1 = var.read uint32[4] $1\n%2 = const uint32 1\n%3 = insert uint32[4] %1, %0, %2\n"
              "var.write $1, %3\n%4 = var.read uint32[4] $1\n%5 = extract uint32 %4, %0\nret %0\n}",
         "", 0},
        {VARS "%1 = var.read uint32[4] $1\n%2 = extract uint32 %1, %0\nret %0\n}",
         "variable 'v' is read", 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        struct world w;
        struct ir_func *f;

        world_open(&w);
        f = world_parse(&w, table[i].text);
        if (!f)
            fail_msg("%s", world_messages(&w));
        assert_true(ir_pass_ssa(f, &w.diag));
        if (w.diag.errors != table[i].errors || !strstr(world_messages(&w), table[i].message))
            fail_msg("row %zu: %u errors: %s", i, w.diag.errors, world_messages(&w));
        assert_true(ir_verify(&w.diag, f));
        assert_int_equal(f->vars.len, 0);
        world_close(&w);
    }
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void summaries_of_effects(void **state)
{
    static const struct {
        const char *text;
        bool pure, reading;
    } table[] = {
        {H A "%1 = not uint8 %0\nret %1\n}", true, true},
        {H A "%1 = intrinsic uint64 read_pc()\nret %0\n}", false, true},
        {H A "%1 = reg.read uint64 PC\nret %0\n}", false, true},
        {H A "%1 = reg.read uint64 PC\nreg.write PC, %1\nret %0\n}", false, false},
        {H A "%1 = intrinsic void trap()\nunreachable\n}", false, false},
        {H A "%1 = call uint8 pick(%0)\nret %1\n}", true, true},
        {H A "%1 = call void never(%0)\nret %0\n}", false, false},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        struct world w;
        struct ir_func *f;

        open_world(&w);
        vec_for_each (&w.funcs, g)
            ir_summarise(*g);
        f = world_parse(&w, table[i].text);
        ir_summarise(f);
        assert_int_equal(f->is_pure, table[i].pure);
        assert_int_equal(f->is_reading, table[i].reading);
        world_close(&w);
    }
}

static void specialised_functions(void **state)
{
    struct world w;
    struct ir_func *f, *s;
    struct field *fields[2];
    const u128 values[] = {1, 0x105};
    char *text;

    (void)state;
    open_world(&w);
    f = world_parse(&w, X
                    "%0 = field uint8 FMT.sf\n%1 = field uint8 FMT.rn\n%5 = field uint8 FMT.rd\n"
                    "%2 = reg.read uint64 X[%1]\ncbr %0, b1, b2\nb1:\nreg.write X[%5], %2\nbr b2\n"
                    "b2:\nret\n}");
    text = world_print(&w, f);
    fields[0] = &w.fields[0];
    fields[1] = &w.fields[1];
    s = ir_specialise(f->arena, f, "g", 2, fields, values);
    assert_string_equal(s->name, "g");
    assert_true(ir_verify(&w.diag, s));
    assert_string_equal(world_print(&w, f), text);
    text = world_print(&w, s);
    assert_null(strstr(text, "cbr"));
    assert_null(strstr(text, "FMT.rn"));
    assert_non_null(strstr(text, "FMT.rd"));
    assert_non_null(strstr(text, "const uint8 0x5"));
    world_close(&w);
}

/* A malformed function is reported, not optimised. */
static void malformed_functions(void **state)
{
    struct world w;
    struct ir_func *f;

    (void)state;
    open_world(&w);
    f = world_parse(&w, H A "%1 = add uint8 %0\nret %1\n}");
    ir_optimise(f, &w.diag);
    assert_int_equal(w.diag.errors, 1);
    assert_non_null(strstr(world_messages(&w), "internal error: IR of 'f', block b0, %1 (add)"));
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(passes_change_text),   cmocka_unit_test(unset_variables),
        cmocka_unit_test(summaries_of_effects), cmocka_unit_test(specialised_functions),
        cmocka_unit_test(malformed_functions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
