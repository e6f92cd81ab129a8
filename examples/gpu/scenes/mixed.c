/* Random programs with random state: tests of depth and stencil, culling, masks, blending. */
#include <stdlib.h>

#include "scenes.h"

enum { TRIANGLES = 20, MOST_DRAWS = 6 };

/* A vec4 expression of the values in scope, smooth enough that rounding does not show. */
static const char *smooth(struct scene *s, int depth)
{
    static const char *const leaves[] = {"a",     "b", "k", "a.wzyx", "vec4(0.25, 0.5, -0.75, 1.0)",
                                         "b.xxyy"};
    static const char *const forms[] = {
        "(%s + %s)",
        "(%s * %s)",
        "(%s - %s)",
        "mix(%s, %s, a.x)",
        "min(%s, %s)",
        "max(%s, %s)",
        "clamp(%s, vec4(-1.0), abs(%s))",
        "smoothstep(vec4(-2.0), vec4(1.5), %s + %s)",
        "sin(%s - %s)",
        "cos(%s + %s)",
        "exp2(min(%s, vec4(1.0))) * %s",
        "sqrt(abs(%s)) + %s",
        "(%s / (abs(%s) + 0.5))",
        "vec4(dot(%s, %s) * 0.25)",
        "vec4(length(%s) - %s.x, 1.0, 0.5, 0.0)",
        "log2(abs(%s) + 1.0) - %s",
        "inversesqrt(abs(%s) + 1.0) * %s",
        "pow(abs(%s) + 0.125, vec4(1.5)) - %s",
        "vec4(cross(%s.xyz, %s.zxy), 1.0)",
        "(mat4(k, k.yxwz, k.zwxy, k) * (%s) + %s)",
        "atan(%s, abs(%s) + 1.0)",
        "vec4(notEqual(ivec4(k * 7.0), ivec4(0))) * %s - %s",
        "reflect(%s, normalize(%s + vec4(0.0, 0.0, 0.0, 9.0)))",
        "fma4(%s, %s)",
    };
    const char *whole;

    if (!depth || !dice(s, 7))
        return leaves[dice(s, 6)];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    whole = text_of(forms[dice(s, s->es == 2 ? 20 : sizeof(forms) / sizeof(forms[0]))],
                    smooth(s, depth - 1), smooth(s, depth - 1));
#pragma GCC diagnostic pop
    return text_of("(%s)", whole);
}

/* A program of random expressions, loops of a uniform's count, and branches on a uniform. */
static GLuint random_program(struct scene *s)
{
    int old = s->es == 2;
    const char *vertex = text_of(
        "%s vec2 corner; %s vec4 color; %s vec4 extra; %s vec4 v0; %s vec4 v1; uniform vec4 k;\n"
        "vec4 fma4(vec4 x, vec4 y) { return x * y + x; }\n"
        "void main() { vec4 a = color, b = extra;\n"
        "gl_Position = vec4(corner, extra.x, 1.0) * (1.0 + color.w * 0.5);\n"
        "gl_PointSize = 6.0; v0 = color; v1 = clamp(%s, -4.0, 4.0); }\n",
        old ? "attribute" : "in", old ? "attribute" : "in", old ? "attribute" : "in",
        old ? "varying" : "out", old ? "varying" : "out", smooth(s, 2));
    const char *fragment = text_of(
        "%s vec4 v0; %s vec4 v1; %s uniform vec4 k;\n"
        "vec4 fma4(vec4 x, vec4 y) { return x * y + x; }\n"
        "void main() { vec4 a = v0, b = v1;\n"
        "for (int i = 0; i < %u; i++) {\n"
        "if (k.%c > %f) a = clamp(%s, -4.0, 4.0); else b += 0.125 * clamp(%s, -4.0, 4.0);\n"
        "%s }\n"
        "%s = clamp(%s, -4.0, 4.0) * 0.25 + 0.5; }\n",
        old ? "varying" : "in", old ? "varying" : "in", old ? "" : "out vec4 result;",
        1 + dice(s, 4), "xyzw"[dice(s, 4)], (double)between(s, -1, 1), smooth(s, 3), smooth(s, 2),
        dice(s, 3) ? "" : "if (gl_FragCoord.x > 40.0 && gl_FragCoord.y < 30.0) discard;",
        old ? "gl_FragColor" : "result", smooth(s, 3));
    GLuint program = program_of(s, vertex, fragment);

    glUniform4f(uniform(program, "k"), between(s, -1, 1), between(s, -1, 1), between(s, -1, 1),
                between(s, -1, 1));
    return program;
}

static void random_stencil(struct scene *s)
{
    static const GLenum operations[] = {GL_KEEP, GL_ZERO,   GL_REPLACE,   GL_INCR,
                                        GL_DECR, GL_INVERT, GL_INCR_WRAP, GL_DECR_WRAP};
    static const GLenum faces[] = {GL_FRONT, GL_BACK};

    glEnable(GL_STENCIL_TEST);
    for (int i = 0; i < 2; i++) {
        glStencilFuncSeparate(faces[i], GL_NEVER + dice(s, 8), (GLint)dice(s, 4), dice(s, 256));
        glStencilOpSeparate(faces[i], operations[dice(s, 8)], operations[dice(s, 8)],
                            operations[dice(s, 8)]);
        glStencilMaskSeparate(faces[i], dice(s, 256) | 1);
    }
}

static void random_state(struct scene *s)
{
    static const GLenum faces[] = {GL_FRONT, GL_BACK, GL_FRONT_AND_BACK};

    if (dice(s, 2)) {
        glEnable(GL_DEPTH_TEST);
        glDepthFunc(GL_NEVER + dice(s, 8));
        glDepthMask(dice(s, 2) > 0);
    }
    if (dice(s, 2))
        random_stencil(s);
    if (!dice(s, 3)) {
        glEnable(GL_CULL_FACE);
        glCullFace(faces[dice(s, 5) ? dice(s, 2) : 2]);
        glFrontFace(dice(s, 2) ? GL_CW : GL_CCW);
    }
    if (!dice(s, 3)) {
        glEnable(GL_SCISSOR_TEST);
        glScissor((GLint)dice(s, 30), (GLint)dice(s, 30), (GLsizei)dice(s, 64),
                  (GLsizei)dice(s, 64));
    }
    if (!dice(s, 3))
        glColorMask(dice(s, 3) > 0, dice(s, 3) > 0, dice(s, 3) > 0, dice(s, 3) > 0);
    if (dice(s, 2)) {
        glEnable(GL_BLEND);
        glBlendFunc(GL_SRC_ALPHA, dice(s, 2) ? GL_ONE : GL_ONE_MINUS_SRC_ALPHA);
    }
    if (!dice(s, 4)) {
        glEnable(GL_POLYGON_OFFSET_FILL);
        glPolygonOffset(0, between(s, -64, 64));
    }
    if (!dice(s, 4))
        glDepthRangef(between(s, 0, 0.5), between(s, 0.5, 1));
    if (!dice(s, 4))
        glViewport((GLint)dice(s, 20), (GLint)dice(s, 20) - 10, 10 + (GLsizei)dice(s, 80),
                   10 + (GLsizei)dice(s, 80));
}

static void plain_state(void)
{
    static const GLenum all[] = {GL_DEPTH_TEST,   GL_STENCIL_TEST, GL_CULL_FACE,
                                 GL_SCISSOR_TEST, GL_BLEND,        GL_POLYGON_OFFSET_FILL};

    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        glDisable(all[i]);
    glDepthMask(GL_TRUE);
    glStencilMask(~0U);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glDepthRangef(0, 1);
    glViewport(0, 0, SIDE, SIDE);
}

/* Triangles of all sorts, some in strips and fans, by indices and without. */
static void draw_random(struct scene *s)
{
    static const GLenum modes[] = {GL_TRIANGLES, GL_TRIANGLE_STRIP, GL_TRIANGLE_FAN, GL_TRIANGLES,
                                   GL_POINTS};
    static float values[TRIANGLES * 3][10];
    static unsigned char indices[TRIANGLES * 3];
    GLsizei count = 3 + (GLsizei)dice(s, TRIANGLES * 3 - 2);

    for (int i = 0; i < TRIANGLES * 3; i++)
        for (int j = 0; j < 10; j++)
            values[i][j] = between(s, j == 5 ? 0 : -1, 1) + (j < 2 ? 0.0003F : 0);
    for (int i = 0; i < TRIANGLES * 3; i++)
        indices[i] = (unsigned char)dice(s, TRIANGLES * 3);
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    for (GLuint i = 0; i < 3; i++) {
        glEnableVertexAttribArray(i);
        glVertexAttribPointer(i, i ? 4 : 2, GL_FLOAT, GL_FALSE, sizeof(values[0]),
                              &values[0][i ? 4 * i - 2 : 0]);
    }
    if (dice(s, 2))
        glDrawArrays(modes[dice(s, 5)], 0, count);
    else
        glDrawElements(modes[dice(s, 5)], count, GL_UNSIGNED_BYTE, indices);
}

static void draw_mixed(struct scene *s)
{
    const struct format *plain = format_named(s->es == 2 ? "RGBA" : "RGBA8");
    GLuint buffer, frame = make_frame(s, plain, SIDE, SIDE, NULL);
    unsigned draws = 1 + dice(s, MOST_DRAWS);
    GLenum depth = GL_DEPTH24_STENCIL8_OES;

    if (s->es == 2)
        need(s, "GL_OES_packed_depth_stencil");
    glGenRenderbuffers(1, &buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorage(GL_RENDERBUFFER, depth, SIDE, SIDE);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, buffer);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_STENCIL_ATTACHMENT, GL_RENDERBUFFER, buffer);
    glClearColor(between(s, 0, 1), between(s, 0, 1), between(s, 0, 1), between(s, 0, 1));
    glClearDepthf(between(s, 0, 1));
    glClearStencil((GLint)dice(s, 4));
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT | GL_STENCIL_BUFFER_BIT);
    for (unsigned i = 0; i < draws; i++) {
        random_program(s);
        random_state(s);
        draw_random(s);
        plain_state();
        if (!dice(s, 5))
            glFinish();
    }
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    show_frame(s, plain);
}

const struct feature mixed_features[] = {{"mixed", 2, draw_mixed}, {NULL, 0, NULL}};
