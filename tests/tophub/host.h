/* OpenCL C of examples/tophub as C, for one thread after the other. */
#ifndef TESTS_TOPHUB_HOST_H
#define TESTS_TOPHUB_HOST_H

#include <stdio.h>

#define __kernel
#define __global

#define VECTOR(n) typedef float float##n __attribute__((vector_size(4 * n), may_alias, aligned(4)))
VECTOR(2);
VECTOR(4);
VECTOR(8);
VECTOR(16);

#define vload2(at, from)    (((const float2 *)(from))[at])
#define vload4(at, from)    (((const float4 *)(from))[at])
#define vload8(at, from)    (((const float8 *)(from))[at])
#define vload16(at, from)   (((const float16 *)(from))[at])
#define vstore2(v, at, to)  (((float2 *)(to))[at] = (v))
#define vstore4(v, at, to)  (((float4 *)(to))[at] = (v))
#define vstore8(v, at, to)  (((float8 *)(to))[at] = (v))
#define vstore16(v, at, to) (((float16 *)(to))[at] = (v))

static int ids[3];

static inline int get_global_id(int axis)
{
    return ids[axis];
}

#define EACH_THREAD(x, y, z)                     \
    for (ids[2] = 0; ids[2] < (z); ids[2]++)     \
        for (ids[1] = 0; ids[1] < (y); ids[1]++) \
            for (ids[0] = 0; ids[0] < (x); ids[0]++)

#endif
