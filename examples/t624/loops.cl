// 000 ch. 7 and fig. 9.1: loops of nothing else. What the source leaves unused, `list` keeps here.
kernel void simple_loop(global int *list, int n)
{
    int i;

    for (i = 0; i < n; i++) {
    }
    list[0] = i;
}

kernel void func1(global int *list, int n)
{
    int x = 38;

    for (int i = 0; i < n && x != 0; i++)
        x++;
    list[0] = x;
}
