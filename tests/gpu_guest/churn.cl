/* Few work-groups that run for long, so that a job takes many steps of the GPU: with local and private memory,
 * barriers, branches that part the lanes, and atomic operations. */
__kernel void churn(__global uint *data, uint rounds)
{
    __local uint shared[64];
    uint i = get_local_id(0), id = get_global_id(0), x = data[id], own[8];

    for (uint k = 0; k < 8; k++)
        own[k] = x * (k + 1);
    for (uint r = 0; r < rounds; r++) {
        shared[i] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        x = x * 1664525 + shared[(i + 1) % 64] + r;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (x & 1024)
            own[x >> 16 & 7] += x;
        else
            x ^= own[x >> 20 & 7];
        if (!(x & 0xff000))
            atomic_add(&data[get_global_size(0)], 1);
    }
    data[id] = x;
}
