/*
 * Runs a fuzz harness over the files of a folder, each once. A file named *.hex holds the bytes of
 * the input as hexadecimal text.
 */
#include "tests/fuzz/fuzz.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In place; returns the number of bytes. */
static size_t from_hex(uint8_t *data, size_t size)
{
    size_t n = 0, digits = 0;

    for (size_t i = 0; i < size; i++) {
        char c[2] = {(char)data[i], 0};

        if (!isxdigit((unsigned char)c[0]))
            continue;
        if (digits++ % 2 == 0)
            data[n] = (uint8_t)(strtoul(c, NULL, 16) << 4);
        else
            data[n++] |= (uint8_t)strtoul(c, NULL, 16);
    }
    return n;
}

static int run_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    uint8_t *data;
    size_t length = strlen(path);
    long size;
    int ok;

    if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0) {
        perror(path);
        return 0;
    }
    rewind(f);
    data = malloc((size_t)size + 1);
    ok = data && fread(data, 1, (size_t)size, f) == (size_t)size;
    fclose(f);
    if (ok && length > 4 && !strcmp(path + length - 4, ".hex"))
        size = (long)from_hex(data, (size_t)size);
    if (ok)
        LLVMFuzzerTestOneInput(data, (size_t)size);
    else
        perror(path);
    free(data);
    return ok;
}

int main(int argc, char **argv)
{
    unsigned files = 0;
    struct dirent *e;
    DIR *dir;

    if (argc != 2 || !(dir = opendir(argv[1]))) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    while ((e = readdir(dir))) {
        char path[4096];

        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof(path), "%s/%s", argv[1], e->d_name);
        if (!run_file(path))
            return 1;
        files++;
    }
    closedir(dir);
    printf("%u files\n", files);
    return files ? 0 : 1;
}
