// 001 App. A, figs A.3 and A.7: n independent pairs y = y * x; x = x + y. T is int or int4.
#define PAIRS_1 y1 = y1 * x1; x1 = x1 + y1;
#define PAIRS_2 PAIRS_1 y2 = y2 * x2; x2 = x2 + y2;
#define PAIRS_3 PAIRS_2 y3 = y3 * x3; x3 = x3 + y3;
#define PAIRS_4 PAIRS_3 y4 = y4 * x4; x4 = x4 + y4;
#define PAIRS_5 PAIRS_4 y5 = y5 * x5; x5 = x5 + y5;
#define PAIRS_6 PAIRS_5 y6 = y6 * x6; x6 = x6 + y6;
#define PAIRS_7 PAIRS_6 y7 = y7 * x7; x7 = x7 + y7;
#define PAIRS_8 PAIRS_7 y8 = y8 * x8; x8 = x8 + y8;
#define PAIRS_9 PAIRS_8 y9 = y9 * x9; x9 = x9 + y9;

#define ROUNDS(PAIRS)                                                                             \
    kernel void pairs_##PAIRS(global T *list, int n)                                              \
    {                                                                                             \
        T y1 = 3, x1 = 4, y2 = 5, x2 = 6, y3 = 7, x3 = 8, y4 = 9, x4 = 10, y5 = 11, x5 = 12;      \
        T y6 = 13, x6 = 14, y7 = 15, x7 = 16, y8 = 17, x8 = 18, y9 = 19, x9 = 20;                 \
                                                                                                  \
        for (int i = n; i != 0; i--) {                                                            \
            PAIRS_##PAIRS                                                                         \
        }                                                                                         \
        list[0] = x1, list[1] = y1, list[2] = x2, list[3] = y2, list[4] = x3, list[5] = y3;       \
        list[6] = x4, list[7] = y4, list[8] = x5, list[9] = y5, list[10] = x6, list[11] = y6;     \
        list[12] = x7, list[13] = y7, list[14] = x8, list[15] = y8, list[16] = x9, list[17] = y9; \
    }

ROUNDS(1)
ROUNDS(2)
ROUNDS(3)
ROUNDS(4)
ROUNDS(5)
ROUNDS(6)
ROUNDS(7)
ROUNDS(8)
ROUNDS(9)
