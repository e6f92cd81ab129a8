/* The OpenGL ES context and compute programs of the examples: see gles.h. */
#include "gles.h"

#include <EGL/eglext.h>
#include <stdio.h>
#include <stdlib.h>

void gles_fail(const char *what, int code)
{
    fprintf(stderr, "%s failed (%#x)\n", what, (unsigned)code);
    exit(1);
}

EGLDisplay gles_display(void)
{
    EGLDisplay display =
        eglGetPlatformDisplay(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);

    if (!eglInitialize(display, NULL, NULL))
        gles_fail("eglInitialize", eglGetError());
    eglBindAPI(EGL_OPENGL_ES_API);
    return display;
}

EGLContext gles_context(EGLDisplay display, int major, int minor)
{
    const EGLint config_wanted[] = {EGL_RENDERABLE_TYPE,
                                    major == 2 ? EGL_OPENGL_ES2_BIT : EGL_OPENGL_ES3_BIT, EGL_NONE};
    const EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, major, EGL_CONTEXT_MINOR_VERSION, minor,
                              EGL_NONE};
    EGLConfig config = NULL;
    EGLContext context;
    EGLint count = 0;

    eglChooseConfig(display, config_wanted, &config, 1, &count);
    context =
        eglCreateContext(display, count ? config : EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, version);
    if (context == EGL_NO_CONTEXT)
        gles_fail("eglCreateContext", eglGetError());
    if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context))
        gles_fail("eglMakeCurrent", eglGetError());
    return context;
}

EGLDisplay gles_open(void)
{
    EGLDisplay display = gles_display();

    gles_context(display, 3, 1);
    return display;
}

GLuint gles_compute_program(const char *const *texts, int count)
{
    GLuint shader = glCreateShader(GL_COMPUTE_SHADER), program = glCreateProgram();
    char log[1024] = "";
    GLint ok = 0;

    glShaderSource(shader, count, texts, NULL);
    glCompileShader(shader);
    glGetShaderiv(shader, GL_COMPILE_STATUS, &ok);
    if (!ok) {
        glGetShaderInfoLog(shader, sizeof(log), NULL, log);
        fputs(log, stderr);
        gles_fail("glCompileShader", 0);
    }
    glAttachShader(program, shader);
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    if (!ok) {
        glGetProgramInfoLog(program, sizeof(log), NULL, log);
        fputs(log, stderr);
        gles_fail("glLinkProgram", 0);
    }
    glDeleteShader(shader);
    return program;
}
