// Elements of 8 bits. bytes_meant.T860 is bytes.T860 with seven operands as Mesa meant them (../wrong.txt).
__kernel void bytes(__global const uchar *a, __global const uchar *b, __global uchar *u,
                    __global char *s, __global int *w, __global float *f)
{
  int i = get_global_id(0), n = get_global_size(0);
  uchar x = a[i], y = b[i];
  char p = as_char(x), q = as_char(y);
  u[i] = x + y;
  u[n + i] = x - y;
  u[2 * n + i] = x * y;
  u[3 * n + i] = x << (y & 7);
  u[4 * n + i] = x >> (y & 7);
  u[5 * n + i] = x ^ ~y;
  u[6 * n + i] = min(x, y);
  u[7 * n + i] = x > y ? x - y : y;
  s[i] = p >> (y & 7);
  s[n + i] = max(p, q);
  s[2 * n + i] = hadd(p, q);
  s[3 * n + i] = -p;
  w[i] = x;
  w[n + i] = p * q;
  f[i] = x;
  f[n + i] = q;
}
