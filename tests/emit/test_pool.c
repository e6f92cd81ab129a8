/* The pool of generated functions: which functions it treats as equal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "gencc/emit/pool.h"

static void numbers_of_variables_and_labels_make_no_difference(void **state)
{
    struct arena a = {0};
    struct pool p = {0};

    (void)state;
    assert_string_equal(
        pool_function(&a, &p, "first", "v12 = v3 + o7_1; if (v12) goto b4; b4: o->k1 = v12;"),
        "first");
    assert_string_equal(
        pool_function(&a, &p, "second", "v5 = v4 + o1_1; if (v5) goto b9; b9: o->k1 = v5;"),
        "first");
    arena_free(&a);
}

static void what_they_are_used_for_does(void **state)
{
    static const char *const different[] = {
        "v1 = v2 - v3;",    "v1 = v2 - v2;",   "v1 = v3 - v2 - v1;", "o->v1 = v2 - v3;",
        "o->v4 = v2 - v3;", "k1 = v2 - v3;",   "v1 = cpu8 - v3;",    "v1 = cpu9 - v3;",
        "v1 = v2_t - v3;",  "v1 = v3_t - v3;", "v1 = 1 - v3;",       "v1 = 2 - v3;",
        "uint8_t v1;",      "uint16_t v1;",    "v1 = f64x2(v3);",    "v1 = f32x2(v3);",
        "x = v2_t;",        "x = v3_t;",       "v1 = word >> v20;",  "v1 = word >> 20;",
        "v1 = word >> 21;", "v1 = v;",
    };
    enum { COUNT = sizeof(different) / sizeof(*different) };
    struct arena a = {0};
    struct pool p = {0};

    (void)state;
    for (unsigned i = 0; i < COUNT; i++)
        assert_ptr_equal(pool_function(&a, &p, different[i], different[i]), different[i]);
    arena_free(&a);
}

static void names_count_where_the_text_is_no_function(void **state)
{
    struct arena a = {0};
    struct pool p = {0};

    (void)state;
    assert_string_equal(pool_name(&a, &p, "first", "uint8_t v1;"), "first");
    assert_string_equal(pool_name(&a, &p, "second", "uint8_t v2;"), "second");
    assert_string_equal(pool_name(&a, &p, "third", "uint8_t v1;"), "first");
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_variables_and_labels_make_no_difference),
        cmocka_unit_test(what_they_are_used_for_does),
        cmocka_unit_test(names_count_where_the_text_is_no_function),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
