/* Kernels that are right, each near a mistake of faulty.cl or a habit of OpenCL programs. */

kernel void reverse(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0), n = get_local_size(0);

    t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[n - 1 - l];
}

kernel void scan_two_barriers(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0), n = get_local_size(0);

    t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < n; d *= 2) {
        int before = l >= d ? t[l - d] : 0;

        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    o[get_global_id(0)] = t[l];
}

kernel void scan_two_buffers(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0), n = get_local_size(0), from = 0;

    t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < n; d *= 2, from = n - from) {
        t[n - from + l] = t[from + l] + (l >= d ? t[from + l - d] : 0);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    o[get_global_id(0)] = t[from + l];
}

kernel void reduce(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0);

    t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = get_local_size(0) / 2; s > 0; s /= 2) {
        if (l < s)
            t[l] += t[l + s];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    o[get_global_id(0)] = t[0];
}

kernel void local_histogram(global const uint *a, global uint *o, local uint *h)
{
    int l = get_local_id(0);

    h[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&h[a[get_global_id(0)] & 15]);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = h[l];
}

kernel void tile(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0), n = get_local_size(0), sum = 0;

    for (int k = 0; k < 4; k++) {
        t[l] = a[k * n + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < n; i++)
            sum += t[i] * (i + k);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    o[get_global_id(0)] = sum;
}

kernel void tile_two_buffers(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0), n = get_local_size(0), sum = 0;

    for (int k = 0; k < 4; k++) {
        t[(k & 1) * n + l] = a[k * n + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < n; i++)
            sum += t[(k & 1) * n + i] * (i + k);
    }
    o[get_global_id(0)] = sum;
}

kernel void flag_of_group(global const int *a, global int *o, local int *flag)
{
    if (!get_local_id(0))
        *flag = a[get_group_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = *flag;
}

kernel void same_flag(global const int *a, global int *o, local int *flag)
{
    if (!get_local_id(0))
        *flag = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (a[get_global_id(0)] & 1)
        *flag = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = *flag;
}

kernel void all_write_size(global const int *a, global int *o, local int *n)
{
    *n = get_local_size(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = a[get_global_id(0)] + *n;
}

kernel void counter(global const uint *a, global uint *o, local uint *count)
{
    int n = get_local_size(0);

    if (!get_local_id(0))
        count[n] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (a[get_global_id(0)] & 1)
        atomic_inc(&count[n]);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = count[n];
}

kernel void slots(global const uint *a, global uint *o, local uint *t)
{
    int l = get_local_id(0), n = get_local_size(0);

    if (!l)
        t[n] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    t[atomic_inc(&t[n])] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[l];
}

kernel void bytes_beside(global const uchar *a, global uchar *o, local uchar *t)
{
    int l = get_local_id(0), n = get_local_size(0);

    t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[n - 1 - l];
}

kernel void halves_beside(global const ushort *a, global ushort *o, local ushort *t)
{
    int l = get_local_id(0), n = get_local_size(0);

    t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[(l + 5) % n];
}

kernel void bitonic(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0), n = get_local_size(0);

    t[l] = a[get_global_id(0)];
    for (int k = 2; k <= n; k *= 2)
        for (int j = k / 2; j > 0; j /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int other = l ^ j;
            if (other > l && (t[l] > t[other]) == !(l & k)) {
                int swap = t[l];
                t[l] = t[other];
                t[other] = swap;
            }
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[l];
}

kernel void halo(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0), n = get_local_size(0);

    t[l + 1] = a[get_global_id(0)];
    if (!l)
        t[0] = t[n + 1] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[l] + t[l + 1] + t[l + 2];
}

kernel void transpose_tile(global const int *a, global int *o, local int *t)
{
    int x = get_local_id(0), y = get_local_id(1), n = get_local_size(0);
    int across = get_global_size(0);

    t[y * (n + 1) + x] = a[get_global_id(1) * across + get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[(get_group_id(0) * n + y) * across + get_group_id(1) * n + x] = t[x * (n + 1) + y];
}

kernel void copied_by_group(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0), n = get_local_size(0);
    event_t e = async_work_group_copy(t, a + get_group_id(0) * n, n, 0);

    wait_group_events(1, &e);
    o[get_global_id(0)] = t[n - 1 - l];
}

/* ---- global memory --------------------------------------------------------------------------- */

kernel void global_histogram(global const uint *a, global uint *h)
{
    atomic_inc(&h[a[get_global_id(0)] & 15]);
}

kernel void in_place(global int *a)
{
    a[get_global_id(0)] = a[get_global_id(0)] * 3 + 1;
}

kernel void stencil(global const int *a, global int *o)
{
    int i = get_global_id(0);

    o[i] = a[i] + a[i + 1] + a[i + 2];
}

kernel void swap_pairs(global int *a)
{
    int i = get_global_id(0) * 2, first = a[i];

    a[i] = a[i + 1];
    a[i + 1] = first;
}

kernel void group_exchange(global int *a, global int *o)
{
    int l = get_local_id(0), n = get_local_size(0), from = get_group_id(0) * n;

    a[from + l] += l;
    barrier(CLK_GLOBAL_MEM_FENCE);
    o[from + l] = a[from + n - 1 - l];
}

kernel void last_group_sums(global const int *a, global int *part, global uint *count, global int *o,
                            local int *last)
{
    int l = get_local_id(0), g = get_group_id(0), groups = get_num_groups(0);

    if (!l) {
        part[g] = a[g];
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        *last = atomic_inc(count) == groups - 1;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (*last && !l) {
        int sum = 0;

        for (int i = 0; i < groups; i++)
            sum += part[i];
        *o = sum;
    }
}

kernel void float_sum(global const float *a, global uint *sum)
{
    uint old = *sum, seen;

    for (;; old = seen) {
        seen = atomic_cmpxchg(sum, old, as_uint(as_float(old) + a[get_global_id(0)]));
        if (seen == old)
            break;
    }
}

kernel void found(global const int *a, global int *flag)
{
    if ((a[get_global_id(0)] & 7) == 3)
        *flag = 1;
}

kernel void largest(global const int *a, global int *most)
{
    atomic_max(most, a[get_global_id(0)]);
}

kernel void strided(global const int *a, global int *o, int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        o[i] = a[i] ^ i;
}

kernel void own_rows(global const int *a, global int *o)
{
    int row = get_global_id(0) * 8;

    o[row] = a[row];
    for (int i = 1; i < 8; i++)
        o[row + i] = o[row + i - 1] + a[row + i];
}

kernel void bytes_of_words(global const uchar *a, global uchar *o)
{
    int i = get_global_id(0);

    o[i] = a[i] + 1;
}

/* ---- private memory -------------------------------------------------------------------------- */

kernel void table_whole(global const uint *a, global uint *o)
{
    uint t[32];

    for (int i = 0; i < 32; i++)
        t[i] = a[i] + get_global_id(0);
    o[get_global_id(0)] = t[a[get_global_id(0)] & 31];
}

kernel void stack_within(global const uint *a, global uint *o)
{
    uint stack[17], top = 0;

    stack[0] = 1;
    for (uint i = 0; i < 16; i++)
        if (a[get_global_id(0) + i] & 1)
            stack[++top] = a[i];
        else if (top)
            top--;
    o[get_global_id(0)] = stack[top];
}

kernel void some_write_all(global const uint *a, global uint *o, local uint *t)
{
    int l = get_local_id(0);

    t[l] = 0;
    if (a[get_global_id(0)] & 1)
        t[l] = l;
    o[get_global_id(0)] = t[l];
}

/* ---- sizes, alignment ------------------------------------------------------------------------ */

kernel void guarded(global const int *a, global int *o, int n)
{
    int i = get_global_id(0);

    if (i < n)
        o[i] = a[i];
}

kernel void vectors(global const int *a, global int4 *o)
{
    int i = get_global_id(0);

    o[i] = vload4(i, a);
}

kernel void any_offset(global const uchar *a, global int *o)
{
    int i = get_global_id(0);
    uchar4 v = vload4(0, a + 4 * i + 1);

    o[i] = v.x | v.y << 8 | v.z << 16 | v.w << 24;
}

kernel void bytes_joined(global const uchar *a, global uchar *o, local uchar *t)
{
    int l = get_local_id(0);

    vstore4(vload4(l, a), 0, t + 4 * l + 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[4 * l + 3];
}

kernel void words_at_three(global const int *a, global int *o)
{
    int i = get_global_id(0);
    int3 v = vload3(i, a);

    o[i] = v.x + v.y + v.z;
}

/* ---- barriers -------------------------------------------------------------------------------- */

kernel void barrier_of_group(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0), n = get_local_size(0);

    t[l] = a[get_global_id(0)];
    if (get_group_id(0) & 1)
        barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = get_group_id(0) & 1 ? t[n - 1 - l] : t[l];
}

kernel void group_returns(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0), n = get_local_size(0);

    if (get_group_id(0) == 1)
        return;
    t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[n - 1 - l];
}

kernel void loop_of_group(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0), n = get_local_size(0);

    t[l] = a[get_global_id(0)];
    for (int i = 0; i < (int)get_group_id(0) + 2; i++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int next = t[(l + 1) % n];
        barrier(CLK_LOCAL_MEM_FENCE);
        t[l] = next + i;
    }
    o[get_global_id(0)] = t[l];
}

kernel void branch_then_barrier(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0), n = get_local_size(0);

    if (a[get_global_id(0)] & 1)
        t[l] = a[get_global_id(0)] * 3;
    else
        t[l] = -1;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[n - 1 - l];
}

kernel void guarded_with_barrier(global const int *a, global int *o, local int *t, int n)
{
    int l = get_local_id(0), i = get_global_id(0);

    t[l] = i < n ? a[i] : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (i < n)
        o[i] = t[l ^ 1];
}
