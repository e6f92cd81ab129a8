/* See fill.h. */
#include "fill.h"

static void fill_floats(struct random *random, int width, struct request *request)
{
    uint64_t operands[3];

    random_floats(random, width, operands);
    for (int i = 0; i < 3; i++)
        request->v[i + 1][0] = operands[i];
}

void fill_float16(struct random *random, struct request *request)
{
    fill_floats(random, 16, request);
}

void fill_float32(struct random *random, struct request *request)
{
    fill_floats(random, 32, request);
}

void fill_float64(struct random *random, struct request *request)
{
    fill_floats(random, 64, request);
}

void fill_integral32(struct random *random, struct request *request)
{
    request->v[1][0] = random_integral(random, 32);
}

void fill_integral64(struct random *random, struct request *request)
{
    request->v[1][0] = random_integral(random, 64);
}

void fill_narrow32(struct random *random, struct request *request)
{
    request->v[1][0] = random_narrow(random, 32);
}

void fill_narrow64(struct random *random, struct request *request)
{
    request->v[1][0] = random_narrow(random, 64);
}

void fill_integer(struct random *random, struct request *request)
{
    request->v[1][0] = random_integer(random);
    request->v[2][0] = random_integer(random);
}

/* Vectors of any content are what every request has to begin with. */
void fill_vector(struct random *random, struct request *request)
{
    (void)random;
    (void)request;
}
