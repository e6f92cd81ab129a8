// Images of four bytes a pixel, a word each. Vectors of bytes are avoided: Mesa 25.0.7 compiles them wrongly on Bifrost.
static float4 unpack(uint pixel)
{
    return (float4)(pixel & 255, pixel >> 8 & 255, pixel >> 16 & 255, pixel >> 24);
}

static uint pack(float4 c)
{
    uint4 v = convert_uint4(clamp(c, 0.0f, 255.0f));

    return v.x | v.y << 8 | v.z << 16 | v.w << 24;
}

// SobelFilter: the length of the gradient by two 3 x 3 masks, halved; the rim stays.
__kernel void sobel_filter(__global const uint *from, __global uint *to)
{
    int x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), height = get_global_size(1);
    int at = y * width + x;

    if (x >= 1 && x < width - 1 && y >= 1 && y < height - 1) {
        float4 a = unpack(from[at - 1 - width]), b = unpack(from[at - width]), c = unpack(from[at + 1 - width]);
        float4 d = unpack(from[at - 1]), e = unpack(from[at + 1]);
        float4 f = unpack(from[at - 1 + width]), g = unpack(from[at + width]), h = unpack(from[at + 1 + width]);
        float4 across = a + 2.0f * b + c - f - 2.0f * g - h;
        float4 down = a - c + 2.0f * d - 2.0f * e + f - h;

        to[at] = pack(hypot(across, down) / 2.0f);
    }
}

// RecursiveGaussian: two recursive filters of second order down each column, one from either end, summed. A thread a column.
__kernel void recursive_gaussian(__global const uint *from, __global uint *to, __global float4 *sums, int width, int height,
                                 float8 weights, float first, float last)
{
    int x = get_global_id(0);
    float4 x1 = unpack(from[x]), y1 = x1 * first, y2 = y1, x2, x3;

    for (int y = 0; y < height; y++) {
        float4 now = unpack(from[y * width + x]), out = weights.s0 * now + weights.s1 * x1 - weights.s4 * y1 - weights.s5 * y2;

        sums[y * width + x] = out;
        x1 = now;
        y2 = y1;
        y1 = out;
    }
    x2 = x3 = unpack(from[(height - 1) * width + x]);
    y1 = y2 = x2 * last;
    for (int y = height - 1; y >= 0; y--) {
        float4 out = weights.s2 * x2 + weights.s3 * x3 - weights.s4 * y1 - weights.s5 * y2;

        x3 = x2;
        x2 = unpack(from[y * width + x]);
        y2 = y1;
        y1 = out;
        to[y * width + x] = pack(sums[y * width + x] + out);
    }
}

__kernel void transpose_image(__global const uint *from, __global uint *to, __local uint *tile, int width, int height)
{
    int x = get_local_id(0), y = get_local_id(1), side = get_local_size(0);

    tile[y * side + x] = from[get_global_id(1) * width + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    to[get_global_id(0) * height + get_global_id(1)] = tile[y * side + x];
}

// URNG: noise on each pixel, from a generator of Park and Miller with a table of Bays and Durham, which is in local memory.
enum { TABLE = 16 };

static int park_miller(int x)
{
    int high = x / 127773;

    x = 16807 * (x - high * 127773) - 2836 * high;
    return x < 0 ? x + 2147483647 : x;
}

__kernel void uniform_noise(__global const uint *from, __global uint *to, __local int *tables, int height, int factor)
{
    __local int *table = tables + TABLE * get_local_id(0);

    for (int row = get_global_id(1); row < height; row += get_global_size(1)) {
        int at = row * get_global_size(0) + get_global_id(0), x, y;
        float4 c = unpack(from[at]);

        x = (int)(c.x + c.y + c.z + c.w) / 4 + 1;
        for (int k = 0; k < TABLE; k++)
            x = park_miller(x);
        for (int k = TABLE - 1; k >= 0; k--) {
            x = park_miller(x);
            table[k] = x;
        }
        y = table[0] / (1 + 2147483646 / TABLE);
        to[at] = pack(c + ((float)table[y] / 2147483647.0f - 0.5f) * factor);
    }
}

// DCT: of blocks of 8 x 8, by two products with the matrix of cosines.
__kernel void cosine_transform(__global const float *from, __global float *to, __global const float *cosines, __local float *half_done,
                               int width)
{
    int i = get_local_id(1), j = get_local_id(0), block = get_group_id(1) * 8 * width + get_group_id(0) * 8;
    float sum = 0;

    for (int k = 0; k < 8; k++)
        sum += cosines[8 * i + k] * from[block + k * width + j];
    half_done[8 * i + j] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    sum = 0;
    for (int k = 0; k < 8; k++)
        sum += half_done[8 * i + k] * cosines[8 * j + k];
    to[block + i * width + j] = sum;
}

// DwtHaar1D: each group transforms 2 elements a thread by as many levels as it can; what is left of it is one average.
__kernel void haar_transform(__global const float *from, __global float *details, __global float *averages, __local float *shared,
                             int total)
{
    int id = get_local_id(0), threads = get_local_size(0), group = get_group_id(0);
    float a = from[2 * (group * threads + id)], b = from[2 * (group * threads + id) + 1];

    for (int left = threads, all = total; ; left >>= 1) {
        all >>= 1;
        if (id < left) {
            details[all + group * left + id] = (a - b) * M_SQRT1_2_F;
            shared[id] = (a + b) * M_SQRT1_2_F;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (left == 1)
            break;
        if (id < left >> 1) {
            a = shared[2 * id];
            b = shared[2 * id + 1];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0)
        averages[group] = shared[0];
}
