"""python3-pyarmnn with libarmnn-gpuacc-backend33: layers on GpuAcc (Arm Compute Library's OpenCL), against numpy.

The library opens libOpenCL.so and wants work-groups that do not divide the global size: it gets the one in CLAIMS.
"""
import os
import sys

if os.environ.get("LD_LIBRARY_PATH") != os.environ["CLAIMS"]:
    os.environ["LD_LIBRARY_PATH"] = os.environ["CLAIMS"]
    os.execvp(sys.executable, [sys.executable, "-P", "-W", "ignore", *sys.argv])

import numpy as np
import pyarmnn as ann

runtime = ann.IRuntime(ann.CreationOptions())
random = np.random.default_rng(1)


def tensor_info(shape, constant=False):
    return ann.TensorInfo(ann.TensorShape(shape), ann.DataType_Float32, 0.0, 0, constant)


def run(layer_of, data, out_shape):
    """Runs a network of one layer on the GPU."""
    network = ann.INetwork()
    begin, end = network.AddInputLayer(0), network.AddOutputLayer(0)
    layer = layer_of(network)
    begin.GetOutputSlot(0).Connect(layer.GetInputSlot(0))
    layer.GetOutputSlot(0).Connect(end.GetInputSlot(0))
    begin.GetOutputSlot(0).SetTensorInfo(tensor_info(data.shape, True))
    layer.GetOutputSlot(0).SetTensorInfo(tensor_info(out_shape))
    optimised, _ = ann.Optimize(network, [ann.BackendId("GpuAcc")], runtime.GetDeviceSpec(),
                                ann.OptimizerOptions())
    number, _ = runtime.LoadNetwork(optimised)
    inputs = ann.make_input_tensors([(0, runtime.GetInputTensorInfo(number, 0))], [data])
    outputs = ann.make_output_tensors([(0, runtime.GetOutputTensorInfo(number, 0))])
    runtime.EnqueueWorkload(number, inputs, outputs)
    return ann.workload_tensors_to_ndarray(outputs)[0]


def tanh(network):
    descriptor = ann.ActivationDescriptor()
    descriptor.m_Function = ann.ActivationFunction_TanH
    descriptor.m_A = descriptor.m_B = 1.0
    return network.AddActivationLayer(descriptor, "tanh")


def softmax(network):
    descriptor = ann.SoftmaxDescriptor()
    descriptor.m_Beta = 1.0
    return network.AddSoftmaxLayer(descriptor, "softmax")


data = random.uniform(-2, 2, (4, 100)).astype(np.float32)
power = np.exp(data - data.max(1, keepdims=True))
wrong = 0
for name, layer, expected in (("tanh", tanh, np.tanh(data)),
                              ("softmax", softmax, power / power.sum(1, keepdims=True))):
    error = float(np.abs(run(layer, data, data.shape).reshape(data.shape) - expected).max())
    wrong += not error < 5e-6
    print(f"armnn: {name}: largest error {error:.1e}", flush=True)
sys.exit(wrong != 0)
