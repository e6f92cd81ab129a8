/* Clearing some tens of words, which is done for each request of a shader. */
#ifndef RUNTIME_GPU_CLEAR_H
#define RUNTIME_GPU_CLEAR_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Sets words to 0. The compiler must not know how many: of some tens it makes a string instruction,
 * which takes longer to start than the words to store. */
static inline void gpu_clear_words(uint32_t *words, size_t count)
{
    size_t bytes = count * sizeof(*words);

    __asm__("" : "+r"(bytes));
    memset(words, 0, bytes);
}

#endif
