/* Code of a kernel: raw, or text for gencc in the folder of this program, or else in PATH. */
#include "programs/mali-run/kernel.h"

#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/base/alloc.h"

extern char **environ;

enum { MAX_CODE = 1 << 24 };

/* Reads the code in a stream, 1 to MAX_CODE bytes. NULL: *err has the reason. */
static uint8_t *read_code(FILE *in, const char *file, size_t *bytes, struct error *err)
{
    uint8_t *code = xcalloc(1, MAX_CODE + 1);

    *bytes = fread(code, 1, MAX_CODE + 1, in);
    if (!ferror(in) && *bytes && *bytes <= MAX_CODE)
        return code;
    error_set(err, "%.150s: %s", file,
              ferror(in) ? "cannot be read"
              : *bytes   ? "too much code"
                         : "there is no code in it");
    free(code);
    return NULL;
}

static uint8_t *read_raw(const char *file, size_t *bytes, struct error *err)
{
    FILE *in = fopen(file, "rb");
    uint8_t *code;

    if (!in)
        return error_null(err, "%.200s: %s", file, strerror(errno));
    code = read_code(in, file, bytes, err);
    fclose(in);
    return code;
}

void kernel_tool(char *path, size_t size, const char *name)
{
    ssize_t n = readlink("/proc/self/exe", path, size);
    char *slash;

    path[n > 0 && (size_t)n < size ? n : 0] = 0;
    slash = strrchr(path, '/');
    if (slash && (size_t)(slash + 1 - path) + strlen(name) < size) {
        strcpy(slash + 1, name);
        if (access(path, X_OK) == 0)
            return;
    }
    snprintf(path, size, "%s", name);
}

/* Runs a program with its output in `out`. false: it could not be run, or failed. */
static bool run_program(char *const *argv, FILE *out)
{
    posix_spawn_file_actions_t actions;
    int status = -1;
    pid_t child;
    bool good;

    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, fileno(out), STDOUT_FILENO);
    good = !posix_spawnp(&child, argv[0], &actions, NULL, argv, environ) &&
           waitpid(child, &status, 0) == child && WIFEXITED(status) && !WEXITSTATUS(status);
    posix_spawn_file_actions_destroy(&actions);
    return good;
}

static uint8_t *assemble_kernel(const struct kernel *k, const char *isa, size_t *bytes,
                                struct error *err)
{
    char gencc[PATH_MAX];
    const char *argv[] = {gencc,   "asm", "--isa", isa, k->file, k->arch ? "--arch" : NULL,
                          k->arch, NULL};
    FILE *out = tmpfile();
    uint8_t *code = NULL;

    kernel_tool(gencc, sizeof(gencc), "gencc");
    if (!out)
        error_set(err, "no temporary file can be made: %s", strerror(errno));
    else if (!run_program((char *const *)argv, out))
        error_set(err, "%.200s cannot be assembled", k->file);
    else {
        rewind(out);
        code = read_code(out, k->file, bytes, err);
    }
    if (out)
        fclose(out);
    return code;
}

uint8_t *kernel_code(const struct kernel *k, const char *isa, size_t *bytes, struct error *err)
{
    size_t length = strlen(k->file);

    if (length > 2 && !strcmp(k->file + length - 2, ".s"))
        return assemble_kernel(k, isa, bytes, err);
    return read_raw(k->file, bytes, err);
}
