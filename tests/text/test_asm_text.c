/*
 * The text library: number formats, tables, system registers.
 */
#include "common/asm_text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct asm_entry sysreg_names[] = {{0x4000, "midr"}, {0xdf02, "cntvct"}};
static const struct asm_sysregs sysregs = {
    {"sysreg", 2, sysreg_names}, 5, {2, 3, 4, 4, 3}, {"s", "", "c", "c", ""}};

static const char *number_text(enum asm_format format, int64_t value, uint64_t address)
{
    static char buf[64];
    struct asm_out o = {.text = buf, .size = sizeof(buf), .address = address, .sysregs = &sysregs};

    buf[0] = '\0';
    asm_put_number(&o, format, value);
    return buf;
}

static void formats_of_numbers(void **state)
{
    const int64_t mips = (int64_t)asm_region_packed(28, 4);

    (void)state;
    assert_string_equal(number_text(ASM_FORMAT_DEC, -5, 0), "-5");
    assert_string_equal(number_text(ASM_FORMAT_DEC, INT64_MIN, 0), "-9223372036854775808");
    assert_string_equal(number_text(ASM_FORMAT_UNSIGNED, -1, 0), "18446744073709551615");
    assert_string_equal(number_text(ASM_FORMAT_HEX, 0, 0), "0x0");
    assert_string_equal(number_text(ASM_FORMAT_HEX, 0xABC, 0), "0xabc");
    assert_string_equal(number_text(ASM_FORMAT_CAPITAL, 0xabc, 0), "0xABC");
    assert_string_equal(number_text(ASM_FORMAT_GENERAL, 0x3fe0000000000000, 0), "0.5");
    assert_string_equal(number_text(ASM_FORMAT_ADDRESS, -4, 0x1000), "0xffc");
    assert_string_equal(number_text(ASM_FORMAT_PAGE, 0x2000, 0x1ffc), "0x3000");
    assert_string_equal(number_text(ASM_FORMAT_ALIGNED, 0x2000, 0x1ffe), "0x3ffc");
    /* The word behind the last of a region is in the next one. */
    assert_string_equal(number_text(ASM_FORMAT_REGION, mips | 0x1234, 0x1ffffff8), "0x10001234");
    assert_string_equal(number_text(ASM_FORMAT_REGION, mips | 0x1234, 0x1ffffffc), "0x20001234");
    assert_string_equal(
        number_text(ASM_FORMAT_REGION, (int64_t)asm_region_packed(11, 2) | 0x7fe, 0x17fc),
        "0x17fe");
    assert_string_equal(
        number_text(ASM_FORMAT_REGION, (int64_t)asm_region_packed(11, 2) | 0x7fe, 0x17fe),
        "0x1ffe");
    assert_string_equal(number_text(ASM_FORMAT_FLOAT, 0x3ff0000000000000, 0),
                        "1.000000000000000000e+00");
    assert_string_equal(number_text(ASM_FORMAT_SYSREG, 0xdf02, 0), "cntvct");
    assert_string_equal(number_text(ASM_FORMAT_SYSREG, 0xc080, 0), "s3_0_c1_c0_0");
}

static void narrow_addresses_wrap(void **state)
{
    char buf[32] = "";
    struct asm_out o = {.text = buf, .size = sizeof(buf), .address = 8, .addr_bits = 32};

    (void)state;
    asm_put_address(&o, -16);
    assert_string_equal(buf, "0xfffffff8");
}

static void text_is_cut(void **state)
{
    char buf[5] = "";
    struct asm_out o = {.text = buf, .size = sizeof(buf)};

    (void)state;
    asm_put_text(&o, "abc");
    assert_false(o.cut);
    asm_put_text(&o, "d");
    assert_false(o.cut);
    assert_string_equal(buf, "abcd");
    asm_put_text(&o, "e");
    assert_true(o.cut);
    assert_string_equal(buf, "a...");
    asm_put_dec(&o, 7);
    assert_string_equal(buf, "a...");
    assert_int_equal(o.length, 4);
}

static void tables_are_searched(void **state)
{
    static const struct asm_entry dense[] = {{3, "c"}, {4, "d"}, {5, "e"}};
    static const struct asm_entry sparse[] = {{-7, "a"}, {0, "b"}, {1, "c"}, {1000, "d"}};
    const struct asm_table d = {"dense", 3, dense}, s = {"sparse", 4, sparse},
                           none = {"none", 0, NULL};

    (void)state;
    assert_string_equal(asm_table_find(&d, 4), "d");
    assert_null(asm_table_find(&d, 2));
    assert_null(asm_table_find(&d, 6));
    assert_string_equal(asm_table_find(&s, -7), "a");
    assert_string_equal(asm_table_find(&s, 0), "b");
    assert_string_equal(asm_table_find(&s, 1), "c");
    assert_string_equal(asm_table_find(&s, 1000), "d");
    assert_null(asm_table_find(&s, 2));
    assert_null(asm_table_find(&s, INT64_MIN));
    assert_null(asm_table_find(&none, 0));
}

static void sysreg_names_are_read(void **state)
{
    int64_t code = 0;

    (void)state;
    assert_true(asm_sysreg_parse(&sysregs, "CNTVCT,", 6, &code));
    assert_int_equal(code, 0xdf02);
    assert_true(asm_sysreg_parse(&sysregs, "S3_0_C1_c0_0", 12, &code));
    assert_int_equal(code, 0xc080);
    assert_false(asm_sysreg_parse(&sysregs, "cntvc", 5, &code));
    assert_false(asm_sysreg_parse(&sysregs, "s3_0_c1_c0", 10, &code));
    assert_false(asm_sysreg_parse(&sysregs, "s4_0_c1_c0_0", 12, &code));
    assert_false(asm_sysreg_parse(&sysregs, "s3_0_c16_c0_0", 13, &code));
    assert_false(asm_sysreg_parse(NULL, "x", 1, &code));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats_of_numbers),    cmocka_unit_test(narrow_addresses_wrap),
        cmocka_unit_test(text_is_cut),           cmocka_unit_test(tables_are_searched),
        cmocka_unit_test(sysreg_names_are_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
