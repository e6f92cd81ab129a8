/* Names of kernels: what a file may say, and what is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/machine/kernel_names.h"

static struct kernel_names *names_of(const char *text, struct error *err)
{
    char path[] = "/tmp/gencc-names-XXXXXX";
    int fd = mkstemp(path);
    struct kernel_names *names;

    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    names = kernel_names_read(path, err);
    unlink(path);
    return names;
}

static void test_names(void **unused)
{
    struct error err = {""};
    struct kernel_names *names = names_of("# of the demo\n\n9ed6fe8cb49fc622 vecadd\n"
                                          "71387EEAAC2AC297  mat mul, tiled \r\n"
                                          "0000000000000000 zero",
                                          &err);

    (void)unused;
    assert_non_null(names);
    assert_string_equal(kernel_name(names, UINT64_C(0x9ed6fe8cb49fc622)), "vecadd");
    assert_string_equal(kernel_name(names, UINT64_C(0x71387eeaac2ac297)), "mat mul, tiled");
    assert_string_equal(kernel_name(names, 0), "zero");
    assert_null(kernel_name(names, 1));
    assert_null(kernel_name(NULL, 0));
    kernel_names_free(names);
}

static void test_refused(void **unused)
{
    static const char *const bad[] = {"9ed6fe8cb49fc62 short\n",
                                      "9ed6fe8cb49fc6221 long\n",
                                      "9ed6fe8cb49fc622\n",
                                      "9ed6fe8cb49fc622   \n",
                                      "vecadd\n",
                                      "0x9ed6fe8cb49fc622 x\n"};
    char text[2000] = "9ed6fe8cb49fc622 ";
    struct error err = {""};

    (void)unused;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        assert_null(names_of(bad[i], &err));
        assert_non_null(strstr(err.text, ":1: expected 16 hexadecimal digits and a name"));
    }
    memset(text + strlen(text), 'x', 1000);
    assert_null(names_of(text, &err));
    assert_null(kernel_names_read("/none/such", &err));
    assert_non_null(strstr(err.text, "cannot read the names of kernels in /none/such"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
