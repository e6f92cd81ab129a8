/*
 * Draws a square with fragment shaders of yours, and writes the pictures: scripts/compare-shaders
 * runs it on two implementations of OpenGL ES and compares.
 *
 *     draw_shader SIDE SHADER UNIFORMS PICTURE [SHADER UNIFORMS PICTURE]...
 *
 * UNIFORMS is a file of lines `NAME FUNCTION NUMBER...`, such as `resolution glUniform2f 256 256`.
 * PICTURE becomes SIDE by SIDE pixels of four bytes: red, green, blue, alpha; the lowest row first.
 * A line per shader says how it went: `SHADER: drawn`, or `SHADER: ` and the error's first line.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gles.h"

enum { SHADER_BYTES = 1 << 20, LOG_BYTES = 1024, MOST_SIDE = 4096, MOST_NUMBERS = 256 };

/* The vertex shader of a triangle around the square, in the version of the fragment shader. */
static const char corners[] =
    "%s\n%s vec2 corner;\nvoid main() { gl_Position = vec4(corner, 0.0, 1.0); }\n";
static const float corner[] = {-1, -1, 3, -1, -1, 3};

/* The text of a file, which the caller frees. Ends the program if the file cannot be read. */
static char *read_text(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = calloc(1, SHADER_BYTES);

    if (!file || !text || (fread(text, 1, SHADER_BYTES - 1, file) == 0 && ferror(file))) {
        perror(path);
        exit(1);
    }
    fclose(file);
    return text;
}

/* Attaches a shader to the program. Returns whether it compiles; if not, `log` says why. */
static int attach(GLuint program, GLenum kind, const char *text, char *log)
{
    GLuint shader = glCreateShader(kind);
    GLint ok = 0;

    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (!ok)
        glGetShaderInfoLog(shader, LOG_BYTES, NULL, log);
    glAttachShader(program, shader);
    glDeleteShader(shader);
    return ok;
}

/* Compiles and links the fragment shader with a vertex shader of its version. */
static int build(GLuint program, const char *fragment, char *log)
{
    const char *version = strstr(fragment, "#version");
    size_t length = version ? strcspn(version, "\n") : 0;
    char line[64] = "", vertex[256];
    GLint ok = 0;

    if (version)
        snprintf(line, sizeof(line), "%.*s", (int)length, version);
    snprintf(vertex, sizeof(vertex), corners, line, strstr(line, " es") ? "in" : "attribute");
    if (!attach(program, GL_VERTEX_SHADER, vertex, log) ||
        !attach(program, GL_FRAGMENT_SHADER, fragment, log))
        return 0;
    glBindAttribLocation(program, 0, "corner");
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    if (!ok)
        glGetProgramInfoLog(program, LOG_BYTES, NULL, log);
    return ok;
}

/* Calls glUniformN{f,i,ui}v() or glUniformMatrixNfv(), as `function` says, with all the numbers. */
static int set_uniform(GLint at, const char *function, const double *number, int count)
{
    void (*const matrices[])(GLint, GLsizei, GLboolean, const GLfloat *) = {
        glUniformMatrix2fv, glUniformMatrix3fv, glUniformMatrix4fv};
    void (*const floats[])(GLint, GLsizei, const GLfloat *) = {glUniform1fv, glUniform2fv,
                                                               glUniform3fv, glUniform4fv};
    void (*const ints[])(GLint, GLsizei, const GLint *) = {glUniform1iv, glUniform2iv, glUniform3iv,
                                                           glUniform4iv};
    void (*const uints[])(GLint, GLsizei, const GLuint *) = {glUniform1uiv, glUniform2uiv,
                                                             glUniform3uiv, glUniform4uiv};
    GLfloat real[MOST_NUMBERS];
    GLint whole[MOST_NUMBERS];
    GLuint positive[MOST_NUMBERS];
    unsigned n = 0;
    char kind = 0;

    for (int i = 0; i < count; i++) {
        real[i] = (GLfloat)number[i];
        whole[i] = (GLint)number[i];
        positive[i] = (GLuint)number[i];
    }
    if (sscanf(function, "glUniformMatrix%u", &n) == 1 && n >= 2 && n <= 4)
        matrices[n - 2](at, count / (int)(n * n), GL_FALSE, real);
    else if (sscanf(function, "glUniform%u%c", &n, &kind) != 2 || n < 1 || n > 4)
        return 0;
    else if (kind == 'f')
        floats[n - 1](at, count / (int)n, real);
    else if (kind == 'u')
        uints[n - 1](at, count / (int)n, positive);
    else
        ints[n - 1](at, count / (int)n, whole);
    return 1;
}

/* Returns whether all functions of the file exist; `log` has the first that does not. */
static int set_uniforms(GLuint program, const char *path, char *log)
{
    char *text = read_text(path), *rest = NULL;
    int good = 1;

    for (char *line = strtok_r(text, "\n", &rest); line && good;
         line = strtok_r(NULL, "\n", &rest)) {
        char *word = NULL, *name = strtok_r(line, " ", &word);
        char *function = strtok_r(NULL, " ", &word), *value;
        double number[MOST_NUMBERS];
        int count = 0;

        while (count < MOST_NUMBERS && (value = strtok_r(NULL, " ", &word)))
            number[count++] = strtod(value, NULL);
        good =
            function && set_uniform(glGetUniformLocation(program, name), function, number, count);
        if (!good)
            snprintf(log, LOG_BYTES, "%s: no function of uniforms", function ? function : name);
    }
    free(text);
    return good;
}

/* What all shaders share: the frame and the triangle. */
static void prepare(int side)
{
    GLuint buffer, frame, vertices;

    glGenRenderbuffers(1, &buffer);
    glBindRenderbuffer(GL_RENDERBUFFER, buffer);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, side, side);
    glGenFramebuffers(1, &frame);
    glBindFramebuffer(GL_FRAMEBUFFER, frame);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, buffer);
    glViewport(0, 0, side, side);
    glGenBuffers(1, &vertices);
    glBindBuffer(GL_ARRAY_BUFFER, vertices);
    glBufferData(GL_ARRAY_BUFFER, sizeof(corner), corner, GL_STATIC_DRAW);
    glEnableVertexAttribArray(0);
    glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, NULL);
}

static void write_picture(const char *path, const unsigned char *pixels, size_t bytes)
{
    FILE *file = fopen(path, "w");

    if (!file || fwrite(pixels, 1, bytes, file) != bytes || fclose(file)) {
        perror(path);
        exit(1);
    }
}

/* Returns whether the picture was drawn and written; `log` says why not. */
static int draw(const char *fragment, const char *uniforms, const char *picture, int side,
                char *log)
{
    size_t bytes = (size_t)side * (size_t)side * 4;
    unsigned char *pixels = malloc(bytes);
    GLuint program = glCreateProgram();
    int good = pixels && build(program, fragment, log);

    glUseProgram(good ? program : 0);
    good = good && set_uniforms(program, uniforms, log);
    if (good) {
        GLenum error;

        glClear(GL_COLOR_BUFFER_BIT);
        glDrawArrays(GL_TRIANGLES, 0, 3);
        glReadPixels(0, 0, side, side, GL_RGBA, GL_UNSIGNED_BYTE, pixels);
        error = glGetError();
        good = !error;
        if (good)
            write_picture(picture, pixels, bytes);
        else
            snprintf(log, LOG_BYTES, "OpenGL error %#x", error);
    }
    glDeleteProgram(program);
    free(pixels);
    return good;
}

int main(int argc, char **argv)
{
    int side = argc >= 5 && argc % 3 == 2 ? atoi(argv[1]) : 0;
    EGLDisplay display;

    if (side < 1 || side > MOST_SIDE) {
        fprintf(stderr,
                "usage: draw_shader SIDE SHADER UNIFORMS PICTURE [SHADER UNIFORMS PICTURE]...\n");
        return 2;
    }
    display = gles_open();
    prepare(side);
    for (int i = 2; i < argc; i += 3) {
        char *fragment = read_text(argv[i]), log[LOG_BYTES] = "";

        if (draw(fragment, argv[i + 1], argv[i + 2], side, log))
            snprintf(log, sizeof(log), "drawn");
        printf("%s: %.*s\n", argv[i], (int)strcspn(log, "\n"), log);
        fflush(stdout);
        free(fragment);
    }
    eglTerminate(display);
    return 0;
}
