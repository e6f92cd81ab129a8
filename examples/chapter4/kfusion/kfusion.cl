// KinectFusion (Newcombe et al., 2011) as SLAMBench divides it into kernels; written from the published definitions. Images are by rows,
// a thread a pixel. The volume has a word a voxel: the signed distance as 16 bits below, its weight above.
struct tracked {
    int result;
    float error, gradient[6];
};

static float3 rotate(float16 m, float3 v)
{
    return (float3)(dot(m.s012, v), dot(m.s456, v), dot(m.s89a, v));
}

static float3 transform(float16 m, float3 v)
{
    return rotate(m, v) + (float3)(m.s3, m.s7, m.sb);
}

// Millimetres to metres, and to a smaller image. `camera`: focal lengths and the centre.
__kernel void to_metres(__global const uint *millimetres, __global float *depth, int ratio, int input_width)
{
    int x = get_global_id(0), y = get_global_id(1);

    depth[y * get_global_size(0) + x] = millimetres[ratio * (y * input_width + x)] / 1000.0f;
}

__kernel void bilateral_filter(__global const float *from, __global float *to, float space, float range)
{
    int width = get_global_size(0), height = get_global_size(1), x = get_global_id(0), y = get_global_id(1);
    float middle = from[y * width + x], sum = 0, weights = 0;

    if (middle == 0) {
        to[y * width + x] = 0;
        return;
    }
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++) {
            float other = from[clamp(y + dy, 0, height - 1) * width + clamp(x + dx, 0, width - 1)], away = other - middle;

            if (other > 0) {
                float weight = exp(-(dx * dx + dy * dy) / (2 * space * space)) * exp(-away * away / (2 * range * range));

                sum += weight * other;
                weights += weight;
            }
        }
    to[y * width + x] = sum / weights;
}

// The next level of the pyramid: means of those of four pixels that are near the first.
__kernel void half_sample(__global const float *from, __global float *to, float near)
{
    int width = get_global_size(0), x = get_global_id(0), y = get_global_id(1);
    float middle = from[2 * y * 2 * width + 2 * x], sum = 0, count = 0;

    for (int k = 0; k < 4; k++) {
        float other = from[(2 * y + k / 2) * 2 * width + 2 * x + k % 2];

        if (fabs(other - middle) < near) {
            sum += other;
            count += 1;
        }
    }
    to[y * width + x] = sum / count;
}

__kernel void depth_to_vertex(__global const float *depth, __global float *vertices, float4 camera)
{
    int x = get_global_id(0), y = get_global_id(1), at = y * get_global_size(0) + x;
    float d = depth[at];

    vstore3((float3)(d * (x - camera.z) / camera.x, d * (y - camera.w) / camera.y, d), at, vertices);
}

__kernel void vertex_to_normal(__global const float *vertices, __global float *normals)
{
    int width = get_global_size(0), height = get_global_size(1), x = get_global_id(0), y = get_global_id(1);
    float3 left = vload3(y * width + max(x - 1, 0), vertices), right = vload3(y * width + min(x + 1, width - 1), vertices);
    float3 up = vload3(max(y - 1, 0) * width + x, vertices), down = vload3(min(y + 1, height - 1) * width + x, vertices);
    float3 normal = (float3)(2, 0, 0);

    if (left.z > 0 && right.z > 0 && up.z > 0 && down.z > 0)
        normal = normalize(cross(down - up, right - left));
    vstore3(normal, y * width + x, normals);
}

// Each point against what the volume is seen to be from the last place: distance along the normal, and its gradient by the pose.
__kernel void track(__global struct tracked *out, __global const float *vertices, __global const float *normals,
                    __global const float *reference, __global const float *reference_normals, float16 pose, float16 view, int2 size)
{
    int at = get_global_id(1) * get_global_size(0) + get_global_id(0), there;
    float3 normal = vload3(at, normals), point = transform(pose, vload3(at, vertices)), pixel = transform(view, point), away, other, turn;
    float px = pixel.x / pixel.z + 0.5f, py = pixel.y / pixel.z + 0.5f;

    out[at].error = 0;
    if (normal.x == 2) {
        out[at].result = -1;
        return;
    }
    if (px < 0 || px > size.x - 1 || py < 0 || py > size.y - 1) {
        out[at].result = -2;
        return;
    }
    there = (int)py * size.x + (int)px;
    other = vload3(there, reference_normals);
    if (other.x == 2) {
        out[at].result = -3;
        return;
    }
    away = vload3(there, reference) - point;
    if (length(away) > 0.1f || dot(rotate(pose, normal), other) < 0.8f) {
        out[at].result = -4;
        return;
    }
    turn = cross(point, other);
    out[at].result = 1;
    out[at].error = dot(other, away);
    out[at].gradient[0] = other.x;
    out[at].gradient[1] = other.y;
    out[at].gradient[2] = other.z;
    out[at].gradient[3] = turn.x;
    out[at].gradient[4] = turn.y;
    out[at].gradient[5] = turn.z;
}

// Sums for the normal equations: of each group one row of 32: the square of errors, errors by gradients (6), products of gradients
// (21), how many.
__kernel void reduce(__global float *out, __global const struct tracked *in, int count, __local float *shared)
{
    int id = get_local_id(0), threads = get_local_size(0);
    float sums[32];

    for (int k = 0; k < 32; k++)
        sums[k] = 0;
    for (int at = get_global_id(0); at < count; at += get_global_size(0)) {
        float error = in[at].error;

        if (in[at].result < 1)
            continue;
        sums[0] += error * error;
        sums[28] += 1;
        for (int i = 0, k = 7; i < 6; i++) {
            sums[1 + i] += error * in[at].gradient[i];
            for (int j = i; j < 6; j++)
                sums[k++] += in[at].gradient[i] * in[at].gradient[j];
        }
    }
    for (int k = 0; k < 32; k++)
        shared[id * 32 + k] = sums[k];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < 32) {
        float sum = 0;

        for (int k = 0; k < threads; k++)
            sum += shared[k * 32 + id];
        out[get_group_id(0) * 32 + id] = sum;
    }
}

// A thread a column of voxels. `track` takes points of the volume to the camera.
__kernel void integrate(__global uint *volume, int size, float voxel, __global const float *depth, int2 image, float16 track,
                        float4 camera, float mu)
{
    int x = get_global_id(0), y = get_global_id(1);
    float3 at = transform(track, (float3)((x + 0.5f) * voxel, (y + 0.5f) * voxel, 0.5f * voxel)), step = rotate(track, (float3)(0, 0, voxel));

    for (int z = 0; z < size; z++, at += step) {
        float px = camera.x * at.x / at.z + camera.z + 0.5f, py = camera.y * at.y / at.z + camera.w + 0.5f, d, away;

        if (at.z < 0.0001f || px < 0 || px > image.x - 1 || py < 0 || py > image.y - 1)
            continue;
        d = depth[(int)py * image.x + (int)px];
        if (d == 0)
            continue;
        away = (d - at.z) * sqrt(1 + (at.x / at.z) * (at.x / at.z) + (at.y / at.z) * (at.y / at.z));
        if (away > -mu) {
            int place = (z * size + y) * size + x;
            uint old = volume[place], weight = old >> 16;
            float known = (int)(old << 16) / 2147418112.0f, value = (weight * known + fmin(1.0f, away / mu)) / (weight + 1);

            volume[place] = ((uint)(int)(clamp(value, -1.0f, 1.0f) * 32766) & 0xffff) | min(weight + 1, 100u) << 16;
        }
    }
}

static float voxel_at(__global const uint *volume, int size, int3 at)
{
    at = clamp(at, 0, size - 1);
    return (int)(volume[(at.z * size + at.y) * size + at.x] << 16) / 2147418112.0f;
}

static float distance_at(__global const uint *volume, int size, float voxel, float3 point)
{
    float3 scaled = point / voxel - 0.5f, low = floor(scaled), part = scaled - low;
    int3 at = convert_int3(low);
    float sums[4];

    for (int k = 0; k < 4; k++) {
        int3 corner = at + (int3)(0, k & 1, k >> 1);

        sums[k] = mix(voxel_at(volume, size, corner), voxel_at(volume, size, corner + (int3)(1, 0, 0)), part.x);
    }
    return mix(mix(sums[0], sums[1], part.y), mix(sums[2], sums[3], part.y), part.z);
}

// Where a ray first meets the surface; w is 0 if it does not.
static float4 cast_ray(__global const uint *volume, int size, float voxel, float3 from, float3 along, float mu)
{
    float3 far_sides = (size * voxel - from) / along, near_sides = -from / along;
    float3 ends = fmax(far_sides, near_sides), begins = fmin(far_sides, near_sides);
    float first = fmax(fmax(fmax(begins.x, begins.y), begins.z), 0.4f), last = fmin(fmin(fmin(ends.x, ends.y), ends.z), 4.0f);
    float step = 0.75f * mu, t = first, before, now = 0;

    if (first >= last)
        return 0;
    before = distance_at(volume, size, voxel, from + along * t);
    if (before <= 0)
        return 0;
    for (; t < last; t += step) {
        now = distance_at(volume, size, voxel, from + along * t);
        if (now < 0)
            break;
        if (now < 0.8f)
            step = voxel;
        before = now;
    }
    if (now >= 0)
        return 0;
    t += step * now / (before - now);
    return (float4)(from + along * t, 1);
}

static float3 surface_normal(__global const uint *volume, int size, float voxel, float3 at)
{
    float3 x = (float3)(voxel, 0, 0), y = (float3)(0, voxel, 0), z = (float3)(0, 0, voxel);

    return (float3)(distance_at(volume, size, voxel, at + x) - distance_at(volume, size, voxel, at - x),
                    distance_at(volume, size, voxel, at + y) - distance_at(volume, size, voxel, at - y),
                    distance_at(volume, size, voxel, at + z) - distance_at(volume, size, voxel, at - z));
}

// `view`: pixels to directions in the volume, and the place of the camera.
__kernel void raycast(__global float *vertices, __global float *normals, __global const uint *volume, int size, float voxel, float16 view,
                      float mu)
{
    int x = get_global_id(0), y = get_global_id(1), at = y * get_global_size(0) + x;
    float3 along = rotate(view, (float3)(x, y, 1)), normal = (float3)(2, 0, 0), hit_at = 0;
    float4 hit = cast_ray(volume, size, voxel, (float3)(view.s3, view.s7, view.sb), normalize(along), mu);

    if (hit.w > 0) {
        hit_at = hit.xyz;
        normal = surface_normal(volume, size, voxel, hit_at);
        normal = length(normal) == 0 ? (float3)(2, 0, 0) : normalize(normal);
    }
    vstore3(hit_at, at, vertices);
    vstore3(normal, at, normals);
}

__kernel void render_volume(__global uint *picture, __global const uint *volume, int size, float voxel, float16 view, float mu)
{
    int x = get_global_id(0), y = get_global_id(1);
    float3 along = rotate(view, (float3)(x, y, 1)), from = (float3)(view.s3, view.s7, view.sb);
    float4 hit = cast_ray(volume, size, voxel, from, normalize(along), mu);
    uint grey = 0;

    if (hit.w > 0)
        grey = 255 * clamp(dot(normalize(surface_normal(volume, size, voxel, hit.xyz)), normalize(from - hit.xyz)) * 0.8f + 0.1f, 0.0f, 1.0f);
    picture[y * get_global_size(0) + x] = grey * 0x010101;
}
