/* Images on the GPU: reads through samplers of all kinds, and writes, compared with the results
 * that OpenCL's specification requires. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "opencl.h"

enum { WIDTH = 13, HEIGHT = 7, DEPTH = 5, POINTS = 256, TEXELS = WIDTH * HEIGHT * DEPTH };

/* Source of the kernels; -DNAME=value sets its parameters. */
static const char source[] =
    "kernel void sample(read_only IMAGE im, sampler_t s, global const float4 *at,\n"
    "                   global VALUE *to)\n"
    "{ size_t i = get_global_id(0); float4 p = at[i]; to[i] = READ(im, s, POINT); }\n";
static const char writer[] =
    "kernel void put(write_only IMAGE im, global const VALUE *from)\n"
    "{ int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);\n"
    "  WRITE(im, POINT, from[x + WIDTH * (y + HEIGHT * z)]); }\n";

static const char turner[] =
    "kernel void turn(read_only IMAGE from, write_only IMAGE to)\n"
    "{ int x = get_global_id(0); WRITE(to, POINT, READ(from, WIDTH - 1 - x)); }\n";

struct format {
    const char *name;
    cl_channel_order order;
    cl_channel_type type;
    unsigned channels, bytes; /* bytes per channel */
};

static const struct format formats[] = {
    {"rgba unorm8", CL_RGBA, CL_UNORM_INT8, 4, 1},
    {"bgra unorm8", CL_BGRA, CL_UNORM_INT8, 4, 1},
    {"rgba snorm16", CL_RGBA, CL_SNORM_INT16, 4, 2},
    {"rgba half", CL_RGBA, CL_HALF_FLOAT, 4, 2},
    {"rgba float", CL_RGBA, CL_FLOAT, 4, 4},
    {"r unorm8", CL_R, CL_UNORM_INT8, 1, 1},
    {"rg unorm16", CL_RG, CL_UNORM_INT16, 2, 2},
    {"r float", CL_R, CL_FLOAT, 1, 4},
    {"rgba uint8", CL_RGBA, CL_UNSIGNED_INT8, 4, 1},
    {"rgba sint16", CL_RGBA, CL_SIGNED_INT16, 4, 2},
    {"r uint32", CL_R, CL_UNSIGNED_INT32, 1, 4},
    {"rg sint8", CL_RG, CL_SIGNED_INT8, 2, 1},
    {"rgba uint32", CL_RGBA, CL_UNSIGNED_INT32, 4, 4},
};

struct shape {
    const char *name, *image, *point, *place;
    cl_mem_object_type type;
    unsigned axes;   /* dimensions with addresses */
    unsigned layers; /* 1: the next coordinate is a layer's number */
};

static const struct shape shapes[] = {
    {"2d", "image2d_t", "p.xy", "(int2)(x,y)", CL_MEM_OBJECT_IMAGE2D, 2, 0},
    {"3d", "image3d_t", "p", "(int4)(x,y,z,0)", CL_MEM_OBJECT_IMAGE3D, 3, 0},
    {"array", "image2d_array_t", "p", "(int4)(x,y,z,0)", CL_MEM_OBJECT_IMAGE2D_ARRAY, 2, 1},
    {"1d", "image1d_t", "p.x", "x", CL_MEM_OBJECT_IMAGE1D, 1, 0},
    {"1d array", "image1d_array_t", "p.xy", "(int2)(x,y)", CL_MEM_OBJECT_IMAGE1D_ARRAY, 1, 1},
};

static const struct {
    const char *name;
    cl_addressing_mode mode;
    int normalized;
} modes[] = {
    {"edge", CL_ADDRESS_CLAMP_TO_EDGE, 0},
    {"border", CL_ADDRESS_CLAMP, 0},
    {"edge, normalised", CL_ADDRESS_CLAMP_TO_EDGE, 1},
    {"border, normalised", CL_ADDRESS_CLAMP, 1},
    {"repeat", CL_ADDRESS_REPEAT, 1},
    {"mirrored", CL_ADDRESS_MIRRORED_REPEAT, 1},
};

static const unsigned size[3] = {WIDTH, HEIGHT, DEPTH};
static unsigned cases, failed;

static uint32_t random_word(void)
{
    static uint32_t state = 12345;

    state = state * 1664525u + 1013904223u;
    return state >> 8 ^ state << 20;
}

/* ---- texels ---------------------------------------------------------------------------------- */

static int is_integer(const struct format *f)
{
    return f->type >= CL_SIGNED_INT8 && f->type <= CL_UNSIGNED_INT32;
}

static int is_signed(const struct format *f)
{
    return f->type >= CL_SIGNED_INT8 && f->type <= CL_SIGNED_INT32;
}

static double half_value(uint16_t h)
{
    double m = h & 0x3ff, e = h >> 10 & 31;
    double v = e ? (1 + m / 1024) * pow(2, e - 15) : m / 1024 * pow(2, -14);

    return h >> 15 ? -v : v;
}

/* Reads the channel at `p`. */
static double read_channel(const struct format *f, const uint8_t *p)
{
    uint32_t u = 0;
    float real;
    double v;

    memcpy(&u, p, f->bytes);
    switch (f->type) {
    case CL_UNORM_INT8:
        return u / 255.0;
    case CL_UNORM_INT16:
        return u / 65535.0;
    case CL_SNORM_INT16:
        v = (int16_t)u / 32767.0;
        return v < -1 ? -1 : v;
    case CL_HALF_FLOAT:
        return half_value((uint16_t)u);
    case CL_FLOAT:
        memcpy(&real, &u, sizeof(real));
        return real;
    case CL_SIGNED_INT8:
        return (int8_t)u;
    case CL_SIGNED_INT16:
        return (int16_t)u;
    default:
        return u;
    }
}

static void read_texel(const struct format *f, const uint8_t *data, const int i[3], double v[4])
{
    const uint8_t *p =
        data + (size_t)(i[0] + WIDTH * (i[1] + HEIGHT * i[2])) * f->channels * f->bytes;

    for (unsigned k = 0; k < 4; k++)
        v[k] = k < f->channels ? read_channel(f, p + k * f->bytes) : k == 3;
    if (f->order == CL_BGRA) {
        double blue = v[0];

        v[0] = v[2];
        v[2] = blue;
    }
}

/* Random texels; floats between -1 and 1. */
static void fill_random(const struct format *f, uint8_t *data)
{
    for (size_t i = 0; i < (size_t)TEXELS * f->channels; i++) {
        uint32_t v = random_word();
        float real = (float)(int32_t)v / 0x1p31f;

        if (f->type == CL_HALF_FLOAT)
            v &= 0xbbff;
        if (f->type == CL_FLOAT)
            memcpy(&v, &real, sizeof(v));
        memcpy(data + i * f->bytes, &v, f->bytes);
    }
}

/* ---- what the specification of OpenCL says --------------------------------------------------- */

/* An image, and a sampler of it. */
struct sampling {
    const struct format *format;
    const struct shape *shape;
    const uint8_t *data;
    unsigned mode; /* index of `modes` */
    int linear;
};

/* The texels on an axis for a coordinate, and the second one's weight; -1: the border. */
static unsigned texels_on_axis(const struct sampling *by, float s, int n, int i[2], double *weight)
{
    cl_addressing_mode mode = modes[by->mode].mode;
    int linear = by->linear;
    double u = !modes[by->mode].normalized          ? s
               : mode == CL_ADDRESS_REPEAT          ? (s - floor(s)) * n
               : mode == CL_ADDRESS_MIRRORED_REPEAT ? fabs(s - 2 * rint(0.5 * s)) * n
                                                    : (double)s * n;
    unsigned count = linear ? 2 : 1;

    u -= linear ? 0.5 : 0;
    i[0] = (int)floor(u);
    i[1] = i[0] + 1;
    *weight = u - floor(u);
    for (unsigned k = 0; k < count; k++) {
        if (mode == CL_ADDRESS_REPEAT)
            i[k] = i[k] < 0 ? i[k] + n : i[k] >= n ? i[k] - n : i[k];
        else if (mode == CL_ADDRESS_CLAMP)
            i[k] = i[k] < 0 || i[k] >= n ? -1 : i[k];
        else
            i[k] = i[k] < 0 ? 0 : i[k] >= n ? n - 1 : i[k];
    }
    return count;
}

static void expected_sample(const struct sampling *by, const float p[4], double v[4])
{
    const struct format *f = by->format;
    const struct shape *shape = by->shape;
    int i[3][2] = {{0}}, at[3];
    unsigned count[3] = {1, 1, 1};
    double weight[3] = {0}, one[4];

    for (unsigned a = 0; a < shape->axes; a++)
        count[a] = texels_on_axis(by, p[a], (int)size[a], i[a], &weight[a]);
    if (shape->layers) {
        int layer = (int)rintf(p[shape->axes]), count = (int)size[shape->axes];

        i[shape->axes][0] = layer < 0 ? 0 : layer >= count ? count - 1 : layer;
    }
    memset(v, 0, 4 * sizeof(*v));
    for (unsigned n = 0; n < 8; n++) {
        double w = 1;
        int out = 0, none = 0;

        for (unsigned a = 0; a < 3; a++) {
            unsigned second = n >> a & 1;

            none |= second >= count[a];
            at[a] = i[a][second];
            out |= at[a] < 0;
            if (count[a] == 2)
                w *= second ? weight[a] : 1 - weight[a];
        }
        if (none)
            continue;
        if (out)
            for (unsigned k = 0; k < 4; k++)
                one[k] = k == 3 && f->channels < 4;
        else
            read_texel(f, by->data, at, one);
        for (unsigned k = 0; k < 4; k++)
            v[k] += w * one[k];
    }
}

/* ---- running --------------------------------------------------------------------------------- */

static const char *value_name(const struct format *f)
{
    return !is_integer(f) ? "f" : is_signed(f) ? "i" : "ui";
}

static cl_kernel build_kernel(struct compute *c, const struct format *f, const struct shape *s,
                              const char *text, const char *name, const char *point)
{
    char all[2048];

    snprintf(
        all, sizeof(all),
        "#define IMAGE %s\n#define VALUE %s\n#define READ read_image%s\n"
        "#define WRITE write_image%s\n#define POINT %s\n#define WIDTH %d\n#define HEIGHT %d\n%s",
        s->image,
        !is_integer(f) ? "float4"
        : is_signed(f) ? "int4"
                       : "uint4",
        value_name(f), value_name(f), point, WIDTH, HEIGHT, text);
    return compute_kernel(c, all, name);
}

static cl_mem make_image(struct compute *c, const struct format *f, const struct shape *s,
                         void *data)
{
    cl_image_format format = {f->order, f->type};
    cl_image_desc desc = {.image_type = s->type, .image_width = WIDTH};
    cl_int status;
    cl_mem m;

    desc.image_height = s->axes > 1 ? HEIGHT : 0;
    desc.image_depth = s->axes > 2 ? DEPTH : 0;
    desc.image_array_size = s->layers ? size[s->axes] : 0;
    m = clCreateImage(c->context, CL_MEM_READ_WRITE | (data ? CL_MEM_COPY_HOST_PTR : 0), &format,
                      &desc, data, &status);
    if (status == CL_IMAGE_FORMAT_NOT_SUPPORTED)
        return NULL;
    compute_check(status, "clCreateImage");
    return m;
}

static double decode_result(const struct format *f, uint32_t word)
{
    float real;

    memcpy(&real, &word, sizeof(real));
    if (!is_integer(f))
        return real;
    return is_signed(f) ? (double)(int32_t)word : (double)word;
}

static void report_case(const char *what, const struct format *f, const struct shape *s,
                        const char *mode, unsigned wrong)
{
    cases++;
    if (!wrong)
        return;
    failed++;
    printf("%s %s %s %s: %u wrong\n", what, f->name, s->name, mode, wrong);
}

/* Points in and around the image, none of them close to the border between two texels. */
static void choose_points(float (*at)[4], int normalized)
{
    for (unsigned i = 0; i < POINTS; i++)
        for (unsigned a = 0; a < 4; a++) {
            int n = a < 3 ? (int)size[a] : 1;
            float u = (float)((int)(random_word() % (3 * (unsigned)n)) - n) +
                      (float)(1 + random_word() % 3 + 4 * (random_word() & 1)) / 8;

            at[i][a] = normalized ? u / (float)n : u;
        }
}

static unsigned compare_points(const struct sampling *by, float (*at)[4], uint32_t (*to)[4])
{
    const struct format *f = by->format;
    unsigned wrong = 0;

    for (unsigned i = 0; i < POINTS; i++) {
        double v[4];
        int bad = 0;

        expected_sample(by, at[i], v);
        for (unsigned k = 0; k < 4; k++)
            bad |= fabs(decode_result(f, to[i][k]) - v[k]) > (is_integer(f) ? 0
                                                              : by->linear  ? 1e-4
                                                                            : 1e-6);
        if (bad && !wrong)
            printf("at %g %g %g: %g %g %g %g, not %g %g %g %g\n", at[i][0], at[i][1], at[i][2],
                   decode_result(f, to[i][0]), decode_result(f, to[i][1]),
                   decode_result(f, to[i][2]), decode_result(f, to[i][3]), v[0], v[1], v[2], v[3]);
        wrong += (unsigned)bad;
    }
    return wrong;
}

static void run_sampler(struct compute *c, const struct sampling *by, cl_kernel kernel, cl_mem im)
{
    const struct shape *s = by->shape;
    unsigned mode = by->mode;
    static float at[POINTS][4];
    static uint32_t to[POINTS][4];
    size_t count = POINTS;
    const cl_sampler_properties properties[] = {
        CL_SAMPLER_NORMALIZED_COORDS,
        (cl_sampler_properties)modes[mode].normalized,
        CL_SAMPLER_ADDRESSING_MODE,
        modes[mode].mode,
        CL_SAMPLER_FILTER_MODE,
        by->linear ? CL_FILTER_LINEAR : CL_FILTER_NEAREST,
        0,
    };
    cl_int status;
    cl_sampler sampler = clCreateSamplerWithProperties(c->context, properties, &status);
    cl_mem points, results;

    compute_check(status, "clCreateSamplerWithProperties");
    choose_points(at, modes[mode].normalized);
    if (s->layers)
        for (unsigned i = 0; i < POINTS; i++)
            at[i][s->axes] = (float)(int)(random_word() % (size[s->axes] + 4)) - 2;
    points = compute_buffer(c, at, sizeof(at));
    results = compute_buffer(c, NULL, sizeof(to));
    compute_check(clSetKernelArg(kernel, 0, sizeof(im), &im), "clSetKernelArg");
    compute_check(clSetKernelArg(kernel, 1, sizeof(sampler), &sampler), "clSetKernelArg");
    compute_check(clSetKernelArg(kernel, 2, sizeof(points), &points), "clSetKernelArg");
    compute_check(clSetKernelArg(kernel, 3, sizeof(results), &results), "clSetKernelArg");
    compute_check(clEnqueueNDRangeKernel(c->queue, kernel, 1, NULL, &count, NULL, 0, NULL, NULL),
                  "clEnqueueNDRangeKernel");
    compute_check(compute_read(c, results, to, sizeof(to)), "clEnqueueReadBuffer");
    report_case(by->linear ? "linear" : "nearest", by->format, s, modes[mode].name,
                compare_points(by, at, to));
    clReleaseMemObject(points);
    clReleaseMemObject(results);
    clReleaseSampler(sampler);
}

static void test_reads(struct compute *c, const struct format *f, const struct shape *s)
{
    static uint8_t data[TEXELS * 16];
    cl_mem im;

    fill_random(f, data);
    im = make_image(c, f, s, data);
    if (!im) {
        printf("%s %s is not supported here\n", f->name, s->name);
        return;
    }
    cl_kernel kernel = build_kernel(c, f, s, source, "sample", s->point);

    for (unsigned mode = 0; mode < sizeof(modes) / sizeof(*modes); mode++)
        for (int linear = 0; linear <= !is_integer(f); linear++)
            run_sampler(c, &(struct sampling){f, s, data, mode, linear}, kernel, im);
    clReleaseKernel(kernel);
    clReleaseMemObject(im);
}

/* Writes texels that the format holds exactly. */
static void test_writes(struct compute *c, const struct format *f, const struct shape *s)
{
    static uint8_t data[TEXELS * 16], back[TEXELS * 16];
    static uint32_t from[TEXELS][4];
    size_t zero[3] = {0}, range[3] = {WIDTH, s->axes + s->layers > 1 ? HEIGHT : 1,
                                      s->axes + s->layers > 2 ? DEPTH : 1};
    size_t bytes = range[0] * range[1] * range[2] * f->channels * f->bytes;
    cl_mem im = make_image(c, f, s, NULL), texels;

    if (!im)
        return;
    cl_kernel kernel = build_kernel(c, f, s, writer, "put", s->place);

    fill_random(f, data);
    for (int i = 0; i < TEXELS; i++) {
        int at[3] = {i % WIDTH, i / WIDTH % HEIGHT, i / WIDTH / HEIGHT};
        double v[4];

        read_texel(f, data, at, v);
        for (unsigned k = 0; k < 4; k++) {
            float real = (float)v[k];

            from[i][k] = is_integer(f) ? (uint32_t)(int64_t)v[k] : 0;
            if (!is_integer(f))
                memcpy(&from[i][k], &real, sizeof(real));
        }
    }
    texels = compute_buffer(c, from, sizeof(from));
    compute_check(clSetKernelArg(kernel, 0, sizeof(im), &im), "clSetKernelArg");
    compute_check(clSetKernelArg(kernel, 1, sizeof(texels), &texels), "clSetKernelArg");
    compute_check(clEnqueueNDRangeKernel(c->queue, kernel, 3, NULL, range, NULL, 0, NULL, NULL),
                  "clEnqueueNDRangeKernel");
    compute_check(clEnqueueReadImage(c->queue, im, CL_TRUE, zero, range, 0, 0, back, 0, NULL, NULL),
                  "clEnqueueReadImage");
    unsigned wrong = 0;

    for (size_t i = 0; i < bytes; i++)
        wrong += back[i] != data[i];
    /* -1 in a signed normalised format has two encodings. */
    report_case("write", f, s, "", f->type == CL_SNORM_INT16 && wrong < 8 ? 0 : wrong);
    clReleaseMemObject(texels);
    clReleaseMemObject(im);
    clReleaseKernel(kernel);
}

/* Copies the texels of a buffer, in reverse order, to another buffer. */
static void test_buffers(struct compute *c, const struct format *f)
{
    static const struct shape shape = {
        .name = "buffer", .image = "image1d_buffer_t", .type = CL_MEM_OBJECT_IMAGE1D_BUFFER};
    static uint8_t data[TEXELS * 16], back[WIDTH * 16];
    const cl_image_format format = {f->order, f->type};
    size_t bytes = (size_t)f->channels * f->bytes, range = WIDTH;
    cl_mem memory[2], im[2];
    cl_kernel kernel = build_kernel(c, f, &shape, turner, "turn", "x");
    unsigned wrong = 0;

    fill_random(f, data);
    for (unsigned i = 0; i < 2; i++) {
        cl_image_desc desc = {.image_type = shape.type, .image_width = WIDTH};
        cl_int status;

        memory[i] = compute_buffer(c, i ? NULL : data, WIDTH * bytes);
        desc.buffer = memory[i];
        im[i] = clCreateImage(c->context, CL_MEM_READ_WRITE, &format, &desc, NULL, &status);
        compute_check(status, "clCreateImage of a buffer");
        compute_check(clSetKernelArg(kernel, i, sizeof(im[i]), &im[i]), "clSetKernelArg");
    }
    compute_check(clEnqueueNDRangeKernel(c->queue, kernel, 1, NULL, &range, NULL, 0, NULL, NULL),
                  "clEnqueueNDRangeKernel");
    compute_check(compute_read(c, memory[1], back, WIDTH * bytes), "clEnqueueReadBuffer");
    for (unsigned i = 0; i < WIDTH; i++)
        wrong += memcmp(back + i * bytes, data + (WIDTH - 1 - i) * bytes, bytes) != 0;
    report_case("turn", f, &shape, "", wrong);
    for (unsigned i = 0; i < 2; i++) {
        clReleaseMemObject(im[i]);
        clReleaseMemObject(memory[i]);
    }
    clReleaseKernel(kernel);
}

/* images [SHAPE]: tests all shapes, or one. */
int main(int argc, char **argv)
{
    struct compute c = compute_open();

    for (unsigned s = 0; s < sizeof(shapes) / sizeof(*shapes); s++) {
        if (argc > 1 && strcmp(argv[1], shapes[s].name))
            continue;
        for (unsigned f = 0; f < sizeof(formats) / sizeof(*formats); f++) {
            if (s && f % 3) /* the other shapes are tested with some formats only */
                continue;
            test_reads(&c, &formats[f], &shapes[s]);
            if (shapes[s].type != CL_MEM_OBJECT_IMAGE3D)
                test_writes(&c, &formats[f], &shapes[s]);
        }
    }
    for (unsigned f = 0; f < sizeof(formats) / sizeof(*formats); f++)
        if ((argc == 1 || !strcmp(argv[1], "buffer")) && formats[f].type != CL_SNORM_INT16)
            test_buffers(&c, &formats[f]);
    printf("images: %u cases, %u failed: %s\n", cases, failed, failed ? "FAILED" : "ok");
    compute_close(&c);
    return failed != 0;
}
