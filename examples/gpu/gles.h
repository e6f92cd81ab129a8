/*
 * Code that the OpenGL ES examples share: a context without a display, compute shaders, and errors
 * that end the program with the driver's message.
 */
#ifndef EXAMPLES_GPU_GLES_H
#define EXAMPLES_GPU_GLES_H

#define EGL_NO_PLATFORM_SPECIFIC_TYPES
#include <EGL/egl.h>
#include <GLES3/gl31.h>

/* Ends the program: "WHAT failed (CODE)". */
void gles_fail(const char *what, int code) __attribute__((noreturn));

/* A display without a screen. The caller ends it with eglTerminate(). */
EGLDisplay gles_display(void);

/* Makes a new context of OpenGL ES of this version, or a later one, current. The caller destroys
 * it. */
EGLContext gles_context(EGLDisplay display, int major, int minor);

/* Makes a context of OpenGL ES 3.1 current. The caller ends it with eglTerminate(). */
EGLDisplay gles_open(void);

/* Makes a program of one compute shader, whose source is `count` texts one after the other. */
GLuint gles_compute_program(const char *const *texts, int count);

#endif
