"""python3-pyarmnn with libarmnn-gpuacc-backend33: layers on GpuAcc (Arm Compute Library's OpenCL),
against numpy.

The library opens libOpenCL.so and uses work-groups that do not divide the global size, so it gets
the libOpenCL.so in CLAIMS. LAYERS="tanh pooling" selects layers by name."""
import os
import sys

if os.environ.get("LD_LIBRARY_PATH") != os.environ["CLAIMS"]:
    os.environ["LD_LIBRARY_PATH"] = os.environ["CLAIMS"]
    os.execvp(sys.executable, [sys.executable, "-P", "-W", "ignore", *sys.argv])

import numpy as np
import pyarmnn as ann
from pyarmnn._generated import pyarmnn as generated  # not exported by the package itself

runtime = ann.IRuntime(ann.CreationOptions())
random = np.random.default_rng(1)


def tensor_info(shape, constant=False):
    return ann.TensorInfo(ann.TensorShape(shape), ann.DataType_Float32, 0.0, 0, constant)


def connect(layer, target, slot, shape, constant):
    layer.GetOutputSlot(0).Connect(target.GetInputSlot(slot))
    layer.GetOutputSlot(0).SetTensorInfo(tensor_info(shape, constant))


def run(layer_of, inputs, constants, out_shape):
    """Runs a network of one layer on the GPU; its further inputs are constants."""
    network = ann.INetwork()
    layer = layer_of(network)
    for slot, data in enumerate(inputs):
        connect(network.AddInputLayer(slot), layer, slot, data.shape, True)
    for slot, data in enumerate(constants, len(inputs)):
        constant = network.AddConstantLayer(ann.ConstTensor(tensor_info(data.shape, True), data))
        connect(constant, layer, slot, data.shape, True)
    connect(layer, network.AddOutputLayer(0), 0, out_shape, False)
    optimised, _ = ann.Optimize(network, [ann.BackendId("GpuAcc")], runtime.GetDeviceSpec(),
                                ann.OptimizerOptions())
    number, _ = runtime.LoadNetwork(optimised)
    given = ann.make_input_tensors([(slot, runtime.GetInputTensorInfo(number, slot)) for slot in range(len(inputs))],
                                   inputs)
    outputs = ann.make_output_tensors([(0, runtime.GetOutputTensorInfo(number, 0))])
    runtime.EnqueueWorkload(number, given, outputs)
    return ann.workload_tensors_to_ndarray(outputs)[0].reshape(out_shape)


def uniform(*shape):
    return random.uniform(-2, 2, shape).astype(np.float32)


def activation(function):
    def layer(network):
        descriptor = ann.ActivationDescriptor()
        descriptor.m_Function = function
        descriptor.m_A = descriptor.m_B = 1.0
        return network.AddActivationLayer(descriptor, "activation")
    return layer


def softmax(network):
    descriptor = ann.SoftmaxDescriptor()
    descriptor.m_Beta = 1.0
    return network.AddSoftmaxLayer(descriptor, "softmax")


def convolution(network):
    descriptor = ann.Convolution2dDescriptor()
    descriptor.m_StrideX = descriptor.m_StrideY = 1
    descriptor.m_BiasEnabled = True
    descriptor.m_DataLayout = ann.DataLayout_NHWC
    return network.AddConvolution2dLayer(descriptor, "convolution")


def fully_connected(network):
    descriptor = ann.FullyConnectedDescriptor()
    descriptor.m_BiasEnabled = True
    descriptor.m_TransposeWeightMatrix = True
    return network.AddFullyConnectedLayer(descriptor, "fully_connected")


def pooling(kind):
    def layer(network):
        descriptor = ann.Pooling2dDescriptor()
        descriptor.m_PoolType = kind
        descriptor.m_PoolWidth = descriptor.m_PoolHeight = 2
        descriptor.m_StrideX = descriptor.m_StrideY = 2
        descriptor.m_DataLayout = ann.DataLayout_NHWC
        return network.AddPooling2dLayer(descriptor, "pooling")
    return layer


def add(network):
    return network.AddAdditionLayer("add")


def multiply(network):
    return network.AddMultiplicationLayer("multiply")


def matrix_product(network):
    return network.AddBatchMatMulLayer(generated.BatchMatMulDescriptor(), "matrix_product")


def convolved(image, weights, bias):
    """Without padding, strides of 1; image is N H W C, weights are O H W C."""
    patches = np.lib.stride_tricks.sliding_window_view(image.astype(np.float64), weights.shape[1:3], axis=(1, 2))
    return np.einsum("nyxchw,ohwc->nyxo", patches, weights) + bias


def pooled(image, function):
    n, h, w, c = image.shape
    return function(image.reshape(n, h // 2, 2, w // 2, 2, c), axis=(2, 4))


def cases():
    """Name, layer, inputs, constants, and numpy's result of each case."""
    data, other = uniform(4, 100), uniform(4, 100)
    image = uniform(1, 16, 16, 8)
    matrix, offset = uniform(20, 100), uniform(20)
    left, right = uniform(1, 24, 40), uniform(1, 40, 32)
    power = np.exp(data - data.max(1, keepdims=True))
    yield "tanh", activation(ann.ActivationFunction_TanH), [data], [], np.tanh(data)
    yield "relu", activation(ann.ActivationFunction_ReLu), [data], [], np.maximum(data, 0)
    yield "softmax", softmax, [data], [], power / power.sum(1, keepdims=True)
    for side, channels in (1, 8), (2, 8), (3, 4), (3, 8):
        source, weights, bias = uniform(1, 16, 16, channels), uniform(12, side, side, channels), uniform(12)
        yield (f"convolution_{side}x{side}x{channels}", convolution, [source], [weights, bias],
               convolved(source, weights, bias))
    yield "fully_connected", fully_connected, [data], [matrix, offset], data @ matrix.T + offset
    yield "pooling_max", pooling(ann.PoolingAlgorithm_Max), [image], [], pooled(image, np.max)
    yield "pooling_average", pooling(ann.PoolingAlgorithm_Average), [image], [], pooled(image, np.mean)
    yield "add", add, [data, other], [], data + other
    yield "multiply", multiply, [data, other], [], data * other
    yield "matrix_product", matrix_product, [left, right], [], left @ right


chosen = os.environ.get("LAYERS", "").split()
wrong = 0
for name, layer, inputs, constants, expected in cases():
    if chosen and name not in chosen:
        continue
    error = float(np.abs(run(layer, inputs, constants, expected.shape) - expected).max() / np.abs(expected).max())
    wrong += not error < 5e-6
    print(f"armnn: {name}: largest error {error:.1e} of the largest value", flush=True)
sys.exit(wrong != 0)
