/* Kernels that are wrong on purpose. The list beside this file says what -check must find. */

/* ---- races in local memory ------------------------------------------------------------------- */

kernel void reverse_no_barrier(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0), n = get_local_size(0);

    t[l] = a[get_global_id(0)];
    o[get_global_id(0)] = t[n - 1 - l];
}

kernel void scan_in_place(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0), n = get_local_size(0);

    t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 1; d < n; d *= 2) {
        if (l >= d)
            t[l] += t[l - d];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    o[get_global_id(0)] = t[l];
}

kernel void reduce_one_barrier(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0);

    t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int s = get_local_size(0) / 2; s > 0; s /= 2)
        if (l < s)
            t[l] += t[l + s];
    if (!l)
        o[get_group_id(0)] = t[0];
}

kernel void reduce_last_barrier(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0), n = get_local_size(0);

    t[l] = a[get_global_id(0)];
    for (int s = n / 2; s > 0; s /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < s)
            t[l] += t[l + s];
    }
    o[get_global_id(0)] = t[0];
}

kernel void local_histogram(global const uint *a, global uint *o, local uint *h)
{
    int l = get_local_id(0);

    h[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    h[a[get_global_id(0)] & 15]++;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = h[l];
}

kernel void tile_reused(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0), n = get_local_size(0), sum = 0;

    for (int k = 0; k < 4; k++) {
        t[l] = a[k * n + l];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = 0; i < n; i++)
            sum += t[i] * (i + k);
    }
    o[get_global_id(0)] = sum;
}

kernel void tile_unready(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0), n = get_local_size(0), sum = 0;

    for (int k = 0; k < 4; k++) {
        t[l] = a[k * n + l];
        for (int i = 0; i < n; i++)
            sum += t[i] * (i + k);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    o[get_global_id(0)] = sum;
}

kernel void one_buffer_for_two(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0), n = get_local_size(0);

    t[l] = a[get_global_id(0)];
    for (int k = 0; k < 3; k++) {
        barrier(CLK_LOCAL_MEM_FENCE);
        int next = t[(l + 1) % n];
        t[l] = next + 1;
    }
    o[get_global_id(0)] = t[l];
}

kernel void local_flag(global const int *a, global int *o, local int *flag)
{
    if (!get_local_id(0))
        *flag = a[get_group_id(0)];
    o[get_global_id(0)] = *flag;
}

kernel void atomics_then_read(global const uint *a, global uint *o, local uint *h)
{
    int l = get_local_id(0);

    h[l] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_inc(&h[a[get_global_id(0)] & 15]);
    o[get_global_id(0)] = h[l];
}

kernel void counter_unready(global const uint *a, global uint *o, local uint *count)
{
    int n = get_local_size(0);

    if (!get_local_id(0))
        count[n] = 0;
    if (a[get_global_id(0)] & 1)
        atomic_inc(&count[n]);
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = count[n];
}

kernel void pairs_overlap(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0);

    t[l] = a[get_global_id(0)];
    t[l + 1] = 7;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[l];
}

kernel void bytes_overlap(global const uchar *a, global uchar *o, local uchar *t)
{
    int l = get_local_id(0);

    t[l] = a[get_global_id(0)];
    t[l + 1] = a[get_global_id(0)] ^ 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[l];
}

kernel void other_half(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0), n = get_local_size(0);

    if (l < n / 2)
        t[l] = a[get_global_id(0)];
    else
        t[l] = t[l - n / 2] + 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[l];
}

/* ---- races in global memory ------------------------------------------------------------------ */

kernel void global_histogram(global const uint *a, global uint *h)
{
    h[a[get_global_id(0)] & 15]++;
}

kernel void write_neighbour(global int *a)
{
    int i = get_global_id(0);

    a[i + 1] = a[i] + 1;
}

kernel void stencil_in_place(global int *a)
{
    int i = get_global_id(0) + 1;

    a[i] = a[i - 1] + a[i + 1];
}

kernel void transpose_in_place(global int *a)
{
    int x = get_global_id(0), y = get_global_id(1), n = get_global_size(0);

    a[y * n + x] = a[x * n + y];
}

kernel void shared_counter(global const int *a, global int *count)
{
    if (a[get_global_id(0)] & 1)
        *count += 1;
}

kernel void last_index(global const int *a, global int *last)
{
    if (a[get_global_id(0)] & 1)
        *last = get_global_id(0);
}

kernel void groups_write_one(global const int *a, global int *o)
{
    if (!get_local_id(0))
        o[0] = a[get_group_id(0)];
}

kernel void groups_read_others(global const int *a, global int *part, global int *o)
{
    int l = get_local_id(0), g = get_group_id(0);

    if (!l)
        part[g] = a[g];
    barrier(CLK_GLOBAL_MEM_FENCE);
    o[get_global_id(0)] = part[l % get_num_groups(0)];
}

kernel void counter_reset(global const uint *a, global uint *count)
{
    if (!get_local_id(0))
        *count = 0;
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (a[get_global_id(0)] & 1)
        atomic_inc(count);
}

kernel void halo_written_twice(global const int *a, global int *o)
{
    int l = get_local_id(0), n = get_local_size(0) - 1, i = get_group_id(0) * n + l;

    o[i] = a[i] + l;
}

/* ---- reads of what nobody wrote -------------------------------------------------------------- */

kernel void local_unwritten(global int *o, local int *t)
{
    o[get_global_id(0)] = t[get_local_id(0)];
}

kernel void half_written(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0), n = get_local_size(0);

    if (l < n / 2)
        t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[n - 1 - l];
}

kernel void halo_unwritten(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0);

    t[l + 1] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[l] + t[l + 1] + t[l + 2];
}

kernel void table_part(global const uint *a, global uint *o)
{
    uint t[32];

    for (uint i = 0; i < (a[0] & 15); i++)
        t[i] = a[i];
    o[get_global_id(0)] = t[a[get_global_id(0)] & 31];
}

kernel void stack_below(global const uint *a, global uint *o)
{
    uint stack[16], top = 8;

    for (uint i = 0; i < 8; i++)
        if (a[get_global_id(0) + i] & 1)
            stack[top++ & 15] = a[i];
        else
            top--;
    o[get_global_id(0)] = stack[top & 15];
}

kernel void some_write(global const uint *a, global uint *o, local uint *t)
{
    int l = get_local_id(0);

    if (a[get_global_id(0)] & 1)
        t[l] = l;
    o[get_global_id(0)] = t[l];
}

/* ---- accesses beside buffers ----------------------------------------------------------------- */

kernel void read_behind(global const int *a, global int *o)
{
    int i = get_global_id(0);

    o[i] = a[i] + a[i + 1];
}

kernel void write_behind(global const int *a, global int *o)
{
    int i = get_global_id(0);

    o[i + 3] = a[i];
}

kernel void guard_too_far(global const int *a, global int *o, int n)
{
    int i = get_global_id(0);

    if (i <= n)
        o[i] = a[i];
}

kernel void wrong_pitch(global const int *a, global int *o)
{
    int x = get_global_id(0), y = get_global_id(1);

    o[y * (get_global_size(0) + 2) + x] = a[y * get_global_size(0) + x];
}

kernel void vector_behind(global const int *a, global int4 *o)
{
    int i = get_global_id(0);

    o[i] = vload4(0, a + i);
}

kernel void loop_too_long(global const int *a, global int *o, int n)
{
    int sum = 0;

    for (int i = 0; i <= n; i++)
        sum += a[i];
    o[get_global_id(0)] = sum;
}

/* ---- misaligned accesses --------------------------------------------------------------------- */

kernel void odd_int(global const uchar *a, global int *o)
{
    int i = get_global_id(0);

    o[i] = *(global const int *)(a + 4 * i + 1);
}

kernel void odd_short(global const uchar *a, global ushort *o)
{
    int i = get_global_id(0);

    o[i] = *(global const ushort *)(a + 2 * i + 1);
}

kernel void odd_local(global const uchar *a, global int *o, local uchar *t)
{
    int l = get_local_id(0), n = get_local_size(0);

    for (int i = l; i < 4 * n + 2; i += n)
        t[i] = a[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = *(local int *)(t + 4 * l + 2);
}

/* ---- barriers that not all reach ------------------------------------------------------------- */

kernel void barrier_of_some(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0);

    t[l] = a[get_global_id(0)];
    if (l < 16)
        barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[l];
}

kernel void barrier_of_odd(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0);

    t[l] = a[get_global_id(0)];
    if (a[get_global_id(0)] & 1)
        barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[l];
}

kernel void early_return(global const int *a, global int *o, local int *t, int n)
{
    int l = get_local_id(0);

    if (get_global_id(0) >= n)
        return;
    t[l] = a[get_global_id(0)];
    barrier(CLK_LOCAL_MEM_FENCE);
    o[get_global_id(0)] = t[l];
}

kernel void loop_of_own_length(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0);

    t[l] = a[get_global_id(0)];
    for (int i = 0; i < (l >> 3) + 1; i++) {
        t[l] += i;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    o[get_global_id(0)] = t[l];
}

kernel void barriers_of_two_ways(global const int *a, global int *o, local int *t)
{
    int l = get_local_id(0), n = get_local_size(0);

    t[l] = a[get_global_id(0)];
    if (l < 32) {
        barrier(CLK_LOCAL_MEM_FENCE);
        o[get_global_id(0)] = t[l];
    } else {
        t[l] *= 3;
        barrier(CLK_LOCAL_MEM_FENCE);
        o[get_global_id(0)] = t[l] - 1;
    }
}
