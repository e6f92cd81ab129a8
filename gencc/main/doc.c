/*
 * `gencc doc`: the reference page.
 */
#include "gencc/emit/html.h"
#include "gencc/main/driver.h"

#include <errno.h>
#include <string.h>

static int write_page(const struct isa *isa, const char *path)
{
    FILE *o = !path || !strcmp(path, "-") ? stdout : fopen(path, "w");
    bool ok;

    if (!o) {
        fprintf(stderr, "gencc doc: %s: %s\n", path, strerror(errno));
        return 2;
    }
    emit_html(o, isa);
    ok = !ferror(o);
    if (o != stdout)
        ok &= fclose(o) == 0;
    if (!ok)
        fprintf(stderr, "gencc doc: %s: %s\n", path ? path : "output", strerror(errno));
    return ok ? 0 : 2;
}

int command_doc(int argc, char **argv)
{
    struct driver d = {0};
    const char *out = NULL, *v;
    bool bad = false;
    int status = 0;
    struct isa *isa;

    for (int i = 1; i < argc && !bad; i++) {
        if ((v = option_value(argc, argv, &i, "o", &bad)))
            out = v;
        else if (!bad && !driver_option(&d, argc, argv, &i, &bad)) {
            if (bad || argv[i][0] == '-' || d.arch)
                return bad ? 2 : bad_argument("doc", argv[i]);
            d.arch = argv[i];
        }
    }
    if (bad)
        return 2;
    if (driver_load(&d, STAGE_MODEL, &status) && (isa = driver_isa(&d, &status)))
        status = write_page(isa, out);
    driver_free(&d);
    return status;
}
