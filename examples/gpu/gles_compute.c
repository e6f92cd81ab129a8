/* A compute shader of OpenGL ES 3.1 without a display: squares numbers on the GPU. */
#define EGL_NO_PLATFORM_SPECIFIC_TYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES3/gl31.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 1024, GROUP = 64 };

static const char source[] = "#version 310 es\n"
                             "layout(local_size_x = 64) in;\n"
                             "layout(std430, binding = 0) readonly buffer In { uint from[]; };\n"
                             "layout(std430, binding = 1) writeonly buffer Out { uint to[]; };\n"
                             "shared uint tile[64];\n"
                             "void main()\n"
                             "{\n"
                             "    uint i = gl_GlobalInvocationID.x, l = gl_LocalInvocationID.x;\n"
                             "    tile[l] = from[i] * from[i];\n"
                             "    barrier();\n"
                             "    to[i] = tile[63u - l];\n"
                             "}\n";

static void fail(const char *what, int code)
{
    fprintf(stderr, "%s failed (%#x)\n", what, (unsigned)code);
    exit(1);
}

static EGLDisplay open_display(void)
{
    static const EGLint config_wanted[] = {EGL_RENDERABLE_TYPE, EGL_OPENGL_ES3_BIT, EGL_NONE};
    static const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 3, EGL_CONTEXT_MINOR_VERSION, 1,
                                     EGL_NONE};
    EGLDisplay display =
        eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    EGLConfig config = NULL;
    EGLContext context;
    EGLint count = 0;

    if (!eglInitialize(display, NULL, NULL))
        fail("eglInitialize", eglGetError());
    eglBindAPI(EGL_OPENGL_ES_API);
    eglChooseConfig(display, config_wanted, &config, 1, &count);
    context =
        eglCreateContext(display, count ? config : EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, version);
    if (context == EGL_NO_CONTEXT)
        fail("eglCreateContext", eglGetError());
    if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
        fail("eglMakeCurrent", eglGetError());
    return display;
}

static GLuint compile(void)
{
    const char *text = source;
    GLuint shader = glCreateShader(GL_COMPUTE_SHADER), program = glCreateProgram();
    char log[1024] = "";
    GLint ok = 0;

    glShaderSource(shader, 1, &text, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (!ok) {
        glGetShaderInfoLog(shader, sizeof(log), NULL, log);
        fputs(log, stderr);
        fail("glCompileShader", 0);
    }
    glAttachShader(program, shader);
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    if (!ok) {
        glGetProgramInfoLog(program, sizeof(log), NULL, log);
        fputs(log, stderr);
        fail("glLinkProgram", 0);
    }
    return program;
}

int main(void)
{
    static uint32_t from[COUNT], zero[COUNT];
    EGLDisplay display = open_display();
    GLuint buffers[2], program;
    const uint32_t *to;
    int wrong = 0;

    printf("renderer: %s, %s\n", (const char *)glGetString(GL_RENDERER),
           (const char *)glGetString(GL_VERSION));
    program = compile();
    for (uint32_t i = 0; i < COUNT; i++)
        from[i] = i * 7 + 1;
    glGenBuffers(2, buffers);
    for (GLuint i = 0; i < 2; i++) {
        glBindBuffer(GL_SHADER_STORAGE_BUFFER, buffers[i]);
        glBufferData(GL_SHADER_STORAGE_BUFFER, sizeof(from), i ? zero : from, GL_DYNAMIC_COPY);
        glBindBufferBase(GL_SHADER_STORAGE_BUFFER, i, buffers[i]);
    }
    glUseProgram(program);
    glDispatchCompute(COUNT / GROUP, 1, 1);
    glMemoryBarrier(GL_BUFFER_UPDATE_BARRIER_BIT);
    glFinish();
    to = glMapBufferRange(GL_SHADER_STORAGE_BUFFER, 0, sizeof(from), GL_MAP_READ_BIT);
    if (!to)
        fail("glMapBufferRange", (int)glGetError());
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t x = from[i / GROUP * GROUP + (GROUP - 1 - i % GROUP)];

        wrong += to[i] != x * x;
    }
    glUnmapBuffer(GL_SHADER_STORAGE_BUFFER);
    printf("gles_compute: %d elements, %d wrong: %s\n", COUNT, wrong, wrong ? "FAILED" : "ok");
    eglTerminate(display);
    return wrong != 0;
}
