/* Features of targets: formats drawn to and blended, blits, large frames, several targets. */
#include <stdlib.h>
#include <string.h>

#include "targets.h"

enum { TRIANGLES = 12, TARGETS = 4, PLACES = 4 };

const struct format *pick_target(struct scene *s, unsigned flags)
{
    return pick_format(s, TARGET | flags,
                       s->es == 2 ? 1U << UNORM
                                  : 1U << UNORM | 1U << FLOAT | 1U << UINT | 1U << INT);
}

int bits_of(const struct format *f)
{
    return f->type == GL_UNSIGNED_BYTE || f->type == GL_BYTE     ? 8
           : f->type == GL_UNSIGNED_SHORT || f->type == GL_SHORT ? 16
           : f->type == GL_UNSIGNED_INT_2_10_10_10_REV           ? 2
                                                                 : 32;
}

GLuint color_program(struct scene *s, const struct format *f)
{
    /* llvmpipe makes 8 bits of a colour, and fewer of these. A colour of 0 and 1 shows no
     * rounding. */
    const char *value = f->flags & COARSE ? "step(vec4(0.5), c)" : "c";

    if (s->es == 2)
        return program_of(s,
                          "attribute vec2 corner; attribute vec4 color; varying vec4 c;\n"
                          "void main() { gl_Position = vec4(corner, color.x, 1.0); c = color; }\n",
                          text_of("varying vec4 c; void main() { gl_FragColor = %s; }\n", value));
    if (f->kind == UINT || f->kind == INT)
        value = text_of("%svec4(whole) >> %d", prefix(f), 32 - bits_of(f));
    return program_of(s,
                      "in vec2 corner; in vec4 color; out vec4 c; flat out ivec4 whole;\n"
                      "void main() { gl_Position = vec4(corner, color.x, 1.0); c = color;\n"
                      "whole = ivec4(color * 40000.0) * 40503; }\n",
                      text_of("in vec4 c; flat in ivec4 whole; out %svec4 result;\n"
                              "void main() { result = %s; }\n",
                              prefix(f), value));
}

void draw_triangles(struct scene *s, GLuint program, int count)
{
    static float values[TRIANGLES * 3][6];

    for (int i = 0; i < count * 3; i++)
        for (int j = 0; j < 6; j++)
            values[i][j] = j < 2 ? between(s, -1.2F, 1.2F) + 0.0003F : between(s, 0, 1);
    glUseProgram(program);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    glEnableVertexAttribArray(0);
    glEnableVertexAttribArray(1);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, sizeof(values[0]), &values[0][0]);
    glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, sizeof(values[0]), &values[0][2]);
    glDrawArrays(GL_TRIANGLES, 0, count * 3);
}

static void random_blending(struct scene *s, const struct format *f)
{
    static const GLenum equations[] = {GL_FUNC_ADD, GL_FUNC_SUBTRACT, GL_FUNC_REVERSE_SUBTRACT,
                                       GL_MIN, GL_MAX};
    static const GLenum factors[] = {GL_ZERO,
                                     GL_ONE,
                                     GL_SRC_COLOR,
                                     GL_ONE_MINUS_SRC_COLOR,
                                     GL_DST_COLOR,
                                     GL_ONE_MINUS_DST_COLOR,
                                     GL_SRC_ALPHA,
                                     GL_ONE_MINUS_SRC_ALPHA,
                                     GL_DST_ALPHA,
                                     GL_ONE_MINUS_DST_ALPHA,
                                     GL_CONSTANT_COLOR,
                                     GL_ONE_MINUS_CONSTANT_ALPHA,
                                     GL_SRC_ALPHA_SATURATE};
    unsigned kinds = s->es == 2 ? 3 : 5, exact = f->flags & COARSE;

    glEnable(GL_BLEND);
    glBlendEquationSeparate(equations[dice(s, kinds)], equations[dice(s, kinds)]);
    /* Saturated alpha is a factor of sources only in OpenGL ES 2.0. Where products are rounded,
     * factors are 0 and 1. */
    glBlendFuncSeparate(factors[dice(s, exact ? 2 : 13)], factors[dice(s, exact ? 2 : 12)],
                        factors[dice(s, exact ? 2 : 13)], factors[dice(s, exact ? 2 : 12)]);
    glBlendColor(between(s, 0, 1), between(s, 0, 1), between(s, 0, 1), between(s, 0, 1));
}

static void random_mask(struct scene *s)
{
    glColorMask(dice(s, 2) > 0, dice(s, 2) > 0, dice(s, 2) > 0, dice(s, 2) > 0);
}

void random_scissor(struct scene *s)
{
    glEnable(GL_SCISSOR_TEST);
    glScissor((GLint)dice(s, 40) - 4, (GLint)dice(s, 40) - 4, (GLsizei)dice(s, 60),
              (GLsizei)dice(s, 60));
}

void clear_frame(struct scene *s, const struct format *f)
{
    float values[4];
    GLint whole[4];
    GLuint positive[4];

    for (int i = 0; i < 4; i++) {
        values[i] = f->flags & COARSE ? (float)dice(s, 2) : between(s, 0, 1);
        whole[i] = (GLint)dice(s, ~0U) >> (32 - bits_of(f));
        positive[i] = dice(s, ~0U) >> (32 - bits_of(f));
    }
    if (f->kind == INT)
        glClearBufferiv(GL_COLOR, 0, whole);
    else if (f->kind == UINT)
        glClearBufferuiv(GL_COLOR, 0, positive);
    else {
        glClearColor(values[0], values[1], values[2], values[3]);
        glClear(GL_COLOR_BUFFER_BIT);
    }
}

void plain_state(void)
{
    glDisable(GL_BLEND);
    glDisable(GL_SCISSOR_TEST);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
}

void use_target(struct scene *s, const struct format *f, GLuint program, int samples)
{
    unsigned steps = 2 + dice(s, 5);

    clear_frame(s, f);
    for (unsigned i = 0; i < steps; i++) {
        plain_state();
        /* llvmpipe's scissor covers samples of the pixels beside it. */
        if (!dice(s, 3) && samples == 1)
            random_scissor(s);
        if (!dice(s, 3))
            random_mask(s);
        if ((f->flags & BLENDED) && dice(s, 2))
            random_blending(s, f);
        if (!dice(s, 5))
            clear_frame(s, f);
        else
            draw_triangles(s, program, 1 + (int)dice(s, 4));
        if (!dice(s, 6))
            glFinish();
    }
    plain_state();
}

/* Each format that may be drawn to, read back and sampled. */
static void draw_targets(struct scene *s)
{
    const struct format *f = pick_target(s, 0);
    GLuint texture;

    make_frame(s, f, SIDE, SIDE, &texture);
    use_target(s, f, color_program(s, f), 1);
    show_frame(s, f);
    if (s->es == 2)
        show_program(s, program_of(s, cover_shader(s),
                                   "varying vec2 at; uniform sampler2D map;\n"
                                   "void main() { gl_FragColor = texture2D(map, at); }\n"));
    else
        show_program(s, program_of(s, cover_shader(s),
                                   text_of("uniform highp %ssampler2D map; out vec4 color;\n"
                                           "void main() { %svec4 texel = texelFetch(map,"
                                           " ivec2(gl_FragCoord.xy), 0); color = %s; }\n",
                                           prefix(f), prefix(f), to_color(f))));
}

/* Scaled, mirrored and converting blits of random parts. */
static void draw_blits(struct scene *s)
{
    const struct format *from = pick_target(s, 0), *to;
    GLuint source, frame;
    unsigned count = 1 + dice(s, 3);

    /* Integers go to the same kind only, others to any fractions or floats. */
    do
        to = pick_target(s, 0);
    while (from->kind == INT || from->kind == UINT ? to->kind != from->kind
                                                   : to->kind == INT || to->kind == UINT);
    source = make_frame(s, from, SIDE, SIDE, NULL);
    use_target(s, from, color_program(s, from), 1);
    frame = make_frame(s, to, SIDE, SIDE, NULL);
    clear_frame(s, to);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, source);
    for (unsigned i = 0; i < count; i++) {
        int filter = (from->flags & FILTERED) && !(to->flags & COARSE) && dice(s, 2);
        GLint box[8];

        /* Sides are odd, so that no centre of a pixel is halfway between two texels. */
        for (int j = 0; j < 4; j++)
            box[2 * (j & 2) + (j & 1)] = (GLint)dice(s, 80) - 8;
        for (int j = 0; j < 4; j++)
            box[2 * (j & 2) + (j & 1) + 2] =
                box[2 * (j & 2) + (j & 1)] + (GLint)dice(s, 60) * 2 - 59;
        if (!dice(s, 3)) {
            box[6] = box[4] + box[2] - box[0];
            box[7] = box[5] + box[3] - box[1];
        }
        glBlitFramebuffer(box[0], box[1], box[2], box[3], box[4], box[5], box[6], box[7],
                          GL_COLOR_BUFFER_BIT, filter ? GL_LINEAR : GL_NEAREST);
    }
    glBindFramebuffer(GL_READ_FRAMEBUFFER, frame);
    show_frame(s, to);
}

/* A large frame, which Mesa may compress: drawn in parts, changed by the CPU, and come back to. */
static void draw_large(struct scene *s)
{
    static const char *const names[] = {"RGBA8",          "RGB8", "RGB565", "RGB10_A2",
                                        "RGBA16F",        "R8",   "RG8",    "SRGB8_ALPHA8",
                                        "R11F_G11F_B10F", "RGBA4"};
    static const char *const old_names[] = {"RGBA", "RGB", "RGB/565", "RGBA/4444"};
    const struct format *f =
        s->es == 2 ? format_named(old_names[dice(s, 4)]) : format_named(names[dice(s, 10)]);
    int width = 129 + (int)dice(s, 250), height = 129 + (int)dice(s, 150);
    int part[3] = {1 + (int)dice(s, 70), 1 + (int)dice(s, 70), 1};
    GLuint texture, frame = make_frame(s, f, width, height, &texture), program;
    void *texels = random_texels(s, f, part);

    program = color_program(s, f);
    use_target(s, f, program, 1);
    if (dice(s, 2)) {
        glTexSubImage2D(GL_TEXTURE_2D, 0, (GLint)dice(s, 50), (GLint)dice(s, 50), part[0], part[1],
                        f->format, f->type, texels);
        draw_triangles(s, program, 3);
    }
    free(texels);
    show_frame(s, f);
    show_program(
        s, program_of(s, cover_shader(s),
                      s->es == 2 ? "varying vec2 at; uniform sampler2D map;\n"
                                   "void main() { gl_FragColor = texture2D(map, at); }\n"
                                 : text_of("uniform highp sampler2D map; out vec4 color;\n"
                                           "void main() { vec4 texel = texelFetch(map,"
                                           " ivec2(gl_FragCoord.xy * vec2(%f, %f)), 0);\n"
                                           "color = %s; }\n",
                                           (width - 1) / 64.0, (height - 1) / 64.0, to_color(f))));
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glViewport(0, 0, width, height);
    use_target(s, f, program, 1);
    glReadPixels(0, 0, 1, 1, GL_RGBA, f->kind == FLOAT ? GL_FLOAT : GL_UNSIGNED_BYTE, part);
    draw_triangles(s, program, 2);
    show_frame(s, f);
}

/* Attaches level, layer, slice or face `place` of a texture of random dimension to the frame. */
static void attach_place(struct scene *s, GLenum attachment, const struct format *f, GLuint *name,
                         GLenum *target, unsigned place)
{
    static const GLenum targets[] = {GL_TEXTURE_2D, GL_TEXTURE_2D_ARRAY, GL_TEXTURE_3D,
                                     GL_TEXTURE_CUBE_MAP};

    *target = targets[dice(s, 4)];
    glGenTextures(1, name);
    glBindTexture(*target, *name);
    glTexParameteri(*target, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    glTexParameteri(*target, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    if (*target == GL_TEXTURE_2D || *target == GL_TEXTURE_CUBE_MAP)
        glTexStorage2D(*target, 2, f->internal, 2 * SIDE, 2 * SIDE);
    else
        glTexStorage3D(*target, 2, f->internal, 2 * SIDE, 2 * SIDE, 2 * PLACES);
    if (*target == GL_TEXTURE_2D)
        glFramebufferTexture2D(GL_FRAMEBUFFER, attachment, *target, *name, 1);
    else if (*target == GL_TEXTURE_CUBE_MAP)
        glFramebufferTexture2D(GL_FRAMEBUFFER, attachment, GL_TEXTURE_CUBE_MAP_POSITIVE_X + place,
                               *name, 1);
    else
        glFramebufferTextureLayer(GL_FRAMEBUFFER, attachment, *name, 1, (GLint)place);
}

/* Shows the place of a texture that attach_place() chose, texel by texel but for cubes. */
static void show_place(struct scene *s, GLuint name, GLenum target, unsigned place)
{
    static const char *const rays[] = {"vec3(1.0, -q.y, -q.x)", "vec3(-1.0, -q.y, q.x)",
                                       "vec3(q.x, 1.0, q.y)", "vec3(q.x, -1.0, -q.y)"};
    const char *look = target == GL_TEXTURE_2D ? "texelFetch(map, ivec2(gl_FragCoord.xy), 1)"
                       : target == GL_TEXTURE_CUBE_MAP
                           ? text_of("textureLod(map, %s, 1.0)", rays[place])
                           : text_of("texelFetch(map, ivec3(gl_FragCoord.xy, %u), 1)", place);

    glBindTexture(target, name);
    show_program(s, program_of(s, cover_shader(s),
                               text_of("in vec2 at; uniform highp sampler%s map; out vec4 color;\n"
                                       "void main() { vec2 q = at * 2.0 - 1.0; color = %s; }\n",
                                       target == GL_TEXTURE_2D         ? "2D"
                                       : target == GL_TEXTURE_CUBE_MAP ? "Cube"
                                       : target == GL_TEXTURE_3D       ? "3D"
                                                                       : "2DArray",
                                       look)));
    glBindTexture(target, 0);
}

/* Several targets at once: levels, layers, slices and faces, of which some are not drawn to. */
static void draw_layers(struct scene *s)
{
    static const char *const names[] = {"RGBA8", "RG8", "R8", "BGRA8_EXT", "RGBA16F", "R16F"};
    const struct format *f[TARGETS] = {NULL};
    GLenum buffers[TARGETS], target[TARGETS];
    GLuint frame, name[TARGETS], program;
    unsigned count = 1 + dice(s, TARGETS), place[TARGETS];

    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    for (unsigned i = 0; i < count; i++) {
        f[i] = format_named(names[dice(s, 6)]);
        place[i] = dice(s, PLACES);
        need(s, f[i]->extension);
        attach_place(s, GL_COLOR_ATTACHMENT0 + i, f[i], &name[i], &target[i], place[i]);
        buffers[i] = GL_COLOR_ATTACHMENT0 + i;
    }
    glDrawBuffers((GLsizei)count, buffers);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        give_up(s, "not offered: such targets");
    glViewport(0, 0, SIDE, SIDE);
    program = program_of(s,
                         "in vec2 corner; in vec4 color; out vec4 c;\n"
                         "void main() { gl_Position = vec4(corner, color.x, 1.0); c = color; }\n",
                         text_of("in vec4 c; layout(location = 0) out vec4 result[%u];\n"
                                 "void main() { for (int i = 0; i < %u; i++)"
                                 " result[i] = c.yzwx * (1.0 - float(i) * 0.2); }\n",
                                 count, count));
    use_target(s, f[0], program, 1);
    /* The last draws leave some targets alone. Gaps are at the end, since Midgard's compiler has
     * a fault with others. */
    for (unsigned i = 1 + dice(s, count); i < count; i++)
        buffers[i] = GL_NONE;
    glDrawBuffers((GLsizei)count, buffers);
    draw_triangles(s, program, 3);
    for (unsigned i = 0; i < count; i++)
        show_place(s, name[i], target[i], place[i]);
}

const struct feature target_features[] = {
    {"targets", 2, draw_targets}, {"blits", 31, draw_blits}, {"large", 2, draw_large},
    {"layers", 31, draw_layers},  {NULL, 0, NULL},
};
