/* Names to link against in place of the guest's libGLESv2.so.2. */
#define SYMBOL(name) \
    void name(void); \
    void name(void)  \
    {                \
    }
SYMBOL(glAttachShader)
SYMBOL(glBindBuffer)
SYMBOL(glBindBufferBase)
SYMBOL(glBufferData)
SYMBOL(glCompileShader)
SYMBOL(glCreateProgram)
SYMBOL(glCreateShader)
SYMBOL(glDispatchCompute)
SYMBOL(glFinish)
SYMBOL(glGenBuffers)
SYMBOL(glGetError)
SYMBOL(glGetProgramInfoLog)
SYMBOL(glGetProgramiv)
SYMBOL(glGetShaderInfoLog)
SYMBOL(glGetShaderiv)
SYMBOL(glGetString)
SYMBOL(glLinkProgram)
SYMBOL(glMapBufferRange)
SYMBOL(glMemoryBarrier)
SYMBOL(glShaderSource)
SYMBOL(glUniform1ui)
SYMBOL(glUnmapBuffer)
SYMBOL(glUseProgram)
