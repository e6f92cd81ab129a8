/*
 * Unit tests of the small parts: excerpts of diagnostics, guesses, name tables, bit patterns.
 */
#include "gencc/front/excerpt.h"
#include "gencc/model/internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>
#include <string.h>

/* What a message about part of `text` looks like. */
static char *message_at(struct arena *a, const char *text, uint32_t line, uint32_t column,
                        uint32_t length)
{
    struct source_file file = {.path = "f.ac", .text = text, .length = strlen(text)};
    struct src_pos pos = {&file, line, column, length};
    struct diag d = {.arena = a};
    char *out = NULL;
    size_t size;

    d.out = open_memstream(&out, &size);
    diag_error(&d, pos, "wrong %d", 7);
    fclose(d.out);
    return out;
}

static void test_caret(void **state)
{
    struct arena a = {0};
    char *out = message_at(&a, "one\n\tab\tcd ef\r\nthree", 2, 5, 5);

    (void)state;
    assert_string_equal(out,
                        "f.ac:2:5: error: wrong 7\n    2 | \tab\tcd ef\n      | \t  \t^~~~~\n");
    free(out);
    out = message_at(&a, "one", 1, 4, 1); /* behind the last character */
    assert_string_equal(out, "f.ac:1:4: error: wrong 7\n    1 | one\n      |    ^\n");
    free(out);
    out = message_at(&a, "one", 5, 1, 1); /* a line that is not there */
    assert_string_equal(out, "f.ac:5:1: error: wrong 7\n");
    free(out);
    arena_free(&a);
}

static void test_lines(void **state)
{
    static const char text[] = "one\n\nthree\nlast";
    struct source_file file = {.path = "f.ac", .text = text, .length = strlen(text)};
    struct arena a = {0};
    const char *found[6];

    (void)state;
    for (unsigned line = 1; line <= 6; line++)
        found[line - 1] = source_line(&file, line);
    source_find_lines(&a, &file);
    assert_int_equal(file.line_count, 4);
    for (unsigned line = 1; line <= 6; line++)
        assert_ptr_equal(source_line(&file, line), found[line - 1]);
    assert_ptr_equal(found[0], text);
    assert_string_equal(found[2], "three\nlast");
    assert_string_equal(found[3], "last");
    assert_null(found[4]);
    assert_null(source_line(&file, 0));
    arena_free(&a);
}

static void test_limits(void **state)
{
    struct diag d = {.max_errors = 2};
    char *out = NULL;
    size_t size;

    (void)state;
    d.out = open_memstream(&out, &size);
    for (int i = 0; i < 4; i++) {
        diag_error(&d, (struct src_pos){0}, "e%d", i);
        diag_note(&d, (struct src_pos){0}, "n%d", i);
    }
    diag_warning(&d, WARN_IGNORED, (struct src_pos){0}, "w");
    fclose(d.out);
    assert_string_equal(
        out, "gencc: error: e0\ngencc: note: n0\ngencc: error: e1\ngencc: note: n1\n"
             "gencc: more errors follow and are not shown\ngencc: warning: w [-Wignored]\n");
    assert_int_equal(d.errors, 4);
    assert_int_equal(d.warnings, 1);
    free(out);
}

static void test_words_of_c(void **state)
{
    struct arena a = {0};

    (void)state;
    assert_string_equal(name_in_c(&a, "goto"), "goto_");
    assert_string_equal(name_in_c(&a, "gotos"), "gotos");
    arena_free(&a);
}

static const char *best_guess(const char *wrong, const char *const *names)
{
    struct name_guess g = {.wrong = wrong};

    for (; *names; names++)
        name_guess_offer(&g, *names);
    return g.best;
}

static void test_guess(void **state)
{
    static const char *const names[] = {"shift", "imm12", "rd", "CRC32", NULL};

    (void)state;
    assert_string_equal(best_guess("shfit", names), "shift");
    assert_string_equal(best_guess("imm21", names), "imm12");
    assert_string_equal(best_guess("rn", names), "rd");
    assert_string_equal(best_guess("CRC2", names), "CRC32");
    assert_null(best_guess("z", names));
    assert_null(best_guess("register", names));
}

static void test_names(void **state)
{
    struct arena a = {0};
    struct name_map m = {0};
    static int values[1000];

    (void)state;
    assert_null(name_map_get(&m, "n1"));
    for (int i = 0; i < 1000; i++)
        assert_null(name_map_put(&a, &m, arena_printf(&a, "n%d", i), &values[i]));
    for (int i = 0; i < 1000; i++)
        assert_ptr_equal(name_map_get(&m, arena_printf(&a, "n%d", i)), &values[i]);
    assert_ptr_equal(name_map_put(&a, &m, "n5", &values[6]), &values[5]);
    assert_ptr_equal(name_map_get(&m, "n5"), &values[6]);
    assert_null(name_map_get(&m, "n1000"));
    arena_free(&a);
}

/* A random pattern over eight bits with up to three exclusions. */
static struct pattern random_pattern(struct arena *a)
{
    struct pattern p = {0};

    p.mask = (unsigned)rand() & (unsigned)rand() & 0xff;
    p.value = (unsigned)rand() & p.mask;
    for (int n = rand() % 4; n; n--) {
        u128 mask = (unsigned)rand() & 0xff;

        if (mask)
            pattern_exclude(a, &p, mask, (unsigned)rand() & mask);
    }
    return p;
}

/* The words of a pattern, as a set of 256 bits. */
struct words {
    bool in[256];
    unsigned count;
};

static struct words words_of(const struct pattern *p)
{
    struct words s = {0};

    for (unsigned w = 0; w < 256; w++) {
        s.in[w] = pattern_matches(p, w);
        s.count += s.in[w];
    }
    return s;
}

static void test_intersect(void **state)
{
    struct arena a = {0};

    (void)state;
    srand(1);
    for (int round = 0; round < 3000; round++) {
        struct pattern x = random_pattern(&a), y = random_pattern(&a), both;
        struct words wx = words_of(&x), wy = words_of(&y);
        bool some = pattern_intersect(&a, &x, &y, &both);
        struct words wb = {0};
        u128 word;

        if (some)
            wb = words_of(&both);
        for (unsigned w = 0; w < 256; w++)
            assert_int_equal(wb.in[w], wx.in[w] && wy.in[w]);
        assert_int_equal(some, wb.count != 0);
        assert_int_equal(pattern_example(&a, &x, &word), wx.count != 0);
        if (wx.count)
            assert_true(word < 256 && wx.in[(unsigned)word]);
    }
    arena_free(&a);
}

static void test_covered(void **state)
{
    struct arena a = {0};
    unsigned hits = 0;

    (void)state;
    srand(2);
    for (int round = 0; round < 3000; round++) {
        struct pattern p = random_pattern(&a), cover[6];
        const struct pattern *at[6];
        struct words wp;
        bool all = true;

        p.nots.len = 0;
        wp = words_of(&p);
        for (int i = 0; i < 6; i++) {
            cover[i] = random_pattern(&a);
            cover[i].nots.len = 0;
            cover[i].mask |= p.mask & (unsigned)rand();
            cover[i].value =
                (p.value & p.mask & cover[i].mask) | (cover[i].value & ~p.mask & cover[i].mask);
            at[i] = &cover[i];
        }
        for (unsigned w = 0; w < 256; w++) {
            bool one = false;

            for (int i = 0; i < 6; i++)
                one = one || pattern_matches(&cover[i], w);
            all = all && (one || !wp.in[w]);
        }
        assert_int_equal(pattern_covered(&a, &p, at, 6), all);
        hits += all;
    }
    assert_true(hits > 100 && hits < 2900);
    arena_free(&a);
}

static struct source_file file_of(const char *path, const char *text)
{
    return (struct source_file){.path = path, .text = text, .length = strlen(text)};
}

/* Descriptions that are in memory only. */
static void test_memory(void **state)
{
    struct source_file files[] = {
        file_of("a.ac", "AC_ARCH(a) { ac_wordsize 32; ARCH_CTOR(a) { ac_isa(\"b.ac\"); }; };"),
        file_of("b.ac", "AC_ISA(b) { ac_fetchsize 8; include(\"c.ac\"); };"),
        file_of("c.ac", "AC_ISA(b) { ISA_CTOR(b) { ac_execute(\"/etc/passwd\"); }; };"),
        file_of("d.genc", "typename w = uint8; helper w f(w x) { return x; }"),
    };
    struct arena a = {0};
    char *out = NULL;
    size_t size;
    struct diag d = {.arena = &a, .out = open_memstream(&out, &size)};
    struct ast_isa isa = {0};
    struct ast_arch *arch;

    (void)state;
    assert_true(ast_parse_behaviours(&d, &files[3], &isa));
    assert_int_equal(isa.defs.len, 2);
    arch = ast_parse_arch_memory(&d, files, 3);
    assert_int_equal(arch->word_bits, 32);
    assert_int_equal(arch->isas.data[0]->fetch_bits, 8);
    fclose(d.out);
    assert_int_equal(d.errors, 1);
    assert_non_null(strstr(out, "c.ac:1:38: error: there is no file \"/etc/passwd\""));
    free(out);
    arena_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_caret),     cmocka_unit_test(test_lines),
        cmocka_unit_test(test_limits),    cmocka_unit_test(test_words_of_c),
        cmocka_unit_test(test_guess),     cmocka_unit_test(test_names),
        cmocka_unit_test(test_intersect), cmocka_unit_test(test_covered),
        cmocka_unit_test(test_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
