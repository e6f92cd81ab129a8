/* A compute shader of OpenGL ES 3.1 without a display: squares numbers on the GPU. */
#include <stdint.h>
#include <stdio.h>

#include "gles.h"

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

int main(void)
{
    static uint32_t from[COUNT], zero[COUNT];
    EGLDisplay display = gles_open();
    GLuint buffers[2], program;
    const char *text = source;
    const uint32_t *to;
    int wrong = 0;

    printf("renderer: %s, %s\n", (const char *)glGetString(GL_RENDERER),
           (const char *)glGetString(GL_VERSION));
    program = gles_compute_program(&text, 1);
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
        gles_fail("glMapBufferRange", (int)glGetError());
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t x = from[i / GROUP * GROUP + (GROUP - 1 - i % GROUP)];

        wrong += to[i] != x * x;
    }
    glUnmapBuffer(GL_SHADER_STORAGE_BUFFER);
    printf("gles_compute: %d elements, %d wrong: %s\n", COUNT, wrong, wrong ? "FAILED" : "ok");
    eglTerminate(display);
    return wrong != 0;
}
