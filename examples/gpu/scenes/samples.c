/* Features of targets with several samples per pixel. */
#include <stdlib.h>

#include "targets.h"

enum { SAMPLES = 4, MANY_SAMPLES = 16 };

/* A frame of several samples of a texture (0: a renderbuffer, and the texture is 0). */
static GLuint make_samples(struct scene *s, const struct format *f, int samples, GLuint *texture)
{
    GLuint frame, buffer;

    need(s, f->extension);
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    if (texture) {
        glGenTextures(1, texture);
        glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, *texture);
        glTexStorage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, samples, f->internal, SIDE, SIDE,
                                  GL_TRUE);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D_MULTISAMPLE,
                               *texture, 0);
    } else {
        glGenRenderbuffers(1, &buffer);
        glBindRenderbuffer(GL_RENDERBUFFER, buffer);
        glRenderbufferStorageMultisample(GL_RENDERBUFFER, samples, f->internal, SIDE, SIDE);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
    }
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        give_up(s, "not offered: %s with %d samples", f->name, samples);
    glViewport(0, 0, SIDE, SIDE);
    return frame;
}

/* Shows each sample of a texture in a picture of its own. */
static void show_samples(struct scene *s, const struct format *f, GLuint texture)
{
    GLuint program = program_of(
        s, cover_shader(s),
        text_of("uniform highp %ssampler2DMS map; out vec4 color; uniform int which;\n"
                "void main() { %svec4 texel = texelFetch(map, ivec2(gl_FragCoord.xy), which);\n"
                "color = %s; }\n",
                prefix(f), prefix(f), to_color(f)));

    glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, texture);
    for (int i = 0; i < SAMPLES; i++) {
        glUniform1i(uniform(program, "which"), i);
        show_program(s, program);
    }
}

/* Targets of several samples: each sample by texelFetch(), and the mean by a blit. */
static void draw_samples(struct scene *s)
{
    const struct format *f = pick_target(s, 0);
    int whole = f->kind == INT || f->kind == UINT,
        fetched = whole || (f->flags & COARSE) || dice(s, 2);
    int samples = !fetched && !dice(s, 4) ? 8 : SAMPLES;
    GLuint texture, frame = make_samples(s, f, samples, fetched ? &texture : NULL), plain;

    use_target(s, f, color_program(s, f), samples);
    if (!dice(s, 3)) {
        glEnable(GL_SAMPLE_MASK);
        glSampleMaski(0, dice(s, 16));
        draw_triangles(s, color_program(s, f), 3);
        glDisable(GL_SAMPLE_MASK);
    }
    /* Which sample a blit takes of integers is left open, and how means are rounded. */
    if (!whole && !(f->flags & COARSE)) {
        plain = make_frame(s, f, SIDE, SIDE, NULL);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, frame);
        glBlitFramebuffer(0, 0, SIDE, SIDE, 0, 0, SIDE, SIDE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, plain);
        show_frame(s, f);
    }
    if (fetched)
        show_samples(s, f, texture);
}

/* Shading of each sample, and masks that the shader writes. */
static void draw_sample_shading(struct scene *s)
{
    static const char *const colors[] = {
        "vec4(per_sample.xy, float(gl_SampleID) * 0.25, 1.0)",
        "vec4(fract(gl_SamplePosition), per_sample.zw)",
        "per_sample",
        "per_sample * float(gl_SampleID + 1) * 0.25",
    };
    const struct format *f = format_named(dice(s, 2) ? "RGBA8" : "RGBA16F");
    const char *color = colors[dice(s, 4)];
    GLuint texture, program;

    make_samples(s, f, SAMPLES, &texture);
    need(s, "GL_OES_sample_variables");
    program =
        program_of(s,
                   "#version 310 es\n"
                   "#extension GL_OES_shader_multisample_interpolation : require\n"
                   "in vec2 corner; in vec4 color; sample out vec4 per_sample;\n"
                   "void main() { gl_Position = vec4(corner, 0.0, 1.0); per_sample = color; }\n",
                   text_of("#version 310 es\n"
                           "#extension GL_OES_shader_multisample_interpolation : require\n"
                           "#extension GL_OES_sample_variables : require\n"
                           "precision highp float; precision highp int;\n"
                           "sample in vec4 per_sample; out vec4 result;\n"
                           "void main() { result = %s; %s }\n",
                           color, dice(s, 2) ? "gl_SampleMask[0] = int(gl_FragCoord.x) ^ 6;" : ""));
    clear_frame(s, f);
    draw_triangles(s, program, 4);
    if (dice(s, 2)) {
        glClearColor(between(s, 0, 1), 0, 0, 1);
        random_scissor(s);
        glScissor(8, 8, 24, 24);
        glClear(GL_COLOR_BUFFER_BIT);
        plain_state();
    }
    show_samples(s, f, texture);
}

/*
 * 8 and 16 samples. An implementation that has not as many draws a frame of one sample for each,
 * moved so that the sample's place becomes the pixel's centre: with SCENES_ONE_BY_ONE in its
 * environment. Both ways give the same pictures, since each shows the samples one by one.
 */
struct many {
    const struct format *format;
    int samples, one_by_one;
    int flat; /* a triangle has one colour: Midgard's Mesa shades no sample of its own */
    GLuint frame, texture; /* the texture has all samples, or is an array with a layer per sample */
    GLuint program;
    int sample; /* the sample that is drawn, if they are drawn one by one */
};

/* Places of samples as Direct3D has them, in sixteenths of a pixel from its centre. */
static const signed char places_of_8[8][2] = {{1, -3}, {-1, 3},  {5, 1}, {-3, -5},
                                              {-5, 5}, {-7, -1}, {3, 7}, {7, -7}};
static const signed char places_of_16[16][2] = {
    {1, 1},  {-1, -3}, {-3, 2},  {4, -1}, {-5, -2}, {2, 5},  {5, 3}, {3, -5},
    {-2, 6}, {0, -7},  {-4, -6}, {-6, 4}, {-8, 0},  {7, -4}, {6, 7}, {-7, -8}};

static const signed char *place_of(const struct many *m, int sample)
{
    return m->samples == 8 ? places_of_8[sample] : places_of_16[sample];
}

static void check_places(struct scene *s, const struct many *m)
{
    for (int i = 0; i < m->samples; i++)
        for (int axis = 0; axis < 2; axis++) {
            GLfloat place[2];

            glGetMultisamplefv(GL_SAMPLE_POSITION, (GLuint)i, place);
            if (place[axis] * 16 - 8 != place_of(m, i)[axis])
                give_up(s, "sample %d of %d is at %g, %g", i, m->samples, place[0], place[1]);
        }
}

static void make_many(struct scene *s, struct many *m)
{
    const struct format *f = m->format;
    GLuint depth;

    need(s, f->extension);
    need(s, m->flat ? NULL : "GL_OES_shader_multisample_interpolation");
    glGenFramebuffers(1, &m->frame);
    glBindFramebuffer(GL_FRAMEBUFFER, m->frame);
    glGenTextures(1, &m->texture);
    glGenRenderbuffers(1, &depth);
    glBindRenderbuffer(GL_RENDERBUFFER, depth);
    if (m->one_by_one) {
        glBindTexture(GL_TEXTURE_2D_ARRAY, m->texture);
        glTexStorage3D(GL_TEXTURE_2D_ARRAY, 1, f->internal, SIDE, SIDE, m->samples);
        glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
        glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, m->texture, 0, 0);
        glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, SIDE, SIDE);
    } else {
        glBindTexture(GL_TEXTURE_2D_MULTISAMPLE, m->texture);
        glTexStorage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, m->samples, f->internal, SIDE, SIDE,
                                  GL_TRUE);
        glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D_MULTISAMPLE,
                               m->texture, 0);
        glRenderbufferStorageMultisample(GL_RENDERBUFFER, m->samples, GL_DEPTH_COMPONENT24, SIDE,
                                         SIDE);
    }
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, depth);
    if (glGetError() || glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        give_up(s, "not offered: %s with %d samples", f->name, m->samples);
    glViewport(0, 0, SIDE, SIDE);
    if (!m->one_by_one)
        check_places(s, m);
}

/* A program whose triangles are moved by `move`, with colours of the triangle or of each sample. */
static GLuint moved_program(struct scene *s, const struct many *m)
{
    static const char *const extensions =
        "#extension GL_OES_shader_multisample_interpolation : require\n"
        "#extension GL_OES_sample_variables : require\n";
    const char *kind = prefix(m->format), *value = "c", *way = m->flat ? "flat" : "sample";
    const char *head = text_of("#version 310 es\n%sprecision highp float; precision highp int;\n",
                               m->flat ? "" : extensions);

    if (m->format->kind == INT || m->format->kind == UINT)
        value = text_of("%svec4(whole) >> %d", kind, 32 - bits_of(m->format));
    else if (m->format->flags & COARSE)
        value = "step(vec4(0.5), c)";
    else if (!m->flat && dice(s, 2))
        value = text_of("c * (1.0 - float(%s) * 0.03125)", m->one_by_one ? "id" : "gl_SampleID");
    return program_of(
        s,
        text_of("%sin vec2 corner; in vec4 color; uniform vec2 move;\n"
                "%s out vec4 c; flat out ivec4 whole;\n"
                "void main() { gl_Position = vec4(corner + move, color.x, 1.0); c = color;\n"
                "whole = ivec4(color * 40000.0) * 40503; }\n",
                head, way),
        text_of("%suniform int id; %s in vec4 c; flat in ivec4 whole; out %svec4 result;\n"
                "void main() { result = %s; }\n",
                head, way, kind, value));
}

/* Draws what has several samples: in all of them, or in m->sample alone. */
static void draw_many(struct scene *s, const struct many *m)
{
    GLbitfield mask = dice(s, 1 << MANY_SAMPLES);
    unsigned masked = !dice(s, 2), depth = dice(s, 2);

    glUseProgram(m->program);
    if (m->one_by_one) {
        const signed char *place = place_of(m, m->sample);

        glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, m->texture, 0, m->sample);
        glUniform1i(uniform(m->program, "id"), m->sample);
        glUniform2f(uniform(m->program, "move"), -(float)place[0] / (8 * SIDE),
                    -(float)place[1] / (8 * SIDE));
    }
    glClear(GL_DEPTH_BUFFER_BIT);
    glDepthFunc(GL_LESS);
    if (depth)
        glEnable(GL_DEPTH_TEST);
    use_target(s, m->format, m->program, m->samples);
    if (masked && m->one_by_one && !(mask >> m->sample & 1))
        glDepthFunc(GL_NEVER), glEnable(GL_DEPTH_TEST);
    else if (masked && !m->one_by_one)
        glEnable(GL_SAMPLE_MASK);
    glSampleMaski(0, mask);
    draw_triangles(s, m->program, 3);
    glDisable(GL_SAMPLE_MASK);
    glDisable(GL_DEPTH_TEST);
}

/* Shows the mean of all samples, by a blit or computed. */
static void show_mean(struct scene *s, const struct many *m, const char *kind)
{
    GLuint plain = make_frame(s, m->format, SIDE, SIDE, NULL), program;

    if (m->one_by_one) {
        program =
            program_of(s, cover_shader(s),
                       text_of("uniform highp %ssampler2DArray map; out vec4 color;\n"
                               "void main() { vec4 sum = vec4(0.0); for (int i = 0; i < %d; i++)\n"
                               "sum += texelFetch(map, ivec3(gl_FragCoord.xy, i), 0);\n"
                               "color = sum / %d.0; }\n",
                               kind, m->samples, m->samples));
        glUseProgram(program);
        cover();
    } else {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, m->frame);
        glBlitFramebuffer(0, 0, SIDE, SIDE, 0, 0, SIDE, SIDE, GL_COLOR_BUFFER_BIT, GL_NEAREST);
        glBindFramebuffer(GL_READ_FRAMEBUFFER, plain);
    }
    show_frame(s, m->format);
}

static void draw_many_samples(struct scene *s)
{
    struct many m = {
        .samples = dice(s, 3) ? 8 : 16, .format = pick_target(s, 0), .flat = (int)dice(s, 2)};
    const char *kind = prefix(m.format);
    uint64_t seed;
    GLuint program;

    m.one_by_one = getenv("SCENES_ONE_BY_ONE") != NULL;
    make_many(s, &m);
    m.program = moved_program(s, &m);
    seed = s->seed;
    for (; m.sample < (m.one_by_one ? m.samples : 1); m.sample++) {
        s->seed = seed;
        draw_many(s, &m);
    }
    program = program_of(
        s, cover_shader(s),
        text_of("uniform highp %ssampler2D%s map; out vec4 color; uniform int which;\n"
                "void main() { %svec4 texel = texelFetch(map, %s);\ncolor = %s; }\n",
                kind, m.one_by_one ? "Array" : "MS", kind,
                m.one_by_one ? "ivec3(gl_FragCoord.xy, which), 0" : "ivec2(gl_FragCoord.xy), which",
                to_color(m.format)));
    for (int i = 0; i < m.samples; i++) {
        glUniform1i(uniform(program, "which"), i);
        show_program(s, program);
    }
    if (m.format->kind != INT && m.format->kind != UINT && !(m.format->flags & COARSE))
        show_mean(s, &m, kind);
}

const struct feature sample_features[] = {
    {"samples", 31, draw_samples},
    {"sample_shading", 31, draw_sample_shading},
    {"many_samples", 31, draw_many_samples},
    {NULL, 0, NULL},
};
