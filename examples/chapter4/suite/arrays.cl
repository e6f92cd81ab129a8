// BinarySearch: each thread looks whether the key is in its part of what is left of a sorted array.
__kernel void binary_search(__global const uint *sorted, __global uint *found, uint key, uint low, uint part)
{
    uint at = low + get_global_id(0) * part;

    if (sorted[at] <= key && key <= sorted[at + part - 1]) {
        found[0] = at;
        found[1] = 1;
    }
}

// BitonicSort: one comparison a thread, in one pass of one stage.
__kernel void bitonic_sort(__global uint *array, uint stage, uint pass)
{
    uint id = get_global_id(0), distance = 1u << (stage - pass), left = (id / distance) * 2 * distance + id % distance;
    uint a = array[left], b = array[left + distance];
    int rising = (id >> stage & 1) == 0;

    array[left] = rising ? min(a, b) : max(a, b);
    array[left + distance] = rising ? max(a, b) : min(a, b);
}

// FloydWarshall: all shortest ways that may lead over nodes up to `pass`, from those up to the one before.
__kernel void floyd_warshall(__global uint *length, __global uint *over, uint nodes, uint pass)
{
    int x = get_global_id(0), y = get_global_id(1);
    uint direct = length[y * nodes + x], by = length[y * nodes + pass] + length[pass * nodes + x];

    if (by < direct) {
        length[y * nodes + x] = by;
        over[y * nodes + x] = pass;
    }
}

// MatrixTranspose: blocks of 4 x 4 a thread, by vectors, through local memory.
__kernel void matrix_transpose(__global const float4 *from, __global float4 *to, __local float4 *tile, int width)
{
    int x = get_local_id(0), y = get_local_id(1), side = get_local_size(0);
    int row = 4 * get_global_id(1), stride = width / 4;
    float4 a, b, c, d;

    for (int k = 0; k < 4; k++)
        tile[(4 * y + k) * side + x] = from[(row + k) * stride + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    // Of the block at the place that this thread's has in the transposed tile.
    a = tile[(4 * x) * side + y];
    b = tile[(4 * x + 1) * side + y];
    c = tile[(4 * x + 2) * side + y];
    d = tile[(4 * x + 3) * side + y];
    row = 4 * (get_group_id(0) * side + y);
    x += get_group_id(1) * side;
    to[row * stride + x] = (float4)(a.x, b.x, c.x, d.x);
    to[(row + 1) * stride + x] = (float4)(a.y, b.y, c.y, d.y);
    to[(row + 2) * stride + x] = (float4)(a.z, b.z, c.z, d.z);
    to[(row + 3) * stride + x] = (float4)(a.w, b.w, c.w, d.w);
}

// Reduction: each group sums vectors of its threads to one vector, by halves.
__kernel void reduction(__global const uint4 *from, __global uint4 *sums, __local uint4 *shared)
{
    int id = get_local_id(0);

    shared[id] = from[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int left = get_local_size(0) / 2; left; left >>= 1) {
        if (id < left)
            shared[id] += shared[id + left];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (id == 0)
        sums[get_group_id(0)] = shared[0];
}

// ScanLargeArrays: sums of all elements before each, of blocks of two elements a thread; then the blocks' sums are scanned likewise,
// and added.
__kernel void scan_blocks(__global const float *from, __global float *to, __global float *sums, __local float *block)
{
    int id = get_local_id(0), count = 2 * get_local_size(0), first = get_group_id(0) * count, offset = 1;

    block[2 * id] = from[first + 2 * id];
    block[2 * id + 1] = from[first + 2 * id + 1];
    for (int d = count >> 1; d; d >>= 1) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < d)
            block[offset * (2 * id + 2) - 1] += block[offset * (2 * id + 1) - 1];
        offset *= 2;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0) {
        sums[get_group_id(0)] = block[count - 1];
        block[count - 1] = 0;
    }
    for (int d = 1; d < count; d *= 2) {
        float left = 0, right = 0;

        offset >>= 1;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < d) {
            left = block[offset * (2 * id + 1) - 1];
            right = block[offset * (2 * id + 2) - 1];
        }
        barrier(CLK_LOCAL_MEM_FENCE); // without, Mesa 25.0.7 exchanges loads and stores of one address
        if (id < d) {
            block[offset * (2 * id + 1) - 1] = right;
            block[offset * (2 * id + 2) - 1] = left + right;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    to[first + 2 * id] = block[2 * id];
    to[first + 2 * id + 1] = block[2 * id + 1];
}

__kernel void add_blocks(__global float *to, __global const float *sums)
{
    int at = 2 * get_local_size(0) * get_group_id(0) + get_local_id(0);
    float sum = sums[get_group_id(0)];

    to[at] += sum;
    to[at + get_local_size(0)] += sum;
}
