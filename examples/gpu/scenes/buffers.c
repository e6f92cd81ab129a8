/* Features of buffers and images: stores of shaders, atomics, indirect draws, feedback. */
#include <stdlib.h>
#include <string.h>

#include "scenes.h"

enum { WORDS = 1024, GROUP = 32, MOST_INDICES = 60 };

static GLuint make_buffer(GLenum target, const void *data, size_t bytes)
{
    GLuint name;

    glGenBuffers(1, &name);
    glBindBuffer(target, name);
    glBufferData(target, (GLsizeiptr)bytes, data, GL_DYNAMIC_COPY);
    return name;
}

/* Makes the buffer that shaders and feedback use as number 0. */
static void make_base(GLenum target, const void *data, size_t bytes)
{
    glBindBufferBase(target, 0, make_buffer(target, data, bytes));
}

/* The words of the buffer that is bound to the target, as a picture. */
static void show_buffer(struct scene *s, GLenum target, size_t bytes)
{
    const void *words = glMapBufferRange(target, 0, (GLsizeiptr)bytes, GL_MAP_READ_BIT);

    if (!words)
        give_up(s, "no buffer to map");
    show_bytes(s, words, bytes);
    glUnmapBuffer(target);
}

static void random_words(struct scene *s, uint32_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        words[i] = dice(s, ~0U) >> dice(s, 30);
}

/* An integer expression of uint a, b and c, which all implementations must compute alike. */
static const char *integers(struct scene *s, int depth)
{
    static const char *const leaves[] = {"a", "b", "c", "7u", "0x80000001u", "65537u"};
    static const char *const forms[] = {
        "(%s + %s)",
        "(%s - %s)",
        "(%s * %s)",
        "(%s ^ %s)",
        "(%s & ~%s)",
        "(%s | %s)",
        "(%s / (%s | 1u))",
        "(%s %% (%s | 1u))",
        "(%s << (%s & 31u))",
        "(%s >> (%s & 31u))",
        "uint(int(%s) >> int(%s & 31u))",
        "uint(int(%s) / (int(%s & 1023u) + 1))",
        "min(%s, %s)",
        "uint(max(int(%s), int(%s)))",
        "uint(abs(int(%s))) + %s",
        "(%s < %s ? a : c)",
        "(int(%s) <= int(%s) ? b : ~a)",
        "bits(%s) + %s",
        "bitfieldReverse(%s) - %s",
        "(top(%s) ^ %s)",
        "low(%s) + %s",
        "itop(%s) + %s",
        "bitfieldExtract(%s, 3, 17) + %s",
        "uint(bitfieldExtract(int(%s), 5, 9)) * %s",
        "bitfieldInsert(%s, %s, 7, 11)",
        "(unorm(%s) ^ %s)",
        "(snorm(%s) | %s)",
        "uint(int(sign(float(int(%s) >> 8)))) + %s",
        "high(%s, %s)",
        "ihigh(%s, %s)",
        "carry(%s, %s)",
        "borrow(%s, %s)",
    };

    if (!depth || !dice(s, 6))
        return leaves[dice(s, 6)];
        /* The operands are put into the chosen form, which is no constant text. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    return text_of(forms[dice(s, sizeof(forms) / sizeof(forms[0]))], integers(s, depth - 1),
                   integers(s, depth - 1));
#pragma GCC diagnostic pop
}

/*
 * Functions with results by reference, as the expressions of integers() call them, and those with
 * results of low precision: an operation of such a result and a constant may be done in 16 bits.
 */
static const char helpers[] =
    "uint bits(uint x) { int n = bitCount(x); return uint(n); }\n"
    "uint top(uint x) { int n = findMSB(x); return uint(n); }\n"
    "uint itop(uint x) { int n = findMSB(int(x)); return uint(n); }\n"
    "uint low(uint x) { int n = findLSB(x); return uint(n); }\n"
    "uint unorm(uint x) { vec4 v = unpackUnorm4x8(x); return packUnorm4x8(v); }\n"
    "uint snorm(uint x) { vec2 v = unpackSnorm2x16(x); return packSnorm2x16(v); }\n"
    "uint high(uint x, uint y) { uint h, l; umulExtended(x, y, h, l); return h ^ l; }\n"
    "uint ihigh(uint x, uint y) { int h, l; imulExtended(int(x), int(y), h, l);"
    " return uint(h - l); }\n"
    "uint carry(uint x, uint y) { uint c; uint r = uaddCarry(x, y, c); return r ^ c; }\n"
    "uint borrow(uint x, uint y) { uint c; uint r = usubBorrow(x, y, c); return r + c; }\n";

/* Compute shaders of random integers, on a buffer, with shared memory and a barrier, started by
 * a buffer. */
static void draw_compute(struct scene *s)
{
    static uint32_t words[WORDS];
    const GLuint groups[] = {WORDS / GROUP / 2, 2, 1};

    make_buffer(GL_DISPATCH_INDIRECT_BUFFER, groups, sizeof(groups));
    random_words(s, words, WORDS);
    make_base(GL_SHADER_STORAGE_BUFFER, words, sizeof(words));
    compute_program_of(
        s, text_of("layout(local_size_x = %d) in;\n"
                   "layout(std430, binding = 0) buffer B { uint word[]; };\n"
                   "shared uint near[%d];\n%s"
                   "void main() {\n"
                   "uint i = (gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x) * %du"
                   " + gl_LocalInvocationIndex;\n"
                   "uint a = word[i], b = i * 2654435761u, c = gl_LocalInvocationIndex;\n"
                   "near[gl_LocalInvocationIndex] = %s; barrier();\n"
                   "for (uint k = 0u; k < (c & 3u) + 1u; k++) {\n"
                   "b = near[(gl_LocalInvocationIndex + k * %uu) %% %du]; a = %s; c += %s; }\n"
                   "word[i] = %s; }\n",
                   GROUP, GROUP, helpers, GROUP, integers(s, 3), 1 + dice(s, 30), GROUP,
                   integers(s, 3), integers(s, 2), integers(s, 3)));
    if (dice(s, 2))
        glDispatchComputeIndirect(0);
    else
        glDispatchCompute(groups[0], groups[1], 1);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    show_buffer(s, GL_SHADER_STORAGE_BUFFER, sizeof(words));
}

/* Integers of fragments: each pixel computes what compute shaders do. */
static void draw_integers(struct scene *s)
{
    show_program(
        s,
        program_of(s, cover_shader(s),
                   text_of("out vec4 color; uniform uint seed;\n%s"
                           "void main() { uint a = uint(gl_FragCoord.x) * 2654435761u,"
                           " b = uint(gl_FragCoord.y) * 40503u + seed, c = a ^ b >> 5;\n"
                           "if ((%s & 8u) != 0u) a = %s; else c += %s;\n"
                           "b = %s;\n"
                           "uvec4 texel = uvec4(%s, %s, a, b);\n"
                           "color = %s; }\n",
                           helpers, integers(s, 2), integers(s, 3), integers(s, 3), integers(s, 3),
                           integers(s, 4), integers(s, 4), to_color(format_named("RGBA8UI")))));
}

/* Atomic operations on buffers, counters and shared memory, whose results do not depend on the
 * order. */
static void draw_atomics(struct scene *s)
{
    static const char *const operations[] = {"atomicAdd(word[%s], %s)",
                                             "atomicMin(word[%s], %s)",
                                             "atomicMax(word[%s], %s)",
                                             "atomicXor(word[%s], %s)",
                                             "atomicOr(word[%s], 1u << (%s & 31u))",
                                             "atomicAnd(word[%s], ~(1u << (%s & 31u)))",
                                             "atomicMax(sum[%s & 15u], int(%s))"};
    const char *operation = operations[dice(s, 7)];
    static uint32_t words[WORDS];
    const char *call;

    random_words(s, words, WORDS);
    make_base(GL_SHADER_STORAGE_BUFFER, words, sizeof(words));
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    call = text_of(operation, text_of("(%s) %% 1000u", integers(s, 2)), integers(s, 2));
#pragma GCC diagnostic pop
    if (dice(s, 2)) {
        compute_program_of(s, text_of("layout(local_size_x = 8, local_size_y = 8) in;\n"
                                      "layout(std430, binding = 0) buffer B { uint word[1008];"
                                      " int sum[16]; };\n%s"
                                      "void main() { uint a = gl_GlobalInvocationID.x * 77u,"
                                      " b = gl_GlobalInvocationID.y, c = a * b + 3u;\n"
                                      "%s; }\n",
                                      helpers, call));
        glDispatchCompute(5, 7, 1);
    } else {
        GLint blocks = 0;

        glGetIntegerv(GL_MAX_FRAGMENT_SHADER_STORAGE_BLOCKS, &blocks);
        if (!blocks)
            give_up(s, "not offered: storage buffers of fragments");
        show_program(s, program_of(s, cover_shader(s),
                                   text_of("layout(std430, binding = 0) buffer B"
                                           " { uint word[1008]; int sum[16]; };\n%s"
                                           "out vec4 color;\n"
                                           "void main() { uint a = uint(gl_FragCoord.x) * 77u,"
                                           " b = uint(gl_FragCoord.y), c = a * b + 3u;\n"
                                           "%s; color = vec4(1.0); }\n",
                                           helpers, call)));
    }
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    show_buffer(s, GL_SHADER_STORAGE_BUFFER, sizeof(words));
}

/* The name of an image's format in GLSL: rgba8_snorm for RGBA8_SNORM. */
static const char *layout_of(const struct format *f)
{
    char *name = text_of("%s", f->name);

    for (char *c = name; *c; c++)
        *c = (char)(*c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    return name;
}

/* Two textures with random texels, bound as images: number 0 to be read, number 1 to be written. */
static void make_images(struct scene *s, const struct format *f, GLenum target, int layers)
{
    const int size[3] = {SIDE, SIDE, layers};

    for (GLuint i = 0; i < 2; i++) {
        void *texels = random_texels(s, f, size);
        GLuint name;

        glGenTextures(1, &name);
        glBindTexture(target, name);
        glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        if (target == GL_TEXTURE_2D) {
            glTexStorage2D(target, 1, f->internal, SIDE, SIDE);
            glTexSubImage2D(target, 0, 0, 0, SIDE, SIDE, f->format, f->type, texels);
        } else {
            glTexStorage3D(target, 1, f->internal, SIDE, SIDE, layers);
            glTexSubImage3D(target, 0, 0, 0, 0, SIDE, SIDE, layers, f->format, f->type, texels);
        }
        glBindImageTexture(i, name, 0, GL_TRUE, 0, i ? GL_WRITE_ONLY : GL_READ_ONLY, f->internal);
        free(texels);
    }
}

/* Runs statements of an ivec2 p for each texel, by a compute shader or by fragments. */
static void for_each_texel(struct scene *s, const char *globals, const char *body)
{
    GLint offered = 0;

    if (dice(s, 2)) {
        compute_program_of(s, text_of("layout(local_size_x = 16, local_size_y = 4) in;\n%s"
                                      "void main() { ivec2 p = ivec2(gl_GlobalInvocationID);\n"
                                      "%s }\n",
                                      globals, body));
        glDispatchCompute(SIDE / 16, SIDE / 4, 1);
        return;
    }
    glGetIntegerv(GL_MAX_FRAGMENT_IMAGE_UNIFORMS, &offered);
    if (offered < 2)
        give_up(s, "not offered: images of fragments");
    show_program(s, program_of(s, cover_shader(s),
                               text_of("%sout vec4 color; void main() {\n"
                                       "ivec2 p = ivec2(gl_FragCoord.xy); %s"
                                       "color = vec4(0.5); }\n",
                                       globals, body)));
}

/* Images: loaded, changed and stored at other places, in compute or fragment shaders. */
static void draw_images(struct scene *s)
{
    static const GLenum targets[] = {GL_TEXTURE_2D, GL_TEXTURE_2D_ARRAY, GL_TEXTURE_3D};
    static const char *const types[] = {"2D", "2DArray", "3D"};
    const struct format *f = pick_format(s, STORED, ~0U);
    unsigned kind = dice(s, 3), layers = 1 + dice(s, 3);
    const char *at = kind ? text_of("ivec3(p, %u)", dice(s, layers)) : "p", *type = types[kind];
    const char *change = f->kind == INT || f->kind == UINT ? "texel ^ (texel << 3)" : "texel.wxzy";
    const char *globals = text_of("layout(%s, binding = 0) readonly uniform highp %simage%s from;\n"
                                  "layout(%s, binding = 1) writeonly uniform highp %simage%s to;\n",
                                  layout_of(f), prefix(f), type, layout_of(f), prefix(f), type);

    make_images(s, f, targets[kind], (int)layers);
    for_each_texel(s, globals,
                   text_of("ivec2 q = ivec2((p.x * 5 + %u) & 63, p.y ^ %u);\n"
                           "%svec4 texel = imageLoad(from, %s); p = q; imageStore(to, %s, %s);\n",
                           dice(s, 64), dice(s, 64), prefix(f), at, at, change));
    glMemoryBarrier(GL_TEXTURE_FETCH_BARRIER_BIT);
    show_program(s, program_of(s, cover_shader(s),
                               text_of("uniform highp %ssampler%s map; out vec4 color;\n"
                                       "void main() { ivec2 p = ivec2(gl_FragCoord.xy);\n"
                                       "%svec4 texel = texelFetch(map, %s, 0); color = %s; }\n",
                                       prefix(f), type, prefix(f), at, to_color(f))));
}

/* Vertices of random positions and words, and indices, of which one in twelve restarts. */
static void make_vertices(struct scene *s, int floats)
{
    static float corners[3 * MOST_INDICES][2];
    static uint16_t indices[MOST_INDICES];
    static uint32_t words[WORDS];

    random_words(s, words, WORDS);
    for (size_t i = 0; floats && i < WORDS; i++) {
        float value = between(s, -1, 1);

        memcpy(&words[i], &value, sizeof(value));
    }
    for (size_t i = 0; i < 3 * MOST_INDICES; i++)
        for (int j = 0; j < 2; j++)
            corners[i][j] = between(s, -1, 1) + 0.0003F;
    for (size_t i = 0; i < MOST_INDICES; i++)
        indices[i] = (uint16_t)(dice(s, 12) ? dice(s, MOST_INDICES) : 0xffff);
    make_buffer(GL_ELEMENT_ARRAY_BUFFER, indices, sizeof(indices));
    make_buffer(GL_ARRAY_BUFFER, corners, sizeof(corners));
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
    make_buffer(GL_ARRAY_BUFFER, words, sizeof(words));
}

/* Attributes of a random type, stride and divisor, in the buffer that make_vertices() leaves
 * bound. */
static void choose_attributes(struct scene *s, GLenum type)
{
    int packed = type == GL_INT_2_10_10_10_REV || type == GL_UNSIGNED_INT_2_10_10_10_REV;

    glVertexAttribPointer(1, packed ? 4 : 1 + (GLint)dice(s, 4), type, type != GL_FLOAT,
                          (GLsizei)dice(s, 5) * 4 + 16, (void *)(uintptr_t)(dice(s, 8) * 4));
    glVertexAttribPointer(2, 4, GL_UNSIGNED_BYTE, GL_TRUE, 8, NULL);
    glVertexAttribDivisor(2, dice(s, 4));
    for (GLuint i = 0; i < 3; i++)
        glEnableVertexAttribArray(i);
}

/* Draws with instances: with indices or without, the counts in the call or in a buffer. */
static void draw_instances(struct scene *s, GLenum mode)
{
    unsigned count = 3 + dice(s, MOST_INDICES - 3), instances = 1 + dice(s, 5), base = dice(s, 9);
    unsigned first = dice(s, 4);
    GLuint arrays[] = {count, instances, base, 0};
    GLuint elements[] = {count - first, instances, first, base, 0};

    glEnable(GL_PRIMITIVE_RESTART_FIXED_INDEX);
    switch (dice(s, 4)) {
    case 0:
        glDrawArraysInstanced(mode, (GLint)base, (GLsizei)count, (GLsizei)instances);
        break;
    case 1:
        glDrawElementsInstanced(mode, (GLsizei)count, GL_UNSIGNED_SHORT, NULL, (GLsizei)instances);
        break;
    case 2:
        make_buffer(GL_DRAW_INDIRECT_BUFFER, arrays, sizeof(arrays));
        glDrawArraysIndirect(mode, NULL);
        break;
    default:
        make_buffer(GL_DRAW_INDIRECT_BUFFER, elements, sizeof(elements));
        glDrawElementsIndirect(mode, GL_UNSIGNED_SHORT, NULL);
    }
}

/* Attributes of all types, instances, divisors, restart and indirect draws. */
static void draw_meshes(struct scene *s)
{
    static const GLenum modes[] = {GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN,
                                   GL_LINES,     GL_LINE_STRIP,     GL_POINTS};
    static const GLenum types[] = {GL_BYTE,
                                   GL_UNSIGNED_BYTE,
                                   GL_SHORT,
                                   GL_UNSIGNED_SHORT,
                                   GL_FLOAT,
                                   GL_INT_2_10_10_10_REV,
                                   GL_UNSIGNED_INT_2_10_10_10_REV,
                                   GL_INT};
    GLenum type = types[dice(s, sizeof(types) / sizeof(types[0]))];
    const struct format *plain = format_named("RGBA8");
    GLuint array;

    make_frame(s, plain, SIDE, SIDE, NULL);
    glClear(GL_COLOR_BUFFER_BIT);
    program_of(
        s,
        text_of("in vec2 corner; in vec4 color; in vec4 extra; out vec4 c; flat out int id;\n"
                "void main() { gl_PointSize = 5.0; id = gl_VertexID + gl_InstanceID * 64;\n"
                "gl_Position = vec4(corner + float(gl_InstanceID) * vec2(%f, %f), 0.0, 1.0);\n"
                "c = color * 0.5 + extra * 0.5; }\n",
                (double)between(s, -0.5, 0.5), (double)between(s, -0.5, 0.5)),
        "in vec4 c; flat in int id; out vec4 result;\n"
        "void main() { result = vec4(c.xyz * 0.7, 1.0) + vec4(float(id & 7) * 0.04); }\n");
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    make_vertices(s, type == GL_FLOAT);
    choose_attributes(s, type);
    draw_instances(s, modes[dice(s, sizeof(modes) / sizeof(modes[0]))]);
    show_frame(s, plain);
}

/* Transform feedback of vertices that compute integers, also with instances of whole primitives. */
static void draw_feedback(struct scene *s)
{
    static const GLenum modes[] = {GL_POINTS, GL_LINES, GL_TRIANGLES};
    static uint32_t words[WORDS];
    unsigned kind = dice(s, 3), count = (kind + 1) * (1 + dice(s, 20));
    unsigned instances = kind == 0 ? 1 + dice(s, 3) : 1;

    make_frame(s, format_named("RGBA8"), SIDE, SIDE, NULL);
    random_words(s, words, WORDS);
    make_base(GL_TRANSFORM_FEEDBACK_BUFFER, words, sizeof(words));
    capture_program_of(s,
                       text_of("flat out uvec4 one; out vec3 two;\n%s"
                               "void main() { uint a = uint(gl_VertexID), b = uint(gl_InstanceID),"
                               " c = a * 2654435761u;\n"
                               "one = uvec4(%s, %s, a, b); two = vec3(one.xyz) * 0.5;\n"
                               "gl_Position = vec4(0.0); gl_PointSize = 1.0; }\n",
                               helpers, integers(s, 3), integers(s, 3)),
                       "one", "two");
    glEnable(GL_RASTERIZER_DISCARD);
    glBeginTransformFeedback(modes[kind]);
    glDrawArraysInstanced(modes[kind], (GLint)dice(s, 9), (GLsizei)count, (GLsizei)instances);
    glEndTransformFeedback();
    show_buffer(s, GL_TRANSFORM_FEEDBACK_BUFFER, sizeof(words));
}

const struct feature buffer_features[] = {
    {"compute", 31, draw_compute},
    {"integers", 31, draw_integers},
    {"atomics", 31, draw_atomics},
    {"images", 31, draw_images},
    {"meshes", 31, draw_meshes},
    {"feedback", 31, draw_feedback},
    {NULL, 0, NULL},
};
