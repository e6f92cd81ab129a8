// What samplers make of an image: linear up to the edge, nearest with a border.
kernel void img(global float4 *to, read_only image2d_t im, sampler_t linear, sampler_t nearest)
{
    int i = get_global_id(0);
    float2 p = (float2)((i % 8) * 0.25f - 0.625f, (i / 8) * 0.25f - 0.1875f);
    to[2 * i] = read_imagef(im, linear, p);
    to[2 * i + 1] = read_imagef(im, nearest, (float2)(i % 8 - 0.5f, i / 8 + 0.75f));
}
