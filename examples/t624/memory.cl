// 000 ch. 12: stores, loads, and increments that race (coh_check1, across cores coh_check4), share lines (coh_check5) or
// do neither (coh_check2).
kernel void simple_write(global int *A, int n)
{
    int x = 38, id = get_global_id(0);

    for (int i = 0; i < n; i++)
        A[id] = x;
}

kernel void coh_check1(global int *A, int n)
{
    for (int i = 0; i < n; i++)
        A[0]++;
}

kernel void coh_check2(global int *A, int n)
{
    uint id = get_global_id(0);

    for (int i = 0; i < n; i++)
        A[id]++;
}

kernel void coh_check4(global int *A, int n)
{
    int id = get_global_id(0);
    int x = id % 64;

    for (int i = 0; i < n; i++)
        A[x]++;
}

kernel void coh_check5(global int *A, int n)
{
    int id = get_global_id(0);
    int x = id % 64 * 64 + (int)(id / 64);

    for (int i = 0; i < n; i++)
        A[x]++;
}

// 000 12.2: the figure with the source is lost; this is ours.
kernel void load(global uint *A, uint n)
{
    uint x = 1;

    A[1] = 7;
    for (uint i = 0; i < n && x != 0; i++)
        x = (x + A[x & 3]) * 5 ^ n;
    A[0] = x;
}
