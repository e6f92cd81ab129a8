/* Images of OpenGL ES 3.1 in compute shaders: levels, cubes, gathers, shadows, loads and stores. */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "gles.h"

enum { SIZE = 16, LEVELS = 5, COUNT = 64 };

static unsigned cases, failed;

/* ---- running a shader ------------------------------------------------------------------------ */

static void compile_shader(const char *declarations, const char *body)
{
    const char *const text[] = {
        "#version 310 es\n"
        "#extension GL_OES_shader_image_atomic : enable\n"
        "precision highp float; precision highp int;\n"
        "precision highp sampler2D; precision highp samplerCube;\n"
        "precision highp sampler2DShadow; precision highp image2D;\n"
        "precision highp uimage2D;\n"
        "layout(local_size_x = 64) in;\n"
        "layout(std430, binding = 0) buffer Out { vec4 to[]; };\n",
        declarations, "void main() { int i = int(gl_GlobalInvocationID.x);\n", body, "}\n"};

    glUseProgram(gles_compute_program(text, sizeof(text) / sizeof(*text)));
}

/* Runs COUNT threads of a shader; returns the contents of `to`. */
static float (*run_shader(const char *declarations, const char *body))[4]
{
    static float results[COUNT][4];
    GLuint buffer;
    const void *to;

    compile_shader(declarations, body);
    glGenBuffers(1, &buffer);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffer);
    glBufferData(GL_SHADER_STORAGE_BUFFER, sizeof(results), NULL, GL_DYNAMIC_COPY);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, 0, buffer);
    glDispatchCompute(COUNT / 64, 1, 1);
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
    glFinish();
    to = glMapBufferRange(GL_SHADER_STORAGE_BUFFER, 0, sizeof(results), GL_MAP_READ_BIT);
    if (!to)
        gles_fail("glMapBufferRange", (int)glGetError());
    memcpy(results, to, sizeof(results));
    glUnmapBuffer(GL_SHADER_STORAGE_BUFFER);
    glDeleteBuffers(1, &buffer);
    return results;
}

static void check_results(const char *what, float (*got)[4], double (*want)(int i, int k),
                          double error)
{
    int wrong = 0, first = -1;

    for (int n = 0; n < COUNT * 4; n++)
        if (!(fabs(got[n / 4][n % 4] - want(n / 4, n % 4)) <= error)) {
            first = first < 0 ? n : first;
            wrong++;
        }
    cases++;
    failed += wrong != 0;
    if (wrong)
        printf("%s: %d wrong, thread %d component %d: %g, not %g\n", what, wrong, first / 4,
               first % 4, got[first / 4][first % 4], want(first / 4, first % 4));
}

/* ---- textures -------------------------------------------------------------------------------- */

static uint8_t red_of(int level, int layer, int x, int y)
{
    return (uint8_t)(level * 40 + layer * 25 + x * 5 + y * 3);
}

static GLuint make_texture(GLenum target, GLenum filter)
{
    GLuint t;

    glGenTextures(1, &t);
    glBindTexture(target, t);
    glTexParameteri(target, GL_TEXTURE_MIN_FILTER, (GLint)filter);
    glTexParameteri(target, GL_TEXTURE_MAG_FILTER,
                    filter == GL_LINEAR || filter == GL_LINEAR_MIPMAP_LINEAR ? GL_LINEAR
                                                                             : GL_NEAREST);
    glTexParameteri(target, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(target, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return t;
}

/* Fills a level of a 2-D texture, or a face of a cube: red is a pattern, green the level's number.
 * */
static void fill_level(GLenum face, int level, int layer)
{
    static uint8_t texels[SIZE][SIZE][4];
    int n = SIZE >> level;
    uint8_t *to = &texels[0][0][0];

    for (int y = 0; y < n; y++)
        for (int x = 0; x < n; x++, to += 4) {
            to[0] = red_of(level, layer, x, y);
            to[1] = (uint8_t)(level * 51);
            to[2] = (uint8_t)(layer * 51);
            to[3] = 255;
        }
    glTexSubImage2D(face, level, 0, 0, n, n, GL_RGBA, GL_UNSIGNED_BYTE, texels);
}

static double texel_component(int level, int layer, int x, int y, int k)
{
    return k == 0   ? red_of(level, layer, x, y) / 255.0
           : k == 1 ? level * 51 / 255.0
           : k == 2 ? layer * 51 / 255.0
                    : 1;
}

static int clamp_index(int i, int n)
{
    return i < 0 ? 0 : i >= n ? n - 1 : i;
}

static double sample_linear(int level, double s, double t, int k)
{
    int n = SIZE >> level;
    double x = s * n - 0.5, y = t * n - 0.5, v = 0;

    for (int c = 0; c < 4; c++) {
        int dx = c & 1, dy = c >> 1;
        double wx = x - floor(x), wy = y - floor(y);

        v += (dx ? wx : 1 - wx) * (dy ? wy : 1 - wy) *
             texel_component(level, 0, clamp_index((int)floor(x) + dx, n),
                             clamp_index((int)floor(y) + dy, n), k);
    }
    return v;
}

/* ---- the cases ------------------------------------------------------------------------------- */

static double want_fetch(int i, int k)
{
    int level = i % LEVELS, n = SIZE >> level;

    return texel_component(level, 0, i % n, i / 3 % n, k);
}

static double want_nearest_level(int i, int k)
{
    return texel_component((int)ceil(i / 16.0 + 0.5) - 1, 0, 0, 0, k);
}

static double want_trilinear(int i, int k)
{
    double lod = i / 16.0, part = lod - floor(lod), s = (i + 0.3) / COUNT, t = 0.37;

    return sample_linear((int)lod, s, t, k) * (1 - part) +
           sample_linear((int)lod + 1, s, t, k) * part;
}

static double want_gradient(int i, int k)
{
    double lod = (i % 5) < 4 ? i % 5 : 4;

    return k == 1 ? lod * 51 / 255.0 : 0;
}

static void test_levels(void)
{
    static const char sampler[] = "uniform sampler2D tex;\n";

    make_texture(GL_TEXTURE_2D, GL_NEAREST_MIPMAP_NEAREST);
    glTexStorage2D(GL_TEXTURE_2D, LEVELS, GL_RGBA8, SIZE, SIZE);
    for (int level = 0; level < LEVELS; level++)
        fill_level(GL_TEXTURE_2D, level, 0);
    check_results(
        "texelFetch",
        run_shader(
            sampler,
            "int n = 16 >> (i % 5); to[i] = texelFetch(tex, ivec2(i % n, i / 3 % n), i % 5);"),
        want_fetch, 1e-6);
    check_results("textureLod, nearest level",
                  run_shader(sampler, "to[i] = textureLod(tex, vec2(0.001), float(i) / 16.0);"),
                  want_nearest_level, 1e-6);
    check_results(
        "textureGrad",
        run_shader(sampler,
                   "vec2 d = vec2(exp2(float(i % 5)) / 16.0, 0.0);"
                   "to[i] = vec4(0.0, textureGrad(tex, vec2(0.5), d, vec2(0.0)).g, 0.0, 0.0);"),
        want_gradient, 1e-6);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    check_results(
        "textureLod, trilinear",
        run_shader(
            sampler,
            "to[i] = textureLod(tex, vec2((float(i) + 0.3) / 64.0, 0.37), float(i) / 16.0);"),
        want_trilinear, 1e-5);
}

static double want_gather(int i, int k)
{
    static const int dx[] = {0, 1, 1, 0}, dy[] = {1, 1, 0, 0};

    return texel_component(0, 0, i % 8 + dx[k], i / 8 + dy[k], 0);
}

static void test_gather(void)
{
    make_texture(GL_TEXTURE_2D, GL_NEAREST);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, SIZE, SIZE);
    fill_level(GL_TEXTURE_2D, 0, 0);
    check_results("textureGather",
                  run_shader("uniform sampler2D tex;\n",
                             "to[i] = textureGather(tex, (vec2(i % 8, i / 8) + 1.0) / 16.0);"),
                  want_gather, 1e-6);
}

/* A direction to the middle of each face. */
static double want_cube(int i, int k)
{
    return texel_component(0, i % 6, 8, 8, k);
}

/* Between +x and +z the edges of two faces meet: the mean of both. */
static double want_seam(int i, int k)
{
    return (texel_component(0, 0, 0, 8, k) + texel_component(0, 4, SIZE - 1, 8, k)) / 2 + 0 * i;
}

static void test_cube(void)
{
    static const char sampler[] = "uniform samplerCube tex;\n";

    make_texture(GL_TEXTURE_CUBE_MAP, GL_NEAREST);
    glTexStorage2D(GL_TEXTURE_CUBE_MAP, 1, GL_RGBA8, SIZE, SIZE);
    for (int face = 0; face < 6; face++)
        fill_level(GL_TEXTURE_CUBE_MAP_POSITIVE_X + (GLenum)face, 0, face);
    check_results("cube",
                  run_shader(sampler,
                             "int f = i % 6; float m = f % 2 == 0 ? 1.0 : -1.0, e = 0.01; vec3 d;"
                             "if (f < 2) d = vec3(m, -e, -e * m);"
                             "else if (f < 4) d = vec3(e, m, e * m);"
                             "else d = vec3(e * m, -e, m); to[i] = textureLod(tex, d, 0.0);"),
                  want_cube, 1e-6);
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_CUBE_MAP, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    check_results("cube, over a seam",
                  run_shader(sampler, "to[i] = textureLod(tex, vec3(1.0, -0.0625, 1.0), 0.0);"),
                  want_seam, 1e-3);
}

static double want_shadow(int i, int k)
{
    int x = i % 8;

    return (k == 0) * (((i / 8) / 8.0 <= x / 8.0 + 0.05) ? 1 : 0);
}

static void test_shadow(void)
{
    static uint16_t depth[8];

    for (int x = 0; x < 8; x++)
        depth[x] = (uint16_t)((x / 8.0 + 0.05) * 65535);
    make_texture(GL_TEXTURE_2D, GL_NEAREST);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_DEPTH_COMPONENT16, 8, 1);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 8, 1, GL_DEPTH_COMPONENT, GL_UNSIGNED_SHORT, depth);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    check_results(
        "shadow",
        run_shader(
            "uniform sampler2DShadow tex;\n",
            "float r = float(i / 8) / 8.0; vec3 p = vec3((float(i % 8) + 0.5) / 8.0, 0.5, r);"
            "to[i] = vec4(textureLod(tex, p, 0.0), 0.0, 0.0, 0.0);"),
        want_shadow, 1e-6);
}

/* Values of the bits of 10:10:10:2, 5:6:5, 5:5:5:1 and 11:11:10, one texel per thread. Mesa would
 * compress larger textures (AFBC). */
static double want_packed(int i, int k)
{
    static const int bits[4] = {10, 10, 10, 2}, at[4] = {0, 10, 20, 30};
    uint32_t word = (uint32_t)i * 0x9e3779b9u;

    return (word >> at[k] & ((1u << bits[k]) - 1)) / (double)((1 << bits[k]) - 1);
}

static double want_565(int i, int k)
{
    uint16_t word = (uint16_t)(i * 0x9e37);

    return k == 0   ? (word >> 11) / 31.0
           : k == 1 ? (word >> 5 & 63) / 63.0
           : k == 2 ? (word & 31) / 31.0
                    : 1;
}

static double want_float(int i, int k)
{
    return k == 3 ? 1 : k == 0 ? i : k == 1 ? i / 4.0 : 16 + i % 16;
}

static void test_formats(void)
{
    static const char sampler[] = "uniform sampler2D tex;\n";
    static const char body[] = "to[i] = texelFetch(tex, ivec2(i % 16, i / 16), 0);";
    static uint32_t words[COUNT];
    static uint16_t halves[COUNT];
    static float floats[COUNT][3];

    for (int i = 0; i < COUNT; i++) {
        words[i] = (uint32_t)i * 0x9e3779b9u;
        halves[i] = (uint16_t)(i * 0x9e37);
        for (int k = 0; k < 3; k++)
            floats[i][k] = (float)want_float(i, k);
    }
    make_texture(GL_TEXTURE_2D, GL_NEAREST);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGB10_A2, SIZE, COUNT / SIZE);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIZE, COUNT / SIZE, GL_RGBA,
                    GL_UNSIGNED_INT_2_10_10_10_REV, words);
    check_results("rgb10_a2", run_shader(sampler, body), want_packed, 1e-6);
    make_texture(GL_TEXTURE_2D, GL_NEAREST);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGB565, SIZE, COUNT / SIZE);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIZE, COUNT / SIZE, GL_RGB, GL_UNSIGNED_SHORT_5_6_5,
                    halves);
    check_results("rgb565", run_shader(sampler, body), want_565, 1e-6);
    make_texture(GL_TEXTURE_2D, GL_NEAREST);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_R11F_G11F_B10F, SIZE, COUNT / SIZE);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIZE, COUNT / SIZE, GL_RGB, GL_FLOAT, floats);
    check_results("r11f_g11f_b10f", run_shader(sampler, body), want_float, 1e-6);
    make_texture(GL_TEXTURE_2D, GL_NEAREST);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGB9_E5, SIZE, COUNT / SIZE);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, SIZE, COUNT / SIZE, GL_RGB, GL_FLOAT, floats);
    check_results("rgb9_e5", run_shader(sampler, body), want_float, 0.07);
}

/* Two textures at one place: Mesa combines them into one instruction. */
static double want_two(int i, int k)
{
    return texel_component(0, 0, i % SIZE, i / SIZE, k) -
           2 * texel_component(0, 3, i % SIZE, i / SIZE, k);
}

static void test_two(void)
{
    for (unsigned unit = 0; unit < 2; unit++) {
        glActiveTexture(GL_TEXTURE0 + unit);
        make_texture(GL_TEXTURE_2D, GL_NEAREST);
        glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, SIZE, SIZE);
        fill_level(GL_TEXTURE_2D, 0, unit ? 3 : 0);
    }
    glActiveTexture(GL_TEXTURE0);
    check_results(
        "two textures",
        run_shader(
            "layout(binding = 0) uniform sampler2D a; layout(binding = 1) uniform sampler2D b;\n",
            "vec2 p = (vec2(i % 16, i / 16) + 0.5) / 16.0;"
            "to[i] = textureLod(a, p, 0.0) - 2.0 * textureLod(b, p, 0.0);"),
        want_two, 1e-6);
}

/* One texel per column and operation; the 8 threads of a column work on it. */
static double want_atomic(int i, int k)
{
    int c = i % 8;
    double add = 100 + 8 * c + 224, bits = 255;

    switch (k ? -1 : i / 8) {
    case 0: /* sum of the numbers of the column's threads */
        return add;
    case 1: /* the largest, and the smallest number */
        return c + 56;
    case 2:
        return c;
    case 3: /* one bit per thread: set, flipped, cleared */
        return bits;
    case 4:
        return 1000 - 1000 % 256 + (255 ^ 1000 % 256);
    case 5:
        return 0;
    case 6: /* exchange: all write the same; compare: one finds the old value */
        return 77;
    case 7:
        return 1000 + c;
    default:
        return 0;
    }
}

static void test_atomics(void)
{
    static const uint32_t start[8] = {100, 0, 9999, 0, 1000, 255, 5, 1};
    uint32_t texels[8][8];
    GLuint t = make_texture(GL_TEXTURE_2D, GL_NEAREST);

    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 8; x++)
            texels[y][x] = start[y];
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_R32UI, 8, 8);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 8, 8, GL_RED_INTEGER, GL_UNSIGNED_INT, texels);
    glBindImageTexture(0, t, 0, GL_FALSE, 0, GL_READ_WRITE, GL_R32UI);
    run_shader("layout(r32ui, binding = 0) uniform uimage2D im;\n",
               "int c = i % 8; uint n = uint(i), bit = 1u << uint(i / 8);"
               "imageAtomicAdd(im, ivec2(c, 0), n); imageAtomicMax(im, ivec2(c, 1), n);"
               "imageAtomicMin(im, ivec2(c, 2), n); imageAtomicOr(im, ivec2(c, 3), bit);"
               "imageAtomicXor(im, ivec2(c, 4), bit); imageAtomicAnd(im, ivec2(c, 5), ~bit);"
               "imageAtomicExchange(im, ivec2(c, 6), 77u);"
               "imageAtomicCompSwap(im, ivec2(c, 7), 1u, uint(1000 + c));");
    glBindImageTexture(0, t, 0, GL_FALSE, 0, GL_READ_ONLY, GL_R32UI);
    check_results("image atomics",
                  run_shader("layout(r32ui, binding = 0) readonly uniform uimage2D im;\n",
                             "to[i] = vec4(imageLoad(im, ivec2(i % 8, i / 8)).x, 0.0, 0.0, 0.0);"),
                  want_atomic, 0);
}

/* Mesa compresses (AFBC) textures larger than a tile's 16 by 16 texels, unless PAN_MESA_DEBUG has
 * noafbc. */
enum { LARGE = 40 };

static double want_large(int i, int k)
{
    return k < 2 ? (k ? i * 7 % LARGE : i * 3 % LARGE) / 255.0 : k == 3;
}

static void test_large(void)
{
    static uint8_t texels[LARGE][LARGE][4];

    for (int y = 0; y < LARGE; y++)
        for (int x = 0; x < LARGE; x++)
            memcpy(texels[y][x], (uint8_t[4]){(uint8_t)x, (uint8_t)y, 0, 255}, 4);
    make_texture(GL_TEXTURE_2D, GL_NEAREST);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, LARGE, LARGE);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, LARGE, LARGE, GL_RGBA, GL_UNSIGNED_BYTE, texels);
    check_results("large",
                  run_shader("uniform sampler2D tex;\n",
                             "to[i] = texelFetch(tex, ivec2(i * 3 % 40, i * 7 % 40), 0);"),
                  want_large, 1e-6);
}

static double want_stored(int i, int k)
{
    return k == 0 ? i / 63.0 : k == 1 ? 1 - i / 63.0 : k == 2 ? 0 : 1;
}

static void test_stores(void)
{
    static const struct {
        GLenum format;
        const char *name;
    } formats[] = {{GL_RGBA8, "rgba8"}, {GL_RGBA16F, "rgba16f"}, {GL_RGBA32F, "rgba32f"}};
    char declarations[128];

    for (unsigned f = 0; f < 3; f++) {
        GLuint t = make_texture(GL_TEXTURE_2D, GL_NEAREST);

        glTexStorage2D(GL_TEXTURE_2D, 1, formats[f].format, 8, 8);
        glBindImageTexture(0, t, 0, GL_FALSE, 0, GL_WRITE_ONLY, formats[f].format);
        snprintf(declarations, sizeof(declarations),
                 "layout(%s, binding = 0) writeonly uniform image2D im;\n", formats[f].name);
        run_shader(declarations,
                   "float v = float(i) / 63.0;"
                   "imageStore(im, ivec2(i % 8, i / 8), vec4(v, 1.0 - v, 0.0, 1.0));");
        glBindImageTexture(0, t, 0, GL_FALSE, 0, GL_READ_ONLY, formats[f].format);
        snprintf(declarations, sizeof(declarations),
                 "layout(%s, binding = 0) readonly uniform image2D im;\n", formats[f].name);
        check_results(formats[f].name,
                      run_shader(declarations, "to[i] = imageLoad(im, ivec2(i % 8, i / 8));"),
                      want_stored, f ? 5e-4 : 2.1e-3);
    }
}

static void test_all(void)
{
    test_levels();
    test_gather();
    test_cube();
    test_shadow();
    test_formats();
    test_two();
    test_stores();
    test_atomics();
}

/* gles_images [large]: textures that fit into a tile, or one that does not. */
int main(int argc, char **argv)
{
    EGLDisplay display = gles_open();
    int large = argc > 1 && !strcmp(argv[1], "large");

    printf("renderer: %s\n", (const char *)glGetString(GL_RENDERER));
    if (large)
        test_large();
    else
        test_all();
    printf("gles_images%s: %u cases, %u failed, GL error %#x: %s\n", large ? " large" : "", cases,
           failed, (unsigned)glGetError(), failed ? "FAILED" : "ok");
    eglTerminate(display);
    return failed != 0;
}
