/* Names to link against in place of the guest's libEGL.so.1. */
#define SYMBOL(name) \
    void name(void); \
    void name(void)  \
    {                \
    }
SYMBOL(eglBindAPI)
SYMBOL(eglChooseConfig)
SYMBOL(eglCreateContext)
SYMBOL(eglDestroyContext)
SYMBOL(eglGetError)
SYMBOL(eglGetPlatformDisplay)
SYMBOL(eglGetProcAddress)
SYMBOL(eglInitialize)
SYMBOL(eglMakeCurrent)
SYMBOL(eglTerminate)
