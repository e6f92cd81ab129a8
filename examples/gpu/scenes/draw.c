/* What all features share: programs, frames, and pictures of what came of them. */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "scenes.h"

enum { PIXEL_BYTES = 4, COMPONENTS = 4, PICTURE_BYTES = SIDE * SIDE * PIXEL_BYTES };

/* One triangle around the frame: its longest side meets no sample. */
static const float corners[] = {-1, -1, 3.125F, -1, -1, 3.125F};

static const char new_header[] = "#version 310 es\n"
                                 "precision highp float; precision highp int;\n";
static const char old_header[] = "#version 100\nprecision highp float; precision highp int;\n";

char *text_of(const char *form, ...)
{
    char *text = malloc(TEXT_BYTES);
    va_list args;

    va_start(args, form);
    vsnprintf(text, TEXT_BYTES, form, args);
    va_end(args);
    return text;
}

GLint uniform(GLuint program, const char *name)
{
    return glGetUniformLocation(program, name);
}

static void attach(struct scene *s, GLuint program, GLenum kind, const char *text)
{
    const char *texts[] = {s->es == 2 ? old_header : new_header, text};
    GLuint shader = glCreateShader(kind);
    char log[WHY_BYTES / 2] = "";
    GLint ok = 0;

    /* A text with a version of its own has its own precisions as well. */
    if (!strncmp(text, "#version", strlen("#version")))
        texts[0] = "";
    glShaderSource(shader, 2, texts, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (!ok) {
        glGetShaderInfoLog(shader, sizeof(log), NULL, log);
        if (getenv("SCENES_LOG"))
            fprintf(stderr, "%s\n%s%s\n", log, texts[0], text);
        log[strcspn(log, "\n")] = 0;
        give_up(s, "does not compile: %s", log);
    }
    glAttachShader(program, shader);
    glDeleteShader(shader);
}

static GLuint link_program(struct scene *s, GLuint program)
{
    char log[WHY_BYTES / 2] = "";
    GLint ok = 0;

    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    if (!ok) {
        glGetProgramInfoLog(program, sizeof(log), NULL, log);
        log[strcspn(log, "\n")] = 0;
        give_up(s, "does not link: %s", log);
    }
    glUseProgram(program);
    return program;
}

GLuint program_of(struct scene *s, const char *vertex, const char *fragment)
{
    static const char *const attributes[] = {"corner", "color", "extra", "more"};
    GLuint program = glCreateProgram();

    attach(s, program, GL_VERTEX_SHADER, vertex);
    attach(s, program, GL_FRAGMENT_SHADER, fragment);
    for (GLuint i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
        glBindAttribLocation(program, i, attributes[i]);
    return link_program(s, program);
}

GLuint compute_program_of(struct scene *s, const char *text)
{
    GLuint program = glCreateProgram();

    attach(s, program, GL_COMPUTE_SHADER, text);
    return link_program(s, program);
}

GLuint capture_program_of(struct scene *s, const char *vertex, const char *first,
                          const char *second)
{
    const char *names[] = {first, second};
    GLuint program = glCreateProgram();

    attach(s, program, GL_VERTEX_SHADER, vertex);
    attach(s, program, GL_FRAGMENT_SHADER, "void main() {}\n");
    glTransformFeedbackVaryings(program, 2, names, GL_INTERLEAVED_ATTRIBS);
    return link_program(s, program);
}

const char *cover_shader(const struct scene *s)
{
    return s->es == 2 ? "attribute vec2 corner; varying vec2 at;\n"
                        "void main() { gl_Position = vec4(corner, 0.0, 1.0);\n"
                        "              at = corner * 0.5 + 0.5; }\n"
                      : "in vec2 corner; out vec2 at;\n"
                        "void main() { gl_Position = vec4(corner, 0.0, 1.0);\n"
                        "              at = corner * 0.5 + 0.5; }\n";
}

void cover(void)
{
    glBindBuffer(GL_ARRAY_BUFFER, 0);
    for (GLuint i = 1; i < 4; i++)
        glDisableVertexAttribArray(i);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

GLuint make_frame(struct scene *s, const struct format *f, int width, int height, GLuint *texture)
{
    GLuint made, frame;

    need(s, f->extension);
    glGenTextures(1, &made);
    glBindTexture(GL_TEXTURE_2D, made);
    if (s->es == 2)
        glTexImage2D(GL_TEXTURE_2D, 0, (GLint)f->internal, width, height, 0, f->format, f->type,
                     NULL);
    else
        glTexStorage2D(GL_TEXTURE_2D, 1, f->internal, width, height);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, made, 0);
    if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE)
        give_up(s, "not offered: %s as a target", f->name);
    glViewport(0, 0, width, height);
    if (texture)
        *texture = made;
    return frame;
}

static void append(struct scene *s, const unsigned char *pixels)
{
    if (fwrite(pixels, 1, PICTURE_BYTES, s->file) != PICTURE_BYTES) {
        perror("picture");
        exit(1);
    }
}

/* A float as a byte: -2 to 2 are 0 to 255. */
static unsigned char byte_of(float value)
{
    float scaled = value * 64 + 128;

    return scaled != scaled ? 77 : scaled < 0 ? 0 : scaled > 255 ? 255 : (unsigned char)scaled;
}

/* All bytes of an integer in one, as to_color() has it. */
static unsigned char folded(uint32_t word)
{
    return (unsigned char)(word ^ word >> 8 ^ word >> 16 ^ word >> 24);
}

void show_frame(struct scene *s, const struct format *f)
{
    static unsigned char pixels[PICTURE_BYTES];
    static uint32_t words[PICTURE_BYTES];

    memset(words, 0, sizeof(words));
    switch (f->kind) {
    case UNORM:
    case DEPTH:
        glReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
        append(s, pixels);
        return;
    case SNORM:
    case FLOAT:
        glReadPixels(0, 0, SIDE, SIDE, GL_RGBA, GL_FLOAT, words);
        for (size_t i = 0; i < PICTURE_BYTES; i++) {
            float value;

            memcpy(&value, &words[i], sizeof(value));
            pixels[i] = byte_of(value);
        }
        append(s, pixels);
        return;
    case UINT:
        glReadPixels(0, 0, SIDE, SIDE, GL_RGBA_INTEGER, GL_UNSIGNED_INT, words);
        break;
    case INT:
        glReadPixels(0, 0, SIDE, SIDE, GL_RGBA_INTEGER, GL_INT, words);
        break;
    }
    for (size_t i = 0; i < PICTURE_BYTES; i++)
        pixels[i] = folded(words[i]);
    append(s, pixels);
}

void show_program(struct scene *s, GLuint program)
{
    const struct format *plain = format_named(s->es == 2 ? "RGBA" : "RGBA8");
    GLint unit = 0, bound = 0;

    /* make_frame() binds a texture, where the program may have one. */
    glGetIntegerv(GL_ACTIVE_TEXTURE, &unit);
    glActiveTexture(GL_TEXTURE7);
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
    make_frame(s, plain, SIDE, SIDE, NULL);
    glBindTexture(GL_TEXTURE_2D, (GLuint)bound);
    glActiveTexture((GLenum)unit);
    glUseProgram(program);
    cover();
    show_frame(s, plain);
}

void show_bytes(struct scene *s, const void *bytes, size_t count)
{
    static unsigned char pixels[PICTURE_BYTES];

    memset(pixels, 0, sizeof(pixels));
    memcpy(pixels, bytes, count < sizeof(pixels) ? count : sizeof(pixels));
    append(s, pixels);
}
