/* A program with shared libraries: the interpreter, relocation, lazy binding, TLS, dlopen. */
// options: -L /usr/aarch64-linux-gnu
// flags: -pthread
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static __thread int own = 3;

static void *add_in_thread(void *arg)
{
    own += *(int *)arg;
    return (void *)(long)own;
}

int main(void)
{
    void *lib = dlopen("libm.so.6", RTLD_NOW), *result;
    double (*cosine)(double) = (double (*)(double))dlsym(lib, "cos");
    pthread_t thread;
    int arg = 4;

    pthread_create(&thread, NULL, add_in_thread, &arg);
    pthread_join(thread, &result);
    printf("%ld %d %f %f\n", (long)result, own, cosine(1), pow(2, 0.25));
    return dlclose(lib);
}
