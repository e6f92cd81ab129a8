// 001 figs 8.2, 8.5 and 8.9: additions that do not need each other, each one kernel more.
#define ADD_1 x += i;
#define ADD_2 ADD_1 d += 9;
#define ADD_3 ADD_2 b += 2;
#define ADD_4 ADD_3 z += 4;
#define ADD_5 ADD_4 c += 6;
#define ADD_6 ADD_5 e += 2;
#define ADD_7 ADD_6 r += 10;
#define ADD_8 ADD_7 t += 12;
#define ADD_9 ADD_8 a1 += 3;
#define ADD_10 ADD_9 a2 += 20;
#define ADD_11 ADD_10 a3 += 9;
#define ADD_12 ADD_11 a4 += 8;
#define ADD_13 ADD_12 a5 += 3;

#define SCALAR(ADDS)                                                                             \
    kernel void scalar_add_##ADDS(global int *list, int n)                                       \
    {                                                                                            \
        int x = 0, d = 0, b = 0, z = 0, c = 0, e = 0, r = 0, t = 0, a1 = 0, a2 = 0, a3 = 0, a4 = 0; \
        int a5 = 0;                                                                              \
                                                                                                 \
        for (int i = n; i != 0; i--) {                                                           \
            ADD_##ADDS                                                                           \
        }                                                                                        \
        list[0] = x, list[1] = d, list[2] = b, list[3] = z, list[4] = c, list[5] = e;            \
        list[6] = r, list[7] = t, list[8] = a1, list[9] = a2, list[10] = a3, list[11] = a4;      \
        list[12] = a5;                                                                           \
    }

SCALAR(1)
SCALAR(2)
SCALAR(3)
SCALAR(4)
SCALAR(5)
SCALAR(6)
SCALAR(7)
SCALAR(8)
SCALAR(9)
SCALAR(10)
SCALAR(11)
SCALAR(12)
SCALAR(13)

#define VECTOR_1 y += i;
#define VECTOR_2 VECTOR_1 x += 4;
#define VECTOR_3 VECTOR_2 c += 6;
#define VECTOR_4 VECTOR_3 z += 9;
#define VECTOR_5 VECTOR_4 f += 2;
#define VECTOR_6 VECTOR_5 b += 7;
#define VECTOR_7 VECTOR_6 d += 10;
#define VECTOR_8 VECTOR_7 e += 12;
#define VECTOR_9 VECTOR_8 r += 2;
#define VECTOR_10 VECTOR_9 t += 44;
#define VECTOR_11 VECTOR_10 a1 += 7;
#define VECTOR_12 VECTOR_11 a2 += 7;
#define VECTOR_13 VECTOR_12 a3 += 4;
#define VECTOR_14 VECTOR_13 a4 += 10;

#define VECTOR(ADDS)                                                                                       \
    kernel void vector_add_##ADDS(global int4 *list, int n)                                                \
    {                                                                                                      \
        int4 y = 8, x = 38, c = 55, z = 0, f = 41, b = 399, d = 9, e = 41, r = 16, t = 99;                 \
        int4 a1 = 5, a2 = 66, a3 = 999, a4 = 88;                                                           \
                                                                                                           \
        for (int i = n; i != 0; i--) {                                                                     \
            VECTOR_##ADDS                                                                                  \
        }                                                                                                  \
        list[0] = y, list[1] = x, list[2] = c, list[3] = z, list[4] = f, list[5] = b, list[6] = d;         \
        list[7] = e, list[8] = r, list[9] = t, list[10] = a1, list[11] = a2, list[12] = a3, list[13] = a4; \
    }

VECTOR(1)
VECTOR(2)
VECTOR(3)
VECTOR(4)
VECTOR(5)
VECTOR(6)
VECTOR(7)
VECTOR(8)
VECTOR(9)
VECTOR(10)
VECTOR(11)
VECTOR(12)
VECTOR(13)
VECTOR(14)

kernel void mixed_add(global int4 *list, int n)
{
    int d = 0, b = 0, e = 0, t = 0, a3 = 0, a4 = 0;
    int4 y = 8, f = 41, x = 38, c = 55, a1 = 5, a2 = 66;

    for (int i = n; i != 0; i--) {
        d += i, y += 8, f += 2;
        b += 2, e += 2, x += 4, c += 6;
        t += 7, a3 += 1, a1 += 2, a2 += 7;
        a4 += 2;
    }
    list[0] = (int4)(d, b, e, t), list[1] = (int4)(a3, a4, 0, 0);
    list[2] = y, list[3] = f, list[4] = x, list[5] = c, list[6] = a1, list[7] = a2;
}
