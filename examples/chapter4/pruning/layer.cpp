/*
 * A convolution of Arm Compute Library on the GPU, as layer 16 of ResNet-50 has it, with so many output channels:
 * layer gemm|direct CHANNELS...
 *
 * 28 x 28 points of 128 channels, filters of 3 x 3. Prints a line when each layer begins and ends, and compares every 97th value with the
 * CPU's. Compiled on the host, with the library of the guest's image (cross.py).
 */
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "arm_compute/core/Types.h"
#include "arm_compute/runtime/CL/CLScheduler.h"
#include "arm_compute/runtime/CL/CLTensor.h"
#include "arm_compute/runtime/CL/functions/CLDirectConvolutionLayer.h"
#include "arm_compute/runtime/CL/functions/CLGEMMConvolutionLayer.h"

using namespace arm_compute;

enum { SIDE = 28, INPUTS = 128, FILTER = 3 };

static float number(uint32_t i)
{
    uint32_t x = i * 2654435761u + 1;

    x = (x ^ x >> 15) * 2246822519u;
    return static_cast<float>(x >> 8) * 0x1p-24f - 0.5f;
}

/* Where a value lies: ACL's dimensions are those of the layout, the fastest first. */
static float *place(CLTensor &t, DataLayout layout, int x, int y, int channel, int batch)
{
    Coordinates at = layout == DataLayout::NHWC ? Coordinates(channel, x, y, batch) : Coordinates(x, y, channel, batch);

    return reinterpret_cast<float *>(t.buffer() + t.info()->offset_element_in_bytes(at));
}

static float input(int x, int y, int c)
{
    return x < 0 || y < 0 || x >= SIDE || y >= SIDE ? 0 : number(static_cast<uint32_t>((y * SIDE + x) * INPUTS + c));
}

static float weight(int x, int y, int c, int out)
{
    return number(static_cast<uint32_t>(1000000 + ((out * FILTER + y) * FILTER + x) * INPUTS + c));
}

static unsigned wrong_values(CLTensor &to, DataLayout layout, int channels)
{
    unsigned wrong = 0;

    for (int i = 0; i < SIDE * SIDE * channels; i += 97) {
        int out = i % channels, x = i / channels % SIDE, y = i / channels / SIDE;
        double sum = 0;

        for (int k = 0; k < FILTER * FILTER * INPUTS; k++) {
            int c = k % INPUTS, dx = k / INPUTS % FILTER, dy = k / INPUTS / FILTER;

            sum += static_cast<double>(input(x + dx - 1, y + dy - 1, c)) * weight(dx, dy, c, out);
        }
        wrong += !(std::fabs(*place(to, layout, x, y, out, 0) - sum) <= 1e-3);
    }
    return wrong;
}

template <typename Layer> static unsigned run(DataLayout layout, const char *name, int channels)
{
    bool last = layout == DataLayout::NHWC;
    TensorShape image = last ? TensorShape(INPUTS, SIDE, SIDE) : TensorShape(SIDE, SIDE, INPUTS);
    TensorShape filters = last ? TensorShape(INPUTS, FILTER, FILTER, channels) : TensorShape(FILTER, FILTER, INPUTS, channels);
    TensorShape result = last ? TensorShape(channels, SIDE, SIDE) : TensorShape(SIDE, SIDE, channels);
    CLTensor from, weights, to;
    Layer layer;
    unsigned wrong;

    from.allocator()->init(TensorInfo(image, 1, DataType::F32, layout));
    weights.allocator()->init(TensorInfo(filters, 1, DataType::F32, layout));
    to.allocator()->init(TensorInfo(result, 1, DataType::F32, layout));
    layer.configure(&from, &weights, nullptr, &to, PadStrideInfo(1, 1, 1, 1));
    from.allocator()->allocate();
    weights.allocator()->allocate();
    to.allocator()->allocate();
    from.map();
    for (int i = 0; i < SIDE * SIDE * INPUTS; i++)
        *place(from, layout, i / INPUTS % SIDE, i / INPUTS / SIDE, i % INPUTS, 0) = input(i / INPUTS % SIDE, i / INPUTS / SIDE, i % INPUTS);
    from.unmap();
    weights.map();
    for (int i = 0; i < FILTER * FILTER * INPUTS * channels; i++) {
        int c = i % INPUTS, x = i / INPUTS % FILTER, y = i / INPUTS / FILTER % FILTER, out = i / INPUTS / FILTER / FILTER;

        *place(weights, layout, x, y, c, out) = weight(x, y, c, out);
    }
    weights.unmap();
    std::printf("begin %s %d\n", name, channels);
    layer.run();
    CLScheduler::get().sync();
    to.map();
    wrong = wrong_values(to, layout, channels);
    to.unmap();
    std::printf("end %s %d: %u wrong: %s\n", name, channels, wrong, wrong ? "FAILED" : "ok");
    std::fflush(stdout);
    return wrong;
}

int main(int argc, char **argv)
{
    unsigned wrong = 0;

    std::setvbuf(stdout, nullptr, _IOLBF, 0); /* in order with what claims.c prints */
    CLScheduler::get().default_init();
    for (int i = 2; i < argc; i++)
        wrong += !std::strcmp(argv[1], "gemm") ? run<CLGEMMConvolutionLayer>(DataLayout::NHWC, argv[1], std::atoi(argv[i]))
                                               : run<CLDirectConvolutionLayer>(DataLayout::NCHW, argv[1], std::atoi(argv[i]));
    return wrong != 0;
}
