/*
 * The passes over the code of a trace: values that only unlikely blocks use (sink.c), tests for
 * NaNs that nothing depends on (nans.c), and the order of operations (interleave.c). Each case is a
 * function before the pass, and after it as worked out by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>
#include <llvm-c/IRReader.h>

#include "runtime/base/bits.h"
#include "runtime/gpu/translate/internal.h"

enum { TEXT = 65536 };

typedef void pass_fn(struct jit_build *j);

/* Writes to a text of TEXT bytes from position n on. Returns the position behind. */
static int __attribute__((format(printf, 3, 4))) put(char *text, int n, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    n += vsnprintf(text + n, (size_t)(TEXT - n), format, args);
    va_end(args);
    assert_in_range(n, 0, TEXT - 1);
    return n;
}

static struct llvm api;
static __typeof__(LLVMParseIRInContext) *parse_ir;

static int load(void **state)
{
    (void)state;
    if (!llvm_load(&api, NULL))
        return -1;
    *(void **)&parse_ir = dlsym(api.library, "LLVMParseIRInContext");
    return parse_ir ? 0 : -1;
}

/* Parses a module and runs the pass (NULL: none) on its first function. Returns the module's text,
 * to be released by DisposeMessage. */
static char *after_pass(pass_fn *pass, const char *text)
{
    struct jit_build j = {.l = &api, .x = api.ContextCreate()};
    LLVMMemoryBufferRef buffer =
        api.CreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "passes");
    char *out, *message = NULL;

    if (parse_ir(j.x, buffer, &j.module, &message))
        fail_msg("%s in:\n%s", message, text);
    j.b = api.CreateBuilderInContext(j.x);
    j.f32 = api.FloatTypeInContext(j.x);
    j.fn = api.GetFirstFunction(j.module);
    if (pass)
        pass(&j);
    out = api.PrintModuleToString(j.module);
    if (api.VerifyFunction(j.fn, LLVMReturnStatusAction))
        fail_msg("not valid:\n%s", out);
    api.DisposeBuilder(j.b);
    api.DisposeModule(j.module);
    api.ContextDispose(j.x);
    return out;
}

static void expect(pass_fn *pass, const char *before, const char *after)
{
    char *found = after_pass(pass, before), *expected = after_pass(NULL, after);

    if (strcmp(found, expected))
        fail_msg("found:\n%s\nexpected:\n%s", found, expected);
    api.DisposeMessage(found);
    api.DisposeMessage(expected);
}

/* ---- unlikely blocks ------------------------------------------------------------------------- */

/* Weights of branches: !0 makes the second way unlikely, !1 the first. */
#define WEIGHTS                                     \
    "!0 = !{!\"branch_weights\", i32 100, i32 1}\n" \
    "!1 = !{!\"branch_weights\", i32 1, i32 100}\n" \
    "!2 = !{!\"branch_weights\", i32 99, i32 1}\n"

static void sinks(const char *before, const char *after)
{
    static char text[2][TEXT];

    put(text[0], 0, "%s\n" WEIGHTS, before);
    put(text[1], 0, "%s\n" WEIGHTS, after);
    expect(lanes_sink, text[0], text[1]);
}

/* A value moves to where it is used, and so does one that only this value uses. */
static void to_unlikely_block(void **state)
{
    (void)state;
    sinks("define i32 @f(i1 %c, i32 %a) {\n"
          "entry:\n"
          "  %v = add i32 %a, 1\n"
          "  %w = mul i32 %v, %v\n"
          "  br i1 %c, label %usual, label %slow, !prof !0\n"
          "usual:\n  ret i32 %a\n"
          "slow:\n  ret i32 %w\n}",
          "define i32 @f(i1 %c, i32 %a) {\n"
          "entry:\n"
          "  br i1 %c, label %usual, label %slow, !prof !0\n"
          "usual:\n  ret i32 %a\n"
          "slow:\n  %0 = add i32 %a, 1\n  %1 = mul i32 %0, %0\n  ret i32 %1\n}");
    sinks("define i32 @f(i1 %c, i32 %a) {\n"
          "entry:\n"
          "  %v = add i32 %a, 1\n"
          "  br i1 %c, label %slow, label %usual, !prof !1\n"
          "usual:\n  ret i32 %a\n"
          "slow:\n  ret i32 %v\n}",
          "define i32 @f(i1 %c, i32 %a) {\n"
          "entry:\n"
          "  br i1 %c, label %slow, label %usual, !prof !1\n"
          "usual:\n  ret i32 %a\n"
          "slow:\n  %0 = add i32 %a, 1\n  ret i32 %0\n}");
}

/* A use in a likely block, a ratio of weights below 100, weights that are missing or the other
 * way's, and a way of a switch: nothing moves. */
static void stays(void **state)
{
    static const char *const ways[] = {
        "br i1 %c, label %usual, label %slow, !prof !2",
        "br i1 %c, label %usual, label %slow",
        "br i1 %c, label %usual, label %slow, !prof !1",
        "br i1 %c, label %slow, label %usual, !prof !0",
        "switch i1 %c, label %usual [ i1 true, label %slow ], !prof !0",
    };
    static char text[TEXT];

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
        put(text, 0,
            "define i32 @f(i1 %%c, i32 %%a) {\n"
            "entry:\n  %%v = add i32 %%a, 1\n  %s\n"
            "usual:\n  ret i32 %%a\n"
            "slow:\n  ret i32 %%v\n}",
            ways[i]);
        sinks(text, text);
    }
    put(text, 0,
        "define i32 @f(i1 %%c, i32 %%a) {\n"
        "entry:\n  %%v = add i32 %%a, 1\n  br i1 %%c, label %%usual, label %%slow, !prof !0\n"
        "usual:\n  ret i32 %%v\n"
        "slow:\n  ret i32 %%v\n}");
    sinks(text, text);
}

/* The result of a load may differ elsewhere, and a call may have an effect. */
static void impure(void **state)
{
    static const char text[] = "define i32 @f(i1 %c, i32* %a) {\n"
                               "entry:\n"
                               "  %v = load i32, i32* %a\n"
                               "  %w = call i32 @g()\n"
                               "  br i1 %c, label %usual, label %slow, !prof !0\n"
                               "usual:\n  ret i32 0\n"
                               "slow:\n  %x = add i32 %v, %w\n  ret i32 %x\n}\n"
                               "declare i32 @g()";

    (void)state;
    sinks(text, text);
}

/* Each kind of operation that computes its result of its operands alone. */
static void pure(void **state)
{
    static const struct {
        const char *type, *operation, *result;
    } all[] = {
        {"i32", "add i32 %a, %a", "i32"},
        {"i32", "sub i32 %a, 1", "i32"},
        {"i32", "mul i32 %a, 3", "i32"},
        {"i32", "and i32 %a, 5", "i32"},
        {"i32", "or i32 %a, 5", "i32"},
        {"i32", "xor i32 %a, 5", "i32"},
        {"i32", "shl i32 %a, 5", "i32"},
        {"i32", "lshr i32 %a, 5", "i32"},
        {"i32", "ashr i32 %a, 5", "i32"},
        {"float", "fneg float %a", "float"},
        {"float", "fadd float %a, %a", "float"},
        {"float", "fsub float %a, 1.0", "float"},
        {"float", "fmul float %a, %a", "float"},
        {"i32", "zext i32 %a to i64", "i64"},
        {"i32", "sext i32 %a to i64", "i64"},
        {"i32", "trunc i32 %a to i8", "i8"},
        {"i32", "sitofp i32 %a to float", "float"},
        {"i32", "uitofp i32 %a to float", "float"},
        {"i32", "icmp eq i32 %a, 5", "i1"},
        {"float", "fcmp olt float %a, 1.0", "i1"},
        {"i32", "select i1 %c, i32 %a, i32 5", "i32"},
        {"i32", "bitcast i32 %a to float", "float"},
        {"i64", "inttoptr i64 %a to i8*", "i8*"},
        {"i8*", "ptrtoint i8* %a to i64", "i64"},
        {"i8*", "getelementptr i8, i8* %a, i64 5", "i8*"},
        {"<2 x i32>", "insertelement <2 x i32> %a, i32 5, i32 1", "<2 x i32>"},
        {"<2 x i32>", "extractelement <2 x i32> %a, i32 1", "i32"},
        {"<2 x i32>", "shufflevector <2 x i32> %a, <2 x i32> %a, <2 x i32> <i32 1, i32 0>",
         "<2 x i32>"},
    };
    static char before[TEXT], after[TEXT];

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
        put(before, 0,
            "define %s @f(i1 %%c, %s %%a) {\n"
            "entry:\n  %%v = %s\n  br i1 %%c, label %%usual, label %%slow, !prof !0\n"
            "usual:\n  ret %s undef\n"
            "slow:\n  ret %s %%v\n}",
            all[i].result, all[i].type, all[i].operation, all[i].result, all[i].result);
        put(after, 0,
            "define %s @f(i1 %%c, %s %%a) {\n"
            "entry:\n  br i1 %%c, label %%usual, label %%slow, !prof !0\n"
            "usual:\n  ret %s undef\n"
            "slow:\n  %%0 = %s\n  ret %s %%0\n}",
            all[i].result, all[i].type, all[i].result, all[i].operation, all[i].result);
        sinks(before, after);
    }
}

/* Blocks that an unlikely block dominates are one region with it: a single copy, at its start, even
 * if only the later ones use the value. A likely branch in it does not end it. */
static void one_copy_per_region(void **state)
{
    (void)state;
    sinks("define i32 @f(i1 %c, i1 %d, i32 %a) {\n"
          "entry:\n"
          "  %v = add i32 %a, 1\n"
          "  br i1 %c, label %usual, label %slow, !prof !0\n"
          "usual:\n  ret i32 %a\n"
          "slow:\n  %s = mul i32 %a, 3\n  br i1 %d, label %left, label %right\n"
          "left:\n  br label %join\n"
          "right:\n  %r = mul i32 %v, %v\n  br label %join\n"
          "join:\n"
          "  %p = phi i32 [ %s, %left ], [ %r, %right ]\n"
          "  %w = sub i32 %v, %p\n  ret i32 %w\n}",
          "define i32 @f(i1 %c, i1 %d, i32 %a) {\n"
          "entry:\n"
          "  br i1 %c, label %usual, label %slow, !prof !0\n"
          "usual:\n  ret i32 %a\n"
          "slow:\n"
          "  %0 = add i32 %a, 1\n  %s = mul i32 %a, 3\n  br i1 %d, label %left, label %right\n"
          "left:\n  br label %join\n"
          "right:\n  %r = mul i32 %0, %0\n  br label %join\n"
          "join:\n"
          "  %p = phi i32 [ %s, %left ], [ %r, %right ]\n"
          "  %w = sub i32 %0, %p\n  ret i32 %w\n}");
}

/* Two regions get a copy each. Where they join, behind likely blocks, is a third. */
static void several_regions(void **state)
{
    (void)state;
    sinks("define i32 @f(i1 %c, i1 %d, i32 %a) {\n"
          "entry:\n"
          "  %v = add i32 %a, 1\n"
          "  br i1 %c, label %next, label %first, !prof !0\n"
          "next:\n  br i1 %d, label %usual, label %second, !prof !0\n"
          "usual:\n  ret i32 %a\n"
          "first:\n  %x = mul i32 %v, 3\n  br label %join\n"
          "second:\n  %y = mul i32 %v, 5\n  br label %join\n"
          "join:\n"
          "  %p = phi i32 [ %x, %first ], [ %y, %second ]\n"
          "  %w = sub i32 %v, %p\n  ret i32 %w\n}",
          "define i32 @f(i1 %c, i1 %d, i32 %a) {\n"
          "entry:\n"
          "  br i1 %c, label %next, label %first, !prof !0\n"
          "next:\n  br i1 %d, label %usual, label %second, !prof !0\n"
          "usual:\n  ret i32 %a\n"
          "first:\n  %0 = add i32 %a, 1\n  %x = mul i32 %0, 3\n  br label %join\n"
          "second:\n  %1 = add i32 %a, 1\n  %y = mul i32 %1, 5\n  br label %join\n"
          "join:\n"
          "  %p = phi i32 [ %x, %first ], [ %y, %second ]\n"
          "  %2 = add i32 %a, 1\n  %w = sub i32 %2, %p\n  ret i32 %w\n}");
}

/* A phi uses a value at the end of the block that the value comes from. */
static void to_incoming_block(void **state)
{
    (void)state;
    sinks("define i32 @f(i1 %c, i32 %a) {\n"
          "entry:\n"
          "  %v = add i32 %a, 1\n"
          "  br i1 %c, label %usual, label %slow, !prof !0\n"
          "slow:\n  br label %usual\n"
          "usual:\n  %p = phi i32 [ %a, %entry ], [ %v, %slow ]\n  ret i32 %p\n}",
          "define i32 @f(i1 %c, i32 %a) {\n"
          "entry:\n"
          "  br i1 %c, label %usual, label %slow, !prof !0\n"
          "slow:\n  %0 = add i32 %a, 1\n  br label %usual\n"
          "usual:\n  %p = phi i32 [ %a, %entry ], [ %0, %slow ]\n  ret i32 %p\n}");
}

/* An unlikely branch from a likely block to phis gets a block, in which their values are made. */
static void to_new_block(void **state)
{
    (void)state;
    sinks("define i32 @f(i1 %c, i1 %d, i32 %a) {\n"
          "entry:\n"
          "  %v = add i32 %a, 1\n"
          "  br i1 %c, label %usual, label %out, !prof !0\n"
          "usual:\n"
          "  %w = mul i32 %a, 3\n"
          "  br i1 %d, label %out, label %end, !prof !1\n"
          "end:\n  ret i32 %a\n"
          "out:\n"
          "  %p = phi i32 [ %v, %entry ], [ %w, %usual ]\n"
          "  %q = phi i32 [ 7, %entry ], [ %a, %usual ]\n"
          "  %r = sub i32 %p, %q\n  ret i32 %r\n}",
          "define i32 @f(i1 %c, i1 %d, i32 %a) {\n"
          "entry:\n"
          "  br i1 %c, label %usual, label %2, !prof !0\n"
          "usual:\n"
          "  br i1 %d, label %4, label %end, !prof !1\n"
          "end:\n  ret i32 %a\n"
          "out:\n"
          "  %0 = phi i32 [ %3, %2 ], [ %5, %4 ]\n"
          "  %1 = phi i32 [ 7, %2 ], [ %a, %4 ]\n"
          "  %r = sub i32 %0, %1\n  ret i32 %r\n"
          "2:\n  %3 = add i32 %a, 1\n  br label %out\n"
          "4:\n  %5 = mul i32 %a, 3\n  br label %out\n}");
}

/* A loop in likely blocks: what is used behind its unlikely exit is computed there. What the phi of
 * the loop takes is used in the loop. */
static void out_of_loop(void **state)
{
    (void)state;
    sinks("define i32 @f(i1 %c, i32 %a) {\n"
          "entry:\n  br label %loop\n"
          "loop:\n"
          "  %i = phi i32 [ 0, %entry ], [ %n, %loop ]\n"
          "  %n = add i32 %i, 1\n"
          "  %v = mul i32 %i, %a\n"
          "  br i1 %c, label %loop, label %out, !prof !0\n"
          "out:\n  ret i32 %v\n}",
          "define i32 @f(i1 %c, i32 %a) {\n"
          "entry:\n  br label %loop\n"
          "loop:\n"
          "  %i = phi i32 [ 0, %entry ], [ %n, %loop ]\n"
          "  %n = add i32 %i, 1\n"
          "  br i1 %c, label %loop, label %out, !prof !0\n"
          "out:\n  %0 = mul i32 %i, %a\n  ret i32 %0\n}");
}

/* A use in a block that nothing reaches. */
static void not_reached(void **state)
{
    static const char text[] = "define i32 @f(i1 %c, i32 %a) {\n"
                               "entry:\n"
                               "  %v = add i32 %a, 1\n"
                               "  br i1 %c, label %usual, label %slow, !prof !0\n"
                               "usual:\n  ret i32 %a\n"
                               "slow:\n  ret i32 %v\n"
                               "never:\n  ret i32 %v\n}";

    (void)state;
    sinks(text, text);
}

/* Writes a function whose value %v is used in `regions` unlikely blocks; `moved`: in copies. */
static void put_regions(char *text, unsigned regions, bool moved)
{
    int n = put(text, 0, "define i32 @f(i1 %%c, i32 %%a) {\nentry:\n%s  br label %%b0\n",
                moved ? "" : "  %v = add i32 %a, 1\n");

    for (unsigned i = 0; i < regions; i++)
        n = put(text, n, "b%u:\n  br i1 %%c, label %%b%u, label %%s%u, !prof !0\n", i, i + 1, i);
    n = put(text, n, "b%u:\n  ret i32 0\n", regions);
    for (unsigned i = 0; i < regions; i++)
        n = moved ? put(text, n, "s%u:\n  %%%u = add i32 %%a, 1\n  ret i32 %%%u\n", i, i, i)
                  : put(text, n, "s%u:\n  ret i32 %%v\n", i);
    put(text, n, "}");
}

static void most_regions(void **state)
{
    static char before[TEXT], after[TEXT];

    (void)state;
    for (unsigned regions = 23; regions <= 26; regions++) {
        put_regions(before, regions, false);
        put_regions(after, regions, regions <= 24);
        sinks(before, after);
    }
}

/* ---- tests for NaNs -------------------------------------------------------------------------- */

#define NAN_TEXT "0x7FF8000000000000"

/* The second operation takes the first one's result without its test, which is spelled so. */
static void drops(const char *test, const char *select, bool dropped)
{
    static char text[2][TEXT];

    for (unsigned after = 0; after < 2; after++)
        put(text[after], 0,
            "define float @f(float %%a, float %%b) {\n"
            "entry:\n"
            "  %%s = fadd float %%a, %%b\n"
            "  %%n = fcmp %s\n"
            "  %%t = select i1 %%n, %s\n"
            "  %%m = fmul float %s, %%b\n"
            "  %%o = fcmp uno float %%m, %%m\n"
            "  %%u = select i1 %%o, float " NAN_TEXT ", float %%m\n"
            "  ret float %%u\n}",
            test, select, after && dropped ? "%s" : "%t");
    expect(lanes_drop_nan_tests, text[0], text[1]);
}

#define NAN_FIRST  "float " NAN_TEXT ", float %s"
#define NAN_SECOND "float %s, float " NAN_TEXT

static void forms_of_tests(void **state)
{
    (void)state;
    drops("uno float %s, %s", NAN_FIRST, true);
    drops("uno float %s, 0.0", NAN_FIRST, true);
    drops("une float %s, %s", NAN_FIRST, true);
    drops("ord float %s, %s", NAN_SECOND, true);
    drops("ord float %s, 0.0", NAN_SECOND, true);
    drops("oeq float %s, %s", NAN_SECOND, true);
}

static void other_selections(void **state)
{
    (void)state;
    drops("une float %s, 0.0", NAN_FIRST, false);
    drops("oeq float %s, 0.0", NAN_SECOND, false);
    drops("uno float %s, 1.0", NAN_FIRST, false);
    drops("uno float %s, %b", NAN_FIRST, false);
    drops("uno float %a, %a", NAN_FIRST, false);
    drops("ord float %s, %s", NAN_FIRST, false);
    drops("uno float %s, %s", NAN_SECOND, false);
    drops("olt float %s, %s", NAN_SECOND, false);
    drops("ueq float %s, %s", NAN_FIRST, false);
    drops("uno float %s, %s", "float 0x7FFC000000000000, float %s", false); /* another NaN */
    drops("uno float %s, %s", "float 1.0, float %s", false);
}

/* A result that is seen as it is needs tested operands; the second operation's bits may be seen by
 * `use` below. */
static void sees(const char *use, bool dropped)
{
    static char text[2][TEXT];

    for (unsigned after = 0; after < 2; after++)
        put(text[after], 0,
            "define float @f(float %%a, float %%b, float* %%p) {\n"
            "entry:\n"
            "  %%s = fadd float %%a, %%b\n"
            "  %%n = fcmp uno float %%s, %%s\n"
            "  %%t = select i1 %%n, float " NAN_TEXT ", float %%s\n"
            "  %%m = fmul float %s, %%b\n"
            "  %s\n"
            "  ret float 0.0\n}\n"
            "declare float @llvm.sqrt.f32(float)\ndeclare float @llvm.floor.f32(float)",
            after && dropped ? "%s" : "%t", use);
    expect(lanes_drop_nan_tests, text[0], text[1]);
}

#define TESTED_X              "float " NAN_TEXT ", float %x"
#define CHOICE(compare, arms) "%o = fcmp " compare "\n  %u = select i1 %o, " arms

static void who_sees(void **state)
{
    (void)state;
    sees("store float %m, float* %p", false);
    sees("%i = bitcast float %m to i32", false);
    sees("%o = fcmp olt float %m, 1.0", true);
    /* Taken where a comparison found a number. */
    sees(CHOICE("olt float %m, 1.0", "float %m, float 1.0"), true);
    sees(CHOICE("oeq float 1.0, %m", "float %m, float 1.0"), true);
    sees(CHOICE("ord float %m, %b", "float %m, float 1.0"), true);
    sees(CHOICE("uno float %m, %b", "float 1.0, float %m"), true);
    sees(CHOICE("une float %m, %b", "float 1.0, float %m"), true);
    sees(CHOICE("ult float %m, 1.0", "float 1.0, float %m"), true);
    /* Taken for NaNs, too. */
    sees(CHOICE("ult float %m, 1.0", "float %m, float 1.0"), false);
    sees(CHOICE("uno float %m, %b", "float %m, float 1.0"), false);
    sees(CHOICE("ord float %m, %b", "float 1.0, float %m"), false);
    sees(CHOICE("olt float %m, 1.0", "float 1.0, float %m"), false);
    sees(CHOICE("true float %m, 1.0", "float %m, float 1.0"), false);
    sees(CHOICE("false float %m, 1.0", "float 1.0, float %m"), false);
    sees(CHOICE("olt float %a, 1.0", "float %m, float 1.0"), false);
    sees(CHOICE("olt float %m, 1.0", "float %m, float %m"), false);
    /* An operation that makes another NaN of it, which is tested; one that may not. */
    sees("%x = fsub float %a, %m\n  " CHOICE("uno float %x, %x", TESTED_X), true);
    sees("%x = fdiv float %m, %b\n  " CHOICE("uno float %x, %x", TESTED_X), true);
    sees("%x = fneg float %m\n  " CHOICE("uno float %x, %x", TESTED_X), true);
    sees("%x = call float @llvm.sqrt.f32(float %m)\n  " CHOICE("uno float %x, %x", TESTED_X), true);
    sees("%x = call float @llvm.floor.f32(float %m)\n  " CHOICE("uno float %x, %x", TESTED_X),
         false);
    sees("%x = fadd float %m, %b\n  store float %x, float* %p", false);
}

/* A chain of `steps` untested operations behind an operation. */
static void longest_chain(void **state)
{
    static char use[TEXT];

    (void)state;
    for (unsigned steps = 1; steps <= 5; steps++) {
        int n = put(use, 0, "%%x0 = fadd float %%m, %%b\n");

        for (unsigned i = 1; i < steps; i++)
            n = put(use, n, "  %%x%u = fadd float %%x%u, %%b\n", i, i - 1);
        put(use, n,
            "  %%o = fcmp uno float %%x%u, %%b\n"
            "  %%u = select i1 %%o, float 1.0, float %%x%u",
            steps - 1, steps - 1);
        sees(use, steps <= 3);
    }
}

/* What only changes the sign is done again, without the test. */
static void passed_on(void **state)
{
    static const char *const names[] = {"fneg float", "call float @llvm.fabs.f32(float"};
    static char text[2][TEXT];

    (void)state;
    for (unsigned kind = 0; kind < 2; kind++) {
        const char *close = kind ? ")" : "";

        for (unsigned after = 0; after < 2; after++) {
            char again[80] = "";

            if (after)
                snprintf(again, sizeof(again), "  %%0 = %s %%s%s\n", names[kind], close);
            put(text[after], 0,
                "define float @f(float %%a, float %%b) {\n"
                "entry:\n"
                "  %%s = fadd float %%a, %%b\n"
                "  %%n = fcmp uno float %%s, %%s\n"
                "  %%t = select i1 %%n, float " NAN_TEXT ", float %%s\n"
                "%s"
                "  %%x = %s %%t%s\n"
                "  %%m = call float @llvm.fma.f32(float %s, float %%b, float %%a)\n"
                "  %%o = fcmp uno float %%m, %%m\n"
                "  %%u = select i1 %%o, float " NAN_TEXT ", float %%m\n"
                "  %%y = fadd float %%x, %%u\n"
                "  ret float %%y\n}\n"
                "declare float @llvm.fabs.f32(float)\n"
                "declare float @llvm.fma.f32(float, float, float)",
                again, names[kind], close, after ? "%0" : "%x");
        }
        expect(lanes_drop_nan_tests, text[0], text[1]);
    }
}

/* A comparison takes the operands without their tests, as a NaN of either compares alike. */
static void compared(void **state)
{
    static char text[2][TEXT];

    (void)state;
    for (unsigned after = 0; after < 2; after++)
        put(text[after], 0,
            "define i1 @f(<2 x float> %%a, float %%b, float* %%p) {\n"
            "entry:\n"
            "  %%v = fadd <2 x float> %%a, %%a\n"
            "  %%n = fcmp uno <2 x float> %%v, zeroinitializer\n"
            "  %%t = select <2 x i1> %%n, <2 x float> <float " NAN_TEXT ", float " NAN_TEXT
            ">, <2 x float> %%v\n"
            "  %%c = fcmp olt <2 x float> %s, zeroinitializer\n"
            "  %%r = extractelement <2 x i1> %%c, i32 1\n"
            "  %%d = fadd <2 x float> %%t, %%t\n" /* seen: its operands stay tested */
            "  %%e = extractelement <2 x float> %%d, i32 0\n"
            "  store float %%e, float* %%p\n"
            "  ret i1 %%r\n}",
            after ? "%v" : "%t");
    expect(lanes_drop_nan_tests, text[0], text[1]);
}

/* A loop with `sums` numbers that it carries: operations take a phi of untested ones, of which
 * there are 16 at most; what is seen behind the loop is tested. */
static void put_loop(char *text, unsigned sums, unsigned raw)
{
    int n =
        put(text, 0, "define float @f(i1 %%c, float %%b) {\nentry:\n  br label %%loop\nloop:\n");

    for (unsigned i = 0; i < sums; i++) {
        if (i < raw)
            n = put(text, n, "  %%q%u = phi float [ 1.0, %%entry ], [ %%s%u, %%loop ]\n", i, i);
        n = put(text, n, "  %%p%u = phi float [ 1.0, %%entry ], [ %%t%u, %%loop ]\n", i, i);
    }
    for (unsigned i = 0; i < sums; i++)
        n = put(text, n,
                "  %%s%u = fadd float %%%c%u, %%b\n"
                "  %%n%u = fcmp uno float %%s%u, %%s%u\n"
                "  %%t%u = select i1 %%n%u, float " NAN_TEXT ", float %%s%u\n",
                i, i < raw ? 'q' : 'p', i, i, i, i, i, i, i);
    put(text, n, "  br i1 %%c, label %%loop, label %%out\nout:\n  ret float %%p0\n}");
}

/* Replaces the names %q0, %q1 … of phis that the pass makes by numbers, in order. */
static void number_phis(char *text)
{
    for (char *at = text; (at = strstr(at, "%q")); at++)
        memmove(at + 1, at + 2, strlen(at + 1));
}

static void carried_by_loop(void **state)
{
    static char before[TEXT], after[TEXT];

    (void)state;
    for (unsigned sums = 1; sums <= 18; sums += sums < 15 ? 7 : 1) {
        put_loop(before, sums, 0);
        put_loop(after, sums, sums < 16 ? sums : 16);
        number_phis(after);
        expect(lanes_drop_nan_tests, before, after);
    }
}

/* A phi into which no test comes stays the only one. */
static void carried_untested(void **state)
{
    static const char text[] = "define float @f(i1 %c, float %b) {\n"
                               "entry:\n  br label %loop\n"
                               "loop:\n"
                               "  %p = phi float [ 1.0, %entry ], [ %s, %loop ]\n"
                               "  %s = fadd float %p, %b\n"
                               "  br i1 %c, label %loop, label %out\n"
                               "out:\n"
                               "  %n = fcmp uno float %s, %s\n"
                               "  %t = select i1 %n, " NAN_FIRST "\n"
                               "  ret float %t\n}";

    (void)state;
    expect(lanes_drop_nan_tests, text, text);
}

/* Tests before the loop alone, of which one is passed on; a phi that two operations take. */
static void tested_before_loop(void **state)
{
    static char text[2][TEXT];

    (void)state;
    for (unsigned after = 0; after < 2; after++)
        put(text[after], 0,
            "define float @f(i1 %%c, float %%b) {\n"
            "entry:\n"
            "  %%s = fadd float %%b, %%b\n"
            "  %%n = fcmp uno float %%s, %%s\n"
            "  %%t = select i1 %%n, float " NAN_TEXT ", float %%s\n"
            "%s"
            "  %%g = fneg float %%t\n"
            "  br label %%loop\n"
            "loop:\n"
            "%s"
            "  %%p = phi float [ %%g, %%entry ], [ 1.0, %%loop ]\n"
            "%s"
            "  %%q = phi float [ 1.0, %%loop ], [ %%t, %%entry ]\n"
            "  %%x = fadd float %s, %s\n"
            "  %%y = fmul float %%x, %s\n"
            "  %%o = fcmp uno float %%y, %%y\n"
            "  %%u = select i1 %%o, float " NAN_TEXT ", float %%y\n"
            "  br i1 %%c, label %%loop, label %%out\n"
            "out:\n  ret float %%u\n}",
            after ? "  %0 = fneg float %s\n" : "",
            after ? "  %1 = phi float [ %0, %entry ], [ 1.0, %loop ]\n" : "",
            after ? "  %2 = phi float [ 1.0, %loop ], [ %s, %entry ]\n" : "", after ? "%1" : "%p",
            after ? "%2" : "%q", after ? "%2" : "%q");
    expect(lanes_drop_nan_tests, text[0], text[1]);
}

/* ---- order of operations --------------------------------------------------------------------- */

#define ROW "<16 x float>"

/* A host with 16 registers, and one that has room for a chain alone. */
static void with_room(struct jit_build *j)
{
    lanes_interleave(j, 16, 2);
}

static void without_room(struct jit_build *j)
{
    lanes_interleave(j, 2, 2);
}

/* Writes two chains of operations, %a0 and on and %b0 and on, one after the other or in turns.
 * `between` is a line behind the first half of what is written. */
static void put_chains(char *text, int length, bool in_turns, const char *between)
{
    int n = put(text, 0,
                "define void @f(" ROW " %%a, " ROW " %%b, " ROW " %%k, " ROW "* %%p) {\n"
                "  %%a0 = fadd " ROW " %%a, %%k\n  %%b0 = fadd " ROW " %%b, %%k\n");

    for (int i = 0; i < 2 * length; i++) {
        int at = (in_turns ? i / 2 : i % length) + 1;

        if (i == length)
            n = put(text, n, "%s", between);
        if (in_turns ? i % 2 : i >= length)
            n = put(text, n, "  %%b%d = fadd " ROW " %%b%d, %%k\n", at, at - 1);
        else
            n = put(text, n,
                    "  %%a%d = call " ROW " @llvm.fma.v16f32(" ROW " %%a%d, " ROW " %%k, " ROW
                    " %%a%d)\n",
                    at, at - 1, at - 1);
    }
    put(text, n,
        "  %%r = fadd " ROW " %%a%d, %%b%d\n  store " ROW " %%r, " ROW "* %%p\n  ret void\n}\n"
        "declare " ROW " @llvm.fma.v16f32(" ROW ", " ROW ", " ROW ")",
        length, length);
}

/* Chains that are too long to look from one into the other are done in turns. */
static void long_chains(void **state)
{
    static const char first[] = "= call", second[] = "= fadd";
    static char text[TEXT];
    const char *at, *next;
    char *found;

    (void)state;
    put_chains(text, 200, false, "");
    found = after_pass(with_room, text);
    assert_non_null(strstr(found, "llvm.codeview.annotation"));
    at = strstr(found, first);
    for (int i = 1; i < 200; i++) {
        at = strstr(at, second);
        assert_non_null(at);
        next = strstr(at, first);
        assert_non_null(next);
        assert_null(memmem(at + 1, (size_t)(next - at - 1), second, strlen(second)));
        at = next;
    }
    api.DisposeMessage(found);
}

/* What keeps its order: chains in turns, short ones, those without room, and those that what
 * touches memory stands between. */
static void same_order(void **state)
{
    static char text[TEXT];

    (void)state;
    put_chains(text, 200, true, "");
    expect(with_room, text, text);
    put_chains(text, 60, false, "");
    expect(with_room, text, text);
    put_chains(text, 200, false, "");
    expect(without_room, text, text);
    put_chains(text, 200, false, "  store " ROW " %k, " ROW "* %p\n");
    expect(with_room, text, text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(to_unlikely_block),
        cmocka_unit_test(stays),
        cmocka_unit_test(impure),
        cmocka_unit_test(pure),
        cmocka_unit_test(one_copy_per_region),
        cmocka_unit_test(several_regions),
        cmocka_unit_test(to_incoming_block),
        cmocka_unit_test(to_new_block),
        cmocka_unit_test(out_of_loop),
        cmocka_unit_test(not_reached),
        cmocka_unit_test(most_regions),
        cmocka_unit_test(forms_of_tests),
        cmocka_unit_test(other_selections),
        cmocka_unit_test(who_sees),
        cmocka_unit_test(longest_chain),
        cmocka_unit_test(passed_on),
        cmocka_unit_test(compared),
        cmocka_unit_test(carried_by_loop),
        cmocka_unit_test(carried_untested),
        cmocka_unit_test(tested_before_loop),
        cmocka_unit_test(long_chains),
        cmocka_unit_test(same_order),
    };

    return cmocka_run_group_tests(tests, load, NULL);
}
