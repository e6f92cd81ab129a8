// 000 figs 10.2, 10.5 and 10.7: pairs that do not need each other.
kernel void func2(global uint *list, int n)
{
    uint x = 38, y = 28, z = 58, k = 48;

    for (int i = 0; i < n && y != 0 && k != 0; i++) {
        x = y * x;
        y = y + x;
        z = k * z;
        k = k + z;

        x = y * x;
        y = y + x;
        z = k * z;
        k = k + z;
    }
    list[0] = y;
    list[1] = k;
}

kernel void func4(global uint *list, int n)
{
    uint x = 38, y = 28, z = 58, k = 48, f = 78, g = 68, h = 98, j = 88;

    for (int i = 0; i < n && y != 0 && k != 0 && g != 0 && j != 0; i++) {
        x = y * x;
        y = y + x;
        z = k * z;
        k = k + z;
        f = g * f;
        g = g + f;
        h = j * h;
        j = j + h;

        x = y * x;
        y = y + x;
        z = k * z;
        k = k + z;
        f = g * f;
        g = g + f;
        h = j * h;
        j = j + h;
    }
    list[0] = y;
    list[1] = k;
    list[2] = g;
    list[3] = j;
}

kernel void vec_func3(global int4 *list, int n)
{
    int4 x = 38, y = 28, z = 58, k = 48, f = 78, g = 68;

    for (int i = 0; i < n && all(y != 0) && all(k != 0) && all(g != 0); i++) {
        x = y * x;
        y = y + x;
        z = k * z;
        k = k + z;
        f = g * f;
        g = g + f;
    }
    list[0] = y;
    list[1] = k;
    list[2] = g;
}
