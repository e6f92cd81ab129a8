// Work-groups that share local memory.

#define SIZE 256 // words that a group of half as many threads sorts

__kernel void bitonic(__global uint *data)
{
    __local uint s[SIZE];
    uint i = get_local_id(0), base = get_group_id(0) * SIZE;

    s[i] = data[base + i];
    s[i + SIZE / 2] = data[base + i + SIZE / 2];
    for (uint k = 2; k <= SIZE; k *= 2)
        for (uint j = k / 2; j > 0; j /= 2) {
            uint low = 2 * j * (i / j) + i % j, high = low + j;

            barrier(CLK_LOCAL_MEM_FENCE);
            if (s[low] > s[high] != ((low & k) != 0)) {
                uint t = s[low];

                s[low] = s[high];
                s[high] = t;
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    data[base + i] = s[i];
    data[base + i + SIZE / 2] = s[i + SIZE / 2];
}

#define EACH 8 // words that a thread of the reduction adds itself

__kernel void reduction(__global const uint *in, __global uint *out)
{
    __local uint s[128];
    uint i = get_local_id(0), n = get_global_size(0), sum = 0;

    for (uint k = 0; k < EACH; k++)
        sum += in[k * n + get_global_id(0)];
    s[i] = sum;
    for (uint half_size = 64; half_size > 0; half_size /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (i < half_size)
            s[i] += s[i + half_size];
    }
    if (i == 0)
        out[get_group_id(0)] = s[0];
}

#define BINS 256

// A group counts in local memory, and adds that to the bins in global memory.
__kernel void histogram(__global const uint *in, __global uint *bins, uint each)
{
    __local uint count[BINS];
    uint i = get_local_id(0), n = get_global_size(0);

    for (uint b = i; b < BINS; b += get_local_size(0))
        count[b] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = 0; k < each; k++) {
        uint v = in[k * n + get_global_id(0)];

        atomic_inc(&count[v & 255]);
        atomic_inc(&count[v >> 24]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint b = i; b < BINS; b += get_local_size(0))
        atomic_add(&bins[b], count[b]);
}
