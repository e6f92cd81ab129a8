/* The text form: printed functions read back as themselves, and each mistake has its message. */
#include "world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <string.h>

static const char everything[] =
    "execute all(uint64 a, float[4], uint8 c) -> uint64, uint32, float[4] format FMT inline "
    "ends_block {\n"
    "    var $0 uint64 sum\n"
    "    var $1 uint8[16]\n"
    "b0 entry !:\n"
    "    %0! = const uint64 0x10\n"
    "    %1! = const uint128 0x123456789abcdef0fedcba9876543210\n"
    "    %2 = param uint64 0\n"
    "    %3! = field uint8 FMT.rn\n"
    "    %4! = word uint32\n"
    "    %5 = reg.read uint64 X[%3]\n"
    "    %6 = reg.read uint64 PC\n"
    "    reg.write X[%3], %2\n"
    "    reg.write PC, %5\n"
    "    var.write $0, %6\n"
    "    %7 = var.read uint64 $0\n"
    "    %8 = const uint32 0x0\n"
    "    %9 = intrinsic void mem_read_64(%8, %7, %0)\n"
    "    %10 = result uint64 %9, 1\n"
    "    %11 = intrinsic void asm_number(\"x\\\"\\\\\\x0a%\", %12)\n"
    "    %12 = convert sint64 %10\n"
    "    %13 = external uint32 ext_sum(%8, %10)\n"
    "    cbr %13, b7, b2\n"
    "b7:\n"
    "    %14 = splat uint8[16] %3\n"
    "    switch %3, b2 [0x1: b2, 0x7: b9]\n"
    "b2 meet:\n"
    "    %15 = phi uint64 b0: %2, b7: %10\n"
    "    %16 = param float[4] 1\n"
    "    ret %15, %8, %16\n"
    "b9:\n"
    "    unreachable\n"
    "}\n";

static void reads_back(void **state)
{
    struct world w;
    struct ir_func *f;

    (void)state;
    world_open(&w);
    f = world_parse(&w, everything);
    if (!f)
        fail_msg("%s", world_messages(&w));
    assert_string_equal(world_print(&w, f), everything);
    assert_true(f->is_inline);
    assert_true(f->ends_block);
    assert_true(f->blocks.data[0]->fixed);
    assert_string_equal(f->blocks.data[2]->name, "meet");
    world_close(&w);
}

static void calls_and_comments(void **state)
{
    struct world w;
    struct ir_func *f;

    (void)state;
    world_open(&w);
    assert_non_null(
        world_parse(&w, "helper one() -> void, uint8 {\nb0:\n %0 = const uint8 1 ret %0 }"));
    f = world_parse(&w, "# a caller\nhelper two() -> void { b0: %3 = call void one() # here\n"
                        "%9 = result uint8 %3, 1 ret }");
    assert_non_null(f);
    assert_string_equal(world_print(&w, f),
                        "helper two() -> void {\nb0:\n    %3 = call void one()\n"
                        "    %9 = result uint8 %3, 1\n    ret\n}\n");
    assert_true(ir_verify(&w.diag, f));
    world_close(&w);
}

#define HEAD "helper f(uint8 a) -> uint8 {\nb0:\n"

static void mistakes_have_messages(void **state)
{
    static const struct {
        const char *text, *message;
    } table[] = {
        {"", "expected helper, execute, decode, disasm or export"},
        {"helper", "expected the function's name"},
        {"helper f", "expected '('"},
        {"helper f(uint9 a) -> void {", "expected a type"},
        {"helper f() uint8", "expected '->'"},
        {"helper f() -> void { b0: ret", "expected an operation"},
        {"helper f() -> void { b0: ret } }", "expected the end of the file"},
        {"helper f() -> void format NONE { b0: ret }", "no format is called 'NONE'"},
        {HEAD "frob %0\n}", "no operation without a result is called 'frob'"},
        {HEAD "%0 = ret uint8\n}", "no operation with a result is called 'ret'"},
        {HEAD "%0 = const uint8\n}", "expected a number"},
        {HEAD "%0 = const uint8 1\n%0 = const uint8 1\n}", "a number that no other value has"},
        {HEAD "ret %5\n}", "value %5 is used but not there"},
        {HEAD "br b4\n}", "block b4 is named but not there"},
        {HEAD "ret\nb0:\nret }", "a number that no other block has"},
        {HEAD "%0 = field uint8 FMT.nix\n}", "no field is called 'nix'"},
        {HEAD "%0 = reg.read uint8 Q\n}", "no register is called 'Q'"},
        {HEAD "%0 = call uint8 g()\n}", "no function is called 'g'"},
        {HEAD "%0 = intrinsic uint8 g()\n}", "no function is called 'g'"},
        {HEAD "%0 = var.read uint8 $1\n}", "expected a variable that is declared"},
        {"helper f() -> void { var $1 uint8 x b0: ret }", "expected variables numbered in order"},
        {HEAD "%1 = intrinsic void asm_text(\"abc\n)\n}", "expected a closing quote"},
        {HEAD "switch %0, b0 [0x1 b0]\n}", "expected ':'"},
        {HEAD "%99999999 = const uint8 1\n}", "expected a number"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
        struct world w;

        world_open(&w);
        if (world_parse(&w, table[i].text))
            fail_msg("understood: %s", table[i].text);
        if (!strstr(world_messages(&w), table[i].message))
            fail_msg("%s: %s", table[i].text, world_messages(&w));
        world_close(&w);
    }
}

/* Any prefix of a valid text is refused with a message. */
static void cut_off(void **state)
{
    (void)state;
    for (size_t len = 0; len + 2 < sizeof(everything); len++) {
        struct world w;

        world_open(&w);
        assert_null(world_parse(&w, arena_strndup(&w.arena, everything, len)));
        assert_int_equal(w.diag.errors, 1);
        world_close(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_back),
        cmocka_unit_test(calls_and_comments),
        cmocka_unit_test(mistakes_have_messages),
        cmocka_unit_test(cut_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
