/*
 * Runs OpenCL kernels of files one after the other: launches FOLDER LIST [-out DIR] [-repeat N]
 *
 * A line of LIST is `NAME FILE KERNEL GLOBAL LOCAL ARGUMENT… [-- OPTION…]`; FILE is in FOLDER,
 * sizes are as `64x32x1`; what it includes may lie beside it. Adjacent lines of the same FILE and
 * options share a program. Empty lines, and lines that begin with `#`, are skipped. ARGUMENT is
 *
 *     u32:N f32:X    a number
 *     local:BYTES    memory of a work-group
 *     zero:BYTES     a buffer of zeros
 *     words:N:SEED   a buffer of N pseudo-random words of 32 bits, which follow from SEED
 *     floats:N:SEED  the same for numbers from 0 on, less than 1
 *     halves:N:SEED  the same for pairs of such numbers of 16 bits, one pair per word
 *     below:N:SEED:LIMIT  a buffer of N pseudo-random whole numbers, each less than LIMIT
 *     below:N:SEED:LIMIT:LIMIT  the same, the even ones less than the first, the odd less than the
 *                    second; so a pair may be a position and a count
 *
 * The text behind a `~` in an argument is for other programs, and ignored here. -out writes the
 * final content of buffer k of a launch to DIR/NAME.k. -repeat runs each launch N times, with the
 * initial content of the buffers, after one run to warm up. It prints best and median of the kernel
 * alone, by the clock and in processor time. One line is printed per launch; the status is 1 if
 * something is wrong.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "opencl.h"

enum { MAX_LINE = 4096, MAX_SOURCE = 65536, MAX_ARGUMENTS = 16, MAX_REPEAT = 1000 };

struct argument {
    cl_mem buffer; /* NULL: none */
    void *content;
    size_t bytes;
};

struct launch {
    char name[64], file[128], kernel[64], options[256];
    size_t global[3], local[3];
    cl_uint dimensions;
    char *words[MAX_ARGUMENTS];
    struct argument argument[MAX_ARGUMENTS];
    unsigned count;
};

static const char *out_folder;
static unsigned repeat;

static void exit_with(const char *what, const char *of)
{
    fprintf(stderr, "launches: %s: %s\n", of, what);
    exit(1);
}

/* ---- the list -------------------------------------------------------------------------------- */

static cl_uint read_size(size_t size[3], const char *text)
{
    return (cl_uint)sscanf(text, "%zux%zux%zu", &size[0], &size[1], &size[2]);
}

/* Splits a line, whose text must stay valid. false: the line is empty. */
static int parse_launch(struct launch *l, char *line)
{
    char *options = strstr(line, " -- "), *word;
    char global[64], local[64];
    int end;

    *l = (struct launch){.global = {1, 1, 1}, .local = {1, 1, 1}};
    line[strcspn(line, "\n")] = 0;
    if (!*line || *line == '#')
        return 0;
    if (options) {
        snprintf(l->options, sizeof(l->options), "%s", options + 4);
        *options = 0;
    }
    if (sscanf(line, "%63s %127s %63s %63s %63s%n", l->name, l->file, l->kernel, global, local,
               &end) != 5)
        exit_with("not NAME FILE KERNEL GLOBAL LOCAL", line);
    l->dimensions = read_size(l->global, global);
    if (!l->dimensions || read_size(l->local, local) != l->dimensions)
        exit_with("sizes are as 64x32x1", line);
    for (word = strtok(line + end, " "); word; word = strtok(NULL, " ")) {
        if (l->count == MAX_ARGUMENTS)
            exit_with("too many arguments", l->name);
        l->words[l->count++] = word;
    }
    return 1;
}

/* ---- arguments ------------------------------------------------------------------------------- */

/* A pseudo-random word for a number; as a float, or two halves, from 0 on and less than 1. */
static uint32_t make_word(uint32_t x, char kind)
{
    float f = (float)(x >> 8) * 0x1p-24f;

    x ^= x >> 16;
    if (kind == 'h')
        x = (x & 0x3fff) % 0x3c00 | (x >> 16 & 0x3fff) % 0x3c00 << 16;
    else if (kind == 'f')
        memcpy(&x, &f, sizeof(x));
    return x;
}

static void *make_words(size_t n, uint32_t seed, char kind)
{
    uint32_t *to = malloc(n * sizeof(*to)), x = seed * 2654435761u + 1;

    for (size_t i = 0; to && i < n; i++) {
        x = x * 1664525u + 1013904223u;
        to[i] = make_word(x, kind);
    }
    return to;
}

/* Makes the words of `floats:N:SEED` and the like, whose number N has been read up to `seed`. */
static void read_words(struct argument *a, const char *text, size_t n, const char *seed)
{
    uint32_t *words, limit[2] = {0};
    char *end;

    words = make_words(n, (uint32_t)strtoul(seed + 1, &end, 0), *text);
    a->bytes = n * sizeof(*words);
    a->content = words;
    if (*end == ':')
        limit[0] = limit[1] = (uint32_t)strtoul(end + 1, &end, 0);
    if (limit[0] && *end == ':')
        limit[1] = (uint32_t)strtoul(end + 1, NULL, 0);
    for (size_t i = 0; words && limit[0] && limit[1] && i < n; i++)
        words[i] %= limit[i & 1];
}

/* Sets an argument; fills a buffer with its initial content. */
static void set_argument(struct compute *c, cl_kernel kernel, unsigned n, const char *text,
                         struct argument *a)
{
    const char *value = strchr(text, ':');
    cl_uint number;
    cl_float real;
    size_t size;
    char *seed;

    if (!value)
        exit_with("not an argument", text);
    size = strtoull(++value, &seed, 0);
    if (!strncmp(text, "u32:", 4)) {
        number = (cl_uint)size;
        compute_check(clSetKernelArg(kernel, n, sizeof(number), &number), text);
    } else if (!strncmp(text, "f32:", 4)) {
        real = strtof(value, NULL);
        compute_check(clSetKernelArg(kernel, n, sizeof(real), &real), text);
    } else if (!strncmp(text, "local:", 6)) {
        compute_check(clSetKernelArg(kernel, n, size, NULL), text);
    } else {
        if (!strncmp(text, "zero:", 5)) {
            a->bytes = size;
            a->content = calloc(1, size);
        } else if (*seed == ':') {
            read_words(a, text, size, seed);
        }
        if (!a->content)
            exit_with("not an argument, or no memory for it", text);
        a->buffer = compute_buffer(c, a->content, a->bytes);
        compute_check(clSetKernelArg(kernel, n, sizeof(a->buffer), &a->buffer), text);
    }
}

static void fill_buffers(struct compute *c, const struct launch *l)
{
    for (unsigned n = 0; n < l->count; n++) {
        const struct argument *a = &l->argument[n];

        if (a->buffer)
            compute_check(clEnqueueWriteBuffer(c->queue, a->buffer, CL_TRUE, 0, a->bytes,
                                               a->content, 0, NULL, NULL),
                          "clEnqueueWriteBuffer");
    }
}

/* Writes the buffers if -out was given, and frees them. */
static void finish_launch(struct compute *c, struct launch *l)
{
    char path[4096];

    for (unsigned n = 0; n < l->count; n++) {
        struct argument *a = &l->argument[n];
        FILE *f;

        if (!a->buffer)
            continue;
        if (out_folder) {
            compute_check(compute_read(c, a->buffer, a->content, a->bytes), "clEnqueueReadBuffer");
            snprintf(path, sizeof(path), "%s/%s.%u", out_folder, l->name, n);
            f = fopen(path, "wb");
            if (!f || fwrite(a->content, 1, a->bytes, f) != a->bytes || fclose(f))
                exit_with("cannot be written", path);
        }
        clReleaseMemObject(a->buffer);
        free(a->content);
    }
}

/* ---- runs ------------------------------------------------------------------------------------ */

static double now_ms(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Duration of a run. */
struct took {
    double wall, cpu; /* ms */
};

static struct took run_once(struct compute *c, cl_kernel kernel, const struct launch *l)
{
    struct took t = {now_ms(CLOCK_MONOTONIC), now_ms(CLOCK_PROCESS_CPUTIME_ID)};

    compute_check(clEnqueueNDRangeKernel(c->queue, kernel, l->dimensions, NULL, l->global, l->local,
                                         0, NULL, NULL),
                  "clEnqueueNDRangeKernel");
    compute_check(clFinish(c->queue), "clFinish");
    return (struct took){now_ms(CLOCK_MONOTONIC) - t.wall,
                         now_ms(CLOCK_PROCESS_CPUTIME_ID) - t.cpu};
}

static void print_times(const char *what, double *ms)
{
    if (!repeat)
        return;
    qsort(ms, repeat, sizeof(*ms), by_size);
    printf("%s: best %.3f ms, median %.3f ms, of %u\n", what, ms[0],
           (ms[(repeat - 1) / 2] + ms[repeat / 2]) / 2, repeat);
}

static void run_launch(struct compute *c, cl_program program, struct launch *l)
{
    static double wall[MAX_REPEAT], cpu[MAX_REPEAT];
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, l->kernel, &status);

    compute_check(status, l->kernel);
    for (unsigned n = 0; n < l->count; n++)
        set_argument(c, kernel, n, l->words[n], &l->argument[n]);
    run_once(c, kernel, l);
    for (unsigned i = 0; i < repeat; i++) {
        struct took t;

        fill_buffers(c, l);
        t = run_once(c, kernel, l);
        wall[i] = t.wall;
        cpu[i] = t.cpu;
    }
    finish_launch(c, l);
    clReleaseKernel(kernel);
    printf("%s: done\n", l->name);
    print_times("run", wall);
    print_times("processors", cpu);
    fflush(stdout);
}

static cl_program open_program(struct compute *c, const char *folder, const struct launch *l)
{
    static char source[MAX_SOURCE];
    char path[4096], options[5000];
    FILE *in;
    size_t n;

    snprintf(path, sizeof(path), "%s/%s", folder, l->file);
    in = fopen(path, "r");
    n = in ? fread(source, 1, sizeof(source) - 1, in) : 0;
    if (!n)
        exit_with("cannot be read", path);
    fclose(in);
    source[n] = 0;
    snprintf(options, sizeof(options), "-I %.*s %s", (int)(strrchr(path, '/') - path), path,
             l->options);
    return compute_program(c, source, options);
}

static void read_options(int argc, char **argv)
{
    for (int i = 3; i < argc; i += 2) {
        if (i + 1 < argc && !strcmp(argv[i], "-out"))
            out_folder = argv[i + 1];
        else if (i + 1 < argc && !strcmp(argv[i], "-repeat"))
            repeat = (unsigned)strtoul(argv[i + 1], NULL, 0);
        else
            exit_with("not an option", argv[i]);
    }
    if (repeat > MAX_REPEAT)
        exit_with("too often", "-repeat");
}

int main(int argc, char **argv)
{
    static char line[MAX_LINE];
    static struct launch l, before;
    FILE *list = argc >= 3 ? fopen(argv[2], "r") : NULL;
    cl_program program = NULL;
    struct compute c;

    if (!list)
        exit_with("launches FOLDER LIST [-out DIR] [-repeat N]", "usage");
    read_options(argc, argv);
    c = compute_open();
    while (fgets(line, sizeof(line), list)) {
        if (!parse_launch(&l, line))
            continue;
        if (strcmp(l.file, before.file) || strcmp(l.options, before.options)) {
            if (program)
                clReleaseProgram(program);
            program = open_program(&c, argv[1], &l);
        }
        run_launch(&c, program, &l);
        before = l;
    }
    fclose(list);
    compute_close(&c);
    return 0;
}
