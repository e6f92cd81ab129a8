/*
 * Entry point for libFuzzer and AFL (-fsanitize=fuzzer): the input is a sequence of files as in the
 * tests of this folder, each begun by a line `// file NAME`; the first is the architecture.
 */
#include "gencc/model/model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_FILES = 8 };

/* Cuts the text at the marker lines; returns how many files there are. */
static unsigned cut(struct arena *a, char *text, struct source_file *files)
{
    static const char marker[] = "// file ";
    unsigned count = 0;
    char *at = strstr(text, marker);

    while (at && count < MAX_FILES) {
        char *end = strchr(at, '\n');
        char *next = end ? strstr(end, marker) : NULL;

        if (!end)
            break;
        files[count].path =
            arena_strndup(a, at + strlen(marker), (size_t)(end - at) - strlen(marker));
        files[count].length = next ? (size_t)(next - end - 1) : strlen(end + 1);
        files[count].text = arena_strndup(a, end + 1, files[count].length);
        count++;
        at = next;
    }
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct source_file files[MAX_FILES] = {0};
    struct arena a = {0};
    struct diag d = {.arena = &a, .out = fopen("/dev/null", "w")};
    char *text = arena_strndup(&a, (const char *)data, size);
    unsigned count = memchr(data, 0, size) ? 0 : cut(&a, text, files);

    if (d.out && count)
        model_build(&a, &d, ast_parse_arch_memory(&d, files, count));
    if (d.out)
        fclose(d.out);
    arena_free(&a);
    return 0;
}
