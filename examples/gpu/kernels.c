/*
 * Runs OpenCL kernels of files one after the other, and compares what they leave: kernels FOLDER LIST
 *
 * A line of LIST is `FILE KERNEL THREADS COUNT WORDS OPTION…`. The kernel's arguments are a buffer and COUNT; its
 * work-groups are of one thread; WORDS is what the buffer, of zeros before, must hold then: hexadecimal words of 32
 * bits, with commas. Lines of the same FILE and options that stand together share a program. Prints a line for
 * each, `KERNEL: right` or what is wrong; the status is 1 when one is.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl.h"

enum { MAX_LINE = 65536, MAX_WORDS = 4096 };

struct line {
    char file[64], kernel[64], options[256];
    size_t threads, words;
    cl_int count;
    uint32_t want[MAX_WORDS];
};

static bool read_words(struct line *l, char *text)
{
    l->words = 0;
    for (char *word = strtok(text, ","); word; word = strtok(NULL, ",")) {
        if (l->words == MAX_WORDS)
            return false;
        l->want[l->words++] = (uint32_t)strtoul(word, NULL, 16);
    }
    return l->words > 0;
}

static bool parse(struct line *l, const char *text)
{
    static char words[MAX_LINE];
    int end = 0;

    if (sscanf(text, "%63s %63s %zu %d %65535s %n", l->file, l->kernel, &l->threads, &l->count,
               words, &end) != 5)
        return false;
    snprintf(l->options, sizeof(l->options), "%s", text + end);
    l->options[strcspn(l->options, "\n")] = 0;
    return read_words(l, words);
}

static cl_program open_program(struct compute *c, const char *folder, const struct line *l)
{
    static char source[MAX_LINE];
    char path[4096];
    FILE *in;
    size_t n;

    snprintf(path, sizeof(path), "%s/%s", folder, l->file);
    in = fopen(path, "r");
    n = in ? fread(source, 1, sizeof(source) - 1, in) : 0;
    if (!n) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(1);
    }
    fclose(in);
    source[n] = 0;
    return compute_program(c, source, l->options);
}

/* Whether the kernel leaves what it has to. */
static bool run(struct compute *c, cl_program program, const struct line *l)
{
    static uint32_t got[MAX_WORDS];
    size_t bytes = l->words * sizeof(*got), one = 1, at = 0;
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, l->kernel, &status);
    cl_mem buffer;

    compute_check(status, l->kernel);
    memset(got, 0, bytes);
    buffer = compute_buffer(c, got, bytes);
    compute_check(clSetKernelArg(kernel, 0, sizeof(buffer), &buffer), "clSetKernelArg");
    compute_check(clSetKernelArg(kernel, 1, sizeof(l->count), &l->count), "clSetKernelArg");
    compute_check(
        clEnqueueNDRangeKernel(c->queue, kernel, 1, NULL, &l->threads, &one, 0, NULL, NULL),
        "clEnqueueNDRangeKernel");
    compute_check(compute_read(c, buffer, got, bytes), "clEnqueueReadBuffer");
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    while (at < l->words && got[at] == l->want[at])
        at++;
    if (at == l->words)
        printf("%s: right\n", l->kernel);
    else
        printf("%s: word %zu is %08x, not %08x\n", l->kernel, at, got[at], l->want[at]);
    fflush(stdout);
    return at == l->words;
}

int main(int argc, char **argv)
{
    static char text[MAX_LINE];
    static struct line line, before;
    struct compute c = compute_open();
    FILE *list = argc == 3 ? fopen(argv[2], "r") : NULL;
    cl_program program = NULL;
    bool good = list != NULL;

    while (list && fgets(text, sizeof(text), list)) {
        if (!parse(&line, text)) {
            printf("no kernel: %s", text);
            return 1;
        }
        if (strcmp(line.file, before.file) || strcmp(line.options, before.options)) {
            if (program)
                clReleaseProgram(program);
            program = open_program(&c, argv[1], &line);
        }
        good &= run(&c, program, &line);
        before = line;
    }
    compute_close(&c);
    return !good;
}
