// 000 figs 9.3 and 11.3: n pairs y = x * y; x = x + y, each of which needs the one before. T is uint, float, double
// (-D DOUBLE, where a compiler has it), int4 or float4; LEFT(x) says whether the loop goes on.
#ifdef VECTOR
#define LEFT(x) all(x != 0)
#else
#define LEFT(x) (x != 0)
#endif

#define PAIR   \
    y = x * y; \
    x = x + y;
#define PAIRS_2 PAIR PAIR
#define PAIRS_3 PAIRS_2 PAIR
#define PAIRS_4 PAIRS_3 PAIR
#define PAIRS_5 PAIRS_4 PAIR
#define PAIRS_6 PAIRS_5 PAIR
#define PAIRS_7 PAIRS_6 PAIR
#define PAIRS_8 PAIRS_7 PAIR
#define PAIRS_9 PAIRS_8 PAIR
#define PAIRS_10 PAIRS_9 PAIR

#define MULT_ADD(PAIRS)                                \
    kernel void mult_add_##PAIRS(global T *list, int n) \
    {                                                  \
        T x = 38, y = 28;                              \
                                                       \
        for (int i = 0; i < n && LEFT(x); i++) {       \
            PAIRS_##PAIRS                              \
        }                                              \
        list[0] = x;                                   \
        list[1] = y;                                   \
    }

MULT_ADD(2)
MULT_ADD(3)
MULT_ADD(4)
MULT_ADD(5)
MULT_ADD(6)
MULT_ADD(7)
MULT_ADD(8)
MULT_ADD(9)
MULT_ADD(10)
