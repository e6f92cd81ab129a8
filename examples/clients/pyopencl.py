"""python3-pyopencl: arrays, a reduction, a scan, an image read through a sampler, RadixSort; against numpy."""
import sys

import numpy as np
import pyopencl as cl
import pyopencl.array
from pyopencl.algorithm import RadixSort
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import InclusiveScanKernel

ctx = cl.create_some_context(interactive=False)
queue = cl.CommandQueue(ctx)
random = np.random.default_rng(1)


def arrays():
    a, b = (random.random(5000, dtype=np.float32) for _ in range(2))
    got = (cl.array.to_device(queue, a) * 2 + cl.array.to_device(queue, b)).get()
    return np.allclose(got, a * 2 + b, atol=1e-6)


def reduction():
    a = random.integers(0, 1000, 5000).astype(np.int32)
    kernel = ReductionKernel(ctx, np.int32, neutral="0", reduce_expr="a+b", map_expr="x[i]",
                             arguments="__global int *x")
    return kernel(cl.array.to_device(queue, a)).get() == a.sum()


def scan(count):
    a = random.integers(0, 100, count).astype(np.int32)
    device = cl.array.to_device(queue, a)
    InclusiveScanKernel(ctx, np.int32, "a+b", neutral="0")(device)
    return (device.get() == np.cumsum(a)).all()


def image():
    """Reads every texel of an image of four floats, by integer coordinates."""
    source = """
    __constant sampler_t s = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP | CLK_FILTER_NEAREST;
    __kernel void read(read_only image2d_t im, __global float4 *out)
    {
        int2 at = (int2)(get_global_id(0), get_global_id(1));
        out[at.y * get_global_size(0) + at.x] = read_imagef(im, s, at);
    }"""
    a = random.random((24, 40, 4), dtype=np.float32)
    im = cl.image_from_array(ctx, a, 4)
    out = cl.Buffer(ctx, cl.mem_flags.WRITE_ONLY, a.nbytes)
    cl.Program(ctx, source).build().read(queue, (40, 24), None, im, out)
    got = np.empty_like(a)
    cl.enqueue_copy(queue, got, out)
    return (got == a).all()


def radix_sort(count):
    a = random.integers(0, 16, count).astype(np.uint32)
    sort = RadixSort(ctx, "uint *a", key_expr="a[i]", sort_arg_names=["a"], key_dtype=np.uint32)
    (got,), _ = sort(cl.array.to_device(queue, a), queue=queue, key_bits=4)
    return (got.get() == np.sort(a)).all()


TESTS = {
    "arrays": arrays,
    "reduction": reduction,
    "scan of 1000": lambda: scan(1000),
    "scan of 5000": lambda: scan(5000),
    "image": image,
    "RadixSort of 1000": lambda: radix_sort(1000),
    "RadixSort of 1025": lambda: radix_sort(1025),
}
wrong = 0
for name, test in TESTS.items():
    good = bool(test())
    wrong += not good
    print(f"pyopencl: {name}: {'right' if good else 'WRONG'}", flush=True)
sys.exit(wrong != 0)
