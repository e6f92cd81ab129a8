/*
 * The kernel's table of symbols, as scripts/kallsyms.c of Linux writes it: in the order of 6.4 and
 * later, and in that of before; and images that are none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/base/bits.h"
#include "runtime/machine/linux_symbols.h"

enum { SYMBOLS = 700, BYTES = 32768 };

struct image {
    uint8_t bytes[BYTES];
    size_t len;
};

static void put_number(struct image *i, uint64_t value, unsigned bytes)
{
    assert_true(i->len + bytes < BYTES);
    le_put(i->bytes + i->len, bytes, value);
    i->len += bytes;
}

static void align_image(struct image *i, size_t to)
{
    i->len = align_up(i->len, to);
}

/* A token is a character, but two letters that are not in names stand for parts of them. */
static const char *token_text(unsigned n)
{
    static char text[256][2];

    text[n][0] = (char)n;
    return n == 'Q' ? "Tsym_" : n == 'Z' ? "dlong" : text[n];
}

static void put_names(struct image *i, size_t marker[8])
{
    for (unsigned n = 0; n < SYMBOLS; n++) {
        char digits[8];

        if (n % 256 == 0)
            marker[n / 256] = i->len;
        snprintf(digits, sizeof(digits), "%u", n);
        if (n == 300) { /* longer than 127 tokens: its length takes two bytes */
            put_number(i, 0x80 | 200 % 128, 1);
            put_number(i, 200 / 128, 1);
            put_number(i, 'Z', 1);
            for (unsigned k = 1; k < 200; k++)
                put_number(i, '_', 1);
            continue;
        }
        put_number(i, 1 + strlen(digits), 1);
        put_number(i, 'Q', 1);
        for (const char *c = digits; *c; c++)
            put_number(i, (uint8_t)*c, 1);
    }
}

static void put_offsets(struct image *i)
{
    align_image(i, 8);
    for (unsigned n = 0; n < SYMBOLS; n++)
        put_number(i, 16 * n, 4);
    align_image(i, 8);
    put_number(i, UINT64_C(0xffff800080000000), 8);
}

static struct image *make_image(bool new_order)
{
    struct image *i = calloc(1, sizeof(*i));
    size_t marker[8], names, at[256], tokens;

    i->len = 512;
    if (!new_order)
        put_offsets(i);
    align_image(i, 8);
    put_number(i, SYMBOLS, 8);
    names = i->len;
    put_names(i, marker);
    align_image(i, 8);
    for (unsigned n = 0; n <= (SYMBOLS - 1) / 256; n++)
        put_number(i, marker[n] - names, 4);
    align_image(i, 8);
    tokens = i->len;
    for (unsigned n = 0; n < 256; n++) {
        at[n] = i->len - tokens;
        for (const char *c = token_text(n); *c; c++)
            put_number(i, (uint8_t)*c, 1);
        put_number(i, 0, 1);
    }
    align_image(i, 8);
    for (unsigned n = 0; n < 256; n++)
        put_number(i, at[n], 2);
    if (new_order)
        put_offsets(i);
    i->len += 64;
    return i;
}

static void check_symbols(bool new_order)
{
    struct image *i = make_image(new_order);
    struct linux_symbols s;
    const struct linux_symbol *found;

    assert_true(linux_symbols_read(&s, i->bytes, i->len));
    assert_int_equal(s.count, SYMBOLS);
    found = linux_symbol_named(&s, "sym_699");
    assert_non_null(found);
    assert_int_equal(found->distance, 16 * 699);
    assert_int_equal(found->type, 'T');
    assert_string_equal(linux_symbol_name(&s, linux_symbol_at(&s, 16 * 42 + 15)), "sym_42");
    assert_string_equal(linux_symbol_name(&s, linux_symbol_at(&s, 0)), "sym_0");
    assert_string_equal(linux_symbol_name(&s, linux_symbol_at(&s, UINT64_MAX)), "sym_699");
    /* Data is no code: an address behind it belongs to what is before. */
    assert_int_equal(s.symbols[300].type, 'd');
    assert_int_equal(strlen(linux_symbol_name(&s, &s.symbols[300])), 4 + 199);
    assert_string_equal(linux_symbol_name(&s, linux_symbol_at(&s, 16 * 300 + 3)), "sym_299");
    assert_null(linux_symbol_named(&s, "sym_700"));
    linux_symbols_free(&s);
    free(i);
}

static void test_orders(void **unused)
{
    (void)unused;
    check_symbols(true);
    check_symbols(false);
}

/* Whatever is in the guest's memory: no table or a right one, and no access outside. */
static void test_damaged(void **unused)
{
    struct image *i = make_image(true);
    uint32_t random = 1;

    (void)unused;
    for (unsigned n = 0; n < 4000; n++) {
        size_t at, len = i->len;
        uint8_t old, *copy;
        struct linux_symbols s;

        random = random * 1664525 + 1013904223;
        at = (random >> 8) % i->len;
        old = i->bytes[at];
        i->bytes[at] ^= (uint8_t)(1 + random % 255);
        if (n % 4 == 0)
            len = at;
        copy = malloc(len + !len); /* an exact size lets sanitizers see overruns */
        memcpy(copy, i->bytes, len);
        if (linux_symbols_read(&s, copy, len)) {
            assert_int_equal(s.count, SYMBOLS);
            linux_symbols_free(&s);
        }
        assert_null(s.symbols);
        free(copy);
        i->bytes[at] = old;
    }
    free(i);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_damaged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
