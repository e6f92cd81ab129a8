/*
 * `gencc fmt` and `gencc lsp`.
 */
#include "gencc/fmt/fmt.h"
#include "gencc/lsp/server.h"
#include "programs/gencc/driver.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static bool write_text(const char *path, const char *text)
{
    FILE *o = fopen(path, "w");
    bool ok = o && fputs(text, o) >= 0;

    ok = o && !fclose(o) && ok;
    if (!ok)
        fprintf(stderr, "gencc fmt: %s: %s\n", path, strerror(errno));
    return ok;
}

/* Lays out a file or, if `check`, only reports that it would change. Returns the exit status. */
static int format_file(const char *path, bool check)
{
    struct arena a = {0};
    struct diag d = {.arena = &a};
    const struct source_file *f = source_read(&d, path, (struct src_pos){0});
    const char *text = f ? fmt_text(&a, f->text, f->length) : NULL;
    int status = f ? 0 : 2;

    if (f && strcmp(text, f->text)) {
        if (check)
            printf("%s\n", path);
        status = check ? 1 : write_text(path, text) ? 0 : 2;
    }
    arena_free(&a);
    return status;
}

int command_fmt(int argc, char **argv)
{
    bool check = false;
    int status = 0, files = 0;

    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--check"))
            check = true;
        else if (argv[i][0] == '-')
            return bad_argument("fmt", argv[i]);
        else
            files++;
    }
    if (!files) {
        fputs("gencc fmt: expected files\n", stderr);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        int one = argv[i][0] == '-' ? 0 : format_file(argv[i], check);

        status = one > status ? one : status;
    }
    return status;
}

int command_lsp(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--stdio"))
            return bad_argument("lsp", argv[i]);
    return lsp_serve(STDIN_FILENO, STDOUT_FILENO);
}
