enum { HIDDEN = 16 };

// BackPropagation: products of 16 inputs with their weights to 16 hidden nodes a group, summed by halves in local memory.
__kernel void layer_forward(__global const float *inputs, __global const float *weights, __global float *partial_sums)
{
    __local float input[HIDDEN], product[HIDDEN][HIDDEN];
    int x = get_local_id(0), y = get_local_id(1), first = HIDDEN * get_group_id(1);

    if (x == 0)
        input[y] = inputs[first + y];
    barrier(CLK_LOCAL_MEM_FENCE);
    product[y][x] = weights[(first + y) * HIDDEN + x] * input[y];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int step = 2; step <= HIDDEN; step *= 2) {
        if (y % step == 0)
            product[y][x] += product[y + step / 2][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (y == 0)
        partial_sums[HIDDEN * get_group_id(1) + x] = product[0][x];
}

__kernel void adjust_weights(__global const float *delta, __global const float *inputs, __global float *weights,
                             __global float *changes)
{
    int x = get_local_id(0), y = HIDDEN * get_group_id(1) + get_local_id(1), at = y * HIDDEN + x;
    float change = 0.3f * delta[x] * inputs[y] + 0.3f * changes[at];

    weights[at] += change;
    changes[at] = change;
}

// BFS: a thread a node of the front; those that it finds first go to a queue in local memory, and at last behind the next front.
enum { QUEUE = 1024 };

__kernel void breadth_first_search(__global const uint *front, uint count, __global uint *next, __global uint *tail,
                                   __global const uint2 *nodes, __global const uint *edges, __global int *cost, int level)
{
    __local uint found, start, queue[QUEUE];
    uint id = get_global_id(0);

    if (get_local_id(0) == 0)
        found = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < count) {
        uint2 node = nodes[front[id]];

        for (uint k = node.x; k < node.x + node.y; k++) {
            uint to = edges[k];

            if (cost[to] < 0 && atomic_cmpxchg(&cost[to], -1, level) == -1) {
                uint at = atomic_inc(&found);

                if (at < QUEUE)
                    queue[at] = to;
                else
                    next[atomic_inc(tail)] = to;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        start = atomic_add(tail, min(found, (uint)QUEUE));
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint k = get_local_id(0); k < min(found, (uint)QUEUE); k += get_local_size(0))
        next[start + k] = queue[k];
}

// cutcp: the potential of all atoms nearer than the cutoff, a thread a point of the lattice; atoms go through local memory.
enum { ATOMS = 64 };

__kernel void cutoff_potential(__global const float4 *atoms, __global float *lattice, int count, float spacing, float cutoff)
{
    __local float4 near[ATOMS];
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2), self = get_local_id(1) * get_local_size(0) + get_local_id(0);
    float sum = 0, limit = cutoff * cutoff;

    for (int first = 0; first < count; first += ATOMS) {
        if (self < ATOMS && first + self < count)
            near[self] = atoms[first + self];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < min(ATOMS, count - first); k++) {
            float dx = near[k].x - x * spacing, dy = near[k].y - y * spacing, dz = near[k].z - z * spacing;
            float square = dx * dx + dy * dy + dz * dz, smooth = 1 - square / limit;

            if (square < limit)
                sum += near[k].w * rsqrt(square) * smooth * smooth;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    lattice[(z * get_global_size(1) + y) * get_global_size(0) + x] = sum;
}

// NearestNeighbor: the distance of each record to a place.
__kernel void nearest_neighbor(__global const float2 *records, __global float *distances, int count, float latitude, float longitude)
{
    int id = get_global_id(0);

    if (id < count) {
        float2 r = records[id];

        distances[id] = sqrt((latitude - r.x) * (latitude - r.x) + (longitude - r.y) * (longitude - r.y));
    }
}

// SPMV: rows by length, longest first, stored column by column of what is left (jagged diagonals); a thread a row.
__kernel void sparse_product(__global const float *values, __global const int *columns, __global const int *starts,
                             __global const int *lengths, __global const int *rows, __global const float *x, __global float *y, int count)
{
    int id = get_global_id(0);

    if (id < count) {
        float sum = 0;

        for (int k = 0; k < lengths[id]; k++)
            sum += values[starts[k] + id] * x[columns[starts[k] + id]];
        y[rows[id]] = sum;
    }
}

// Stencil: seven points.
__kernel void stencil(__global const float *from, __global float *to, float self, float others)
{
    int x = get_global_id(0), y = get_global_id(1), z = get_global_id(2);
    int wide = get_global_size(0), plane = wide * get_global_size(1), at = z * plane + y * wide + x;

    if (x > 0 && y > 0 && z > 0 && x < wide - 1 && y < get_global_size(1) - 1 && z < get_global_size(2) - 1)
        to[at] = others * (from[at - 1] + from[at + 1] + from[at - wide] + from[at + wide] + from[at - plane] + from[at + plane]) -
                 self * from[at];
}
