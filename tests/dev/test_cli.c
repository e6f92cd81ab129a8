/* Command lines and the values of their options. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "runtime/base/bits.h"
#include "runtime/base/cli.h"
#include "runtime/base/values.h"

/* ---- values ---------------------------------------------------------------------------------- */

static void test_numbers(void **state)
{
    static const char *const wrong[] = {
        "", "-1", "+1", " 1", "1 ", "x", "0x", "1k", "4", "101", "99999999999999999999"};
    struct error err;
    uint64_t n;

    (void)state;
    assert_true(value_number("5", "-n", 5, 100, &n, &err) && n == 5);
    assert_true(value_number("0x64", "-n", 5, 100, &n, &err) && n == 100);
    assert_true(value_number("010", "-n", 5, 100, &n, &err) && n == 8);
    assert_true(value_number("18446744073709551615", "-n", 0, UINT64_MAX, &n, &err));
    assert_true(n == UINT64_MAX);
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        char expected[256];

        snprintf(expected, sizeof(expected), "-n takes a number from 5 to 100, not '%s'", wrong[i]);
        assert_false(value_number(wrong[i], "-n", 5, 100, &n, &err));
        assert_string_equal(err.text, expected);
    }
    assert_false(value_number("18446744073709551616", "-n", 0, UINT64_MAX, &n, &err));
}

static void test_sizes(void **state)
{
    static const struct {
        const char *text;
        uint64_t size; /* 0: rejected */
    } sizes[] = {
        {"1", 512},
        {"3k", 3072},
        {"3K", 3072},
        {"2m", 2097152},
        {"2M", 2097152},
        {"1g", 1073741824},
        {"0x10G", UINT64_C(17179869184)},
        {"18014398509481983K", UINT64_C(0xfffffffffffffc00)},
        {"18014398509481984K", 0}, /* 2^64 */
        {"18014398509481985K", 0},
        {"17592186044416M", 0},
        {"17179869184G", 0},
        {"36028797018963968", 0}, /* 2^55 units of 512 bytes: 2^64 */
        {"99999999999999999999", 0},
        {"1T", 0},
        {"1KB", 0},
        {"K", 0},
        {"", 0},
        {"-1K", 0},
        {"1 K", 0},
    };
    struct error err;
    uint64_t n;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        bool ok = value_size(sizes[i].text, "-s", 512, &n, &err);

        assert_int_equal(ok, sizes[i].size != 0);
        if (ok)
            assert_true(n == sizes[i].size);
        else
            assert_non_null(strstr(err.text, "-s takes a size such as 512M or 2G, not '"));
    }
}

static void test_switches(void **state)
{
    struct error err;
    bool on = false;

    (void)state;
    assert_true(value_switch("on", "x", &on, &err) && on);
    assert_true(value_switch("off", "x", &on, &err) && !on);
    assert_true(value_switch("yes", "x", &on, &err) && on);
    assert_true(value_switch("no", "x", &on, &err) && !on);
    assert_true(value_switch(NULL, "x", &on, &err) && on);
    assert_false(value_switch("1", "readonly", &on, &err));
    assert_string_equal(err.text, "readonly is 'on' or 'off', not '1'");
}

static void test_lists(void **state)
{
    char text[] = "word,file=a,,b=c,empty=,,,last";
    char *list = text, *key, *value;

    (void)state;
    assert_true(value_next(&list, &key, &value));
    assert_null(key);
    assert_string_equal(value, "word");
    assert_true(value_next(&list, &key, &value));
    assert_string_equal(key, "file");
    assert_string_equal(value, "a,b=c");
    assert_true(value_next(&list, &key, &value));
    assert_string_equal(key, "empty");
    assert_string_equal(value, ",");
    assert_true(value_next(&list, &key, &value));
    assert_null(key);
    assert_string_equal(value, "last");
    assert_false(value_next(&list, &key, &value));
}

/* ---- command lines --------------------------------------------------------------------------- */

struct settings {
    const char *text;
    uint64_t number;
    bool flag;
    const char *called; /* a copy */
    char **operands;
    unsigned count;
};

static bool record_call(void *options, char *value, struct error *err)
{
    struct settings *s = options;

    if (value && !strcmp(value, "bad"))
        return error_set(err, "this is bad");
    free((char *)s->called);
    s->called = strdup(value ? value : "nothing");
    if (value)
        *value = '\0'; /* the value is the program's own copy */
    return true;
}

static bool record_operand(void *options, char **words, struct error *err)
{
    struct settings *s = options;

    s->operands = words;
    s->count++;
    return strcmp(*words, "bad") || error_set(err, "a bad operand");
}

#define OPTION(member) struct settings, member

static const struct cli_option table[] = {
    CLI_HEADING("First"),
    CLI_TEXT("text", OPTION(text), "TEXT", "a text"),
    CLI_TEXT("t", OPTION(text), "TEXT", "the same"),
    CLI_SWITCH("flag", OPTION(flag), "a switch,\nof two lines"),
    CLI_HEADING("number"),
    CLI_NUMBER("number", OPTION(number), 2, 9, "N", "a number"),
    CLI_CALL("call", record_call, "WHAT", "is called"),
    CLI_CALL("call-me", record_call, NULL, "too"),
};

static const struct cli without = {.table = table, .count = ARRAY_SIZE(table)};
static const struct cli with = {
    .table = table, .count = ARRAY_SIZE(table), .operand = record_operand};
static const struct cli first = {
    .table = table, .count = ARRAY_SIZE(table), .operand = record_operand, .operand_ends = true};

/* Parses a command line given as one string of words. */
static enum cli_result read_line(const struct cli *cli, struct settings *s, const char *line,
                                 struct error *err)
{
    static char copy[256];
    static char *argv[32];
    char *save = NULL;
    size_t argc = 1;

    snprintf(copy, sizeof(copy), "%s", line);
    argv[0] = copy;
    for (char *w = strtok_r(copy, " ", &save); w; w = strtok_r(NULL, " ", &save))
        argv[argc++] = w;
    argv[argc] = NULL;
    free((char *)s->called);
    *s = (struct settings){.number = 1};
    *err = (struct error){""};
    return cli_read(cli, s, argv, err);
}

static void test_options(void **state)
{
    struct settings s = {0};
    struct error err;

    (void)state;
    assert_int_equal(read_line(&without, &s, "", &err), CLI_DONE);
    assert_true(!s.text && !s.flag && s.number == 1 && !s.called);
    assert_int_equal(read_line(&without, &s, "-text a -flag -number 9 -call x", &err), CLI_DONE);
    assert_string_equal(s.text, "a");
    assert_true(s.flag && s.number == 9);
    assert_string_equal(s.called, "x");
    assert_int_equal(read_line(&without, &s, "--text=a=b --number=2 --call= --flag", &err),
                     CLI_DONE);
    assert_string_equal(s.text, "a=b");
    assert_true(s.flag && s.number == 2);
    assert_string_equal(s.called, "");
    assert_int_equal(read_line(&without, &s, "--text a -t --flag --call-me", &err), CLI_DONE);
    assert_string_equal(s.text, "--flag"); /* the last value wins, and takes the next word */
    assert_false(s.flag);
    assert_string_equal(s.called, "nothing");
    free((char *)s.called);
}

static void test_operands(void **state)
{
    struct settings s = {0};
    struct error err;

    (void)state;
    assert_int_equal(read_line(&with, &s, "a -flag b - -- -text c", &err), CLI_DONE);
    assert_int_equal(s.count, 5);
    assert_true(s.flag && !s.text);
    assert_string_equal(s.operands[0], "c");
    assert_null(s.operands[1]);
    assert_int_equal(read_line(&with, &s, "a bad b", &err), CLI_WRONG);
    assert_int_equal(s.count, 2);
    assert_string_equal(err.text, "a bad operand");
    assert_int_equal(read_line(&first, &s, "-flag a -text -h", &err), CLI_DONE);
    assert_int_equal(s.count, 1);
    assert_true(s.flag && !s.text);
    assert_string_equal(s.operands[0], "a");
    assert_string_equal(s.operands[1], "-text");
    assert_string_equal(s.operands[2], "-h");
    assert_null(s.operands[3]);
    assert_int_equal(read_line(&first, &s, "-- -flag --", &err), CLI_DONE);
    assert_false(s.flag);
    assert_string_equal(s.operands[0], "-flag");
    assert_string_equal(s.operands[1], "--");
    assert_int_equal(read_line(&first, &s, "--", &err), CLI_DONE);
    assert_int_equal(s.count, 0);
}

static void test_mistakes(void **state)
{
    static const struct {
        const char *line, *message;
    } wrong[] = {
        {"-nothing", "unknown option '-nothing' (try --help)"},
        {"-tex a", "unknown option '-tex' (try --help)"},
        {"-text=a", "unknown option '-text=a' (try --help)"}, /* '=' needs two dashes */
        {"---text a", "unknown option '---text' (try --help)"},
        {"-First", "unknown option '-First' (try --help)"},
        {"-text", "-text needs a value: TEXT"},
        {"-flag --number", "-number needs a value: N"},
        {"--flag=on", "-flag takes no value"},
        {"--call-me=", "-call-me takes no value"},
        {"-number 1", "-number takes a number from 2 to 9, not '1'"},
        {"--number=10", "-number takes a number from 2 to 9, not '10'"},
        {"-call bad -nothing", "this is bad"},
        {"word", "unexpected argument 'word' (try --help)"},
        {"-flag -", "unexpected argument '-' (try --help)"},
        {"--", "unexpected argument '--' (try --help)"},
    };
    struct settings s = {0};
    struct error err;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
        assert_int_equal(read_line(&without, &s, wrong[i].line, &err), CLI_WRONG);
        assert_string_equal(err.text, wrong[i].message);
    }
}

static void test_help(void **state)
{
    static const char text[] =
        "\nFirst:\n"
        "  -text TEXT\n          a text\n"
        "  -t TEXT\n          the same\n"
        "  -flag\n          a switch,\n          of two lines\n"
        "\nnumber:\n"
        "  -number N\n          a number\n"
        "  -call WHAT\n          is called\n"
        "  -call-me\n          too\n"
        "  -version\n          the version\n  -help, -h\n          this text\n";
    struct settings s = {0};
    struct error err;
    char *printed = NULL;
    size_t size;
    FILE *out = open_memstream(&printed, &size);

    (void)state;
    cli_print(&without, out);
    fclose(out);
    assert_string_equal(printed, text);
    free(printed);
    assert_int_equal(read_line(&without, &s, "-flag -h -nonsense", &err), CLI_HELP);
    assert_int_equal(read_line(&with, &s, "a --help", &err), CLI_HELP);
    assert_int_equal(read_line(&without, &s, "-help", &err), CLI_HELP);
    assert_int_equal(read_line(&without, &s, "-text -h", &err), CLI_DONE);
    assert_int_equal(read_line(&without, &s, "--h", &err), CLI_HELP);
    assert_int_equal(read_line(&without, &s, "-flag -version -h", &err), CLI_VERSION);
    assert_int_equal(read_line(&with, &s, "--version", &err), CLI_VERSION);
    assert_int_equal(read_line(&without, &s, "-text -version", &err), CLI_DONE);
}

static void test_only_operand(void **state)
{
    struct error err = {0};
    const char *file = NULL;

    (void)state;
    assert_true(cli_only_operand(&file, "table", "a.csv", &err));
    assert_string_equal(file, "a.csv");
    assert_false(cli_only_operand(&file, "table", "b.csv", &err));
    assert_string_equal(err.text, "more than one table: a.csv and b.csv");
    assert_string_equal(file, "a.csv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),      cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_switches),     cmocka_unit_test(test_lists),
        cmocka_unit_test(test_options),      cmocka_unit_test(test_operands),
        cmocka_unit_test(test_mistakes),     cmocka_unit_test(test_help),
        cmocka_unit_test(test_only_operand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
