"""python3-opencv: functions of its transparent API, each on a UMat (OpenCL) and on an array (the
CPU).

Integers may differ by one, as in OpenCV's own tests. FUNCTIONS="blur,Canny" selects functions. If
OpenCL refuses, OpenCV says so and computes on the CPU. Functions that it computes there on every
device (cvtColor to HSV, meanStdDev, norm) are not tested."""
import os
import sys

os.environ.setdefault("OPENCV_OPENCL_DEVICE", ":GPU|CPU:")  # llvmpipe is a CPU, which OpenCV skips

import cv2
import numpy as np

random = np.random.default_rng(1)
grey, other = (random.integers(0, 256, (60, 80), dtype=np.uint8) for _ in range(2))
smooth = cv2.GaussianBlur(grey, (0, 0), 3)
colour = random.integers(0, 256, (60, 80, 3), dtype=np.uint8)
real, real2 = (random.random((48, 48), dtype=np.float32) for _ in range(2))
turn = np.array([[0.9, -0.2, 5], [0.2, 0.9, -3]])

TESTS = {
    "add": (cv2.add, grey, other),
    "absdiff": (cv2.absdiff, grey, other),
    "multiply": (cv2.multiply, real, real2),
    "bitwise_and": (cv2.bitwise_and, grey, other),
    "compare": (lambda a, b: cv2.compare(a, b, cv2.CMP_GT), grey, other),
    "threshold": (lambda a: cv2.threshold(a, 100, 255, cv2.THRESH_BINARY), grey),
    "transpose": (cv2.transpose, grey),
    "flip": (lambda a: cv2.flip(a, -1), colour),
    "LUT": (lambda a: cv2.LUT(a, np.arange(255, -1, -1, dtype=np.uint8)), grey),
    "grey of colour": (lambda a: cv2.cvtColor(a, cv2.COLOR_BGR2GRAY), colour),
    "blur": (lambda a: cv2.blur(a, (5, 5)), grey),
    "GaussianBlur": (lambda a: cv2.GaussianBlur(a, (5, 5), 1.5), grey),
    "medianBlur": (lambda a: cv2.medianBlur(a, 3), grey),
    "filter2D": (lambda a: cv2.filter2D(a, -1, np.outer([1, 2, 1], [1, 2, 1]) / 16), grey),
    "Sobel": (lambda a: cv2.Sobel(a, cv2.CV_16S, 1, 0), grey),
    "Laplacian": (lambda a: cv2.Laplacian(a, cv2.CV_16S, ksize=3), grey),
    "erode": (lambda a: cv2.erode(a, np.ones((3, 3), np.uint8)), grey),
    "dilate": (lambda a: cv2.dilate(a, np.ones((3, 3), np.uint8)), grey),
    "resize": (lambda a: cv2.resize(a, (123, 45), interpolation=cv2.INTER_LINEAR), grey),
    "resize by area": (lambda a: cv2.resize(a, (40, 30), interpolation=cv2.INTER_AREA), grey),
    "warpAffine": (lambda a: cv2.warpAffine(a, turn, (80, 60), flags=cv2.INTER_NEAREST), smooth),
    "pyrDown": (cv2.pyrDown, grey),
    "equalizeHist": (cv2.equalizeHist, grey),
    "sum": (cv2.sumElems, grey),
    "minMaxLoc": (lambda a: cv2.minMaxLoc(a)[:2], grey),
    "integral": (cv2.integral, grey),
    "gemm": (lambda a, b: cv2.gemm(a, b, 1, None, 0), real, real2),
    "dft": (lambda a: cv2.dft(a, flags=cv2.DFT_COMPLEX_OUTPUT), real),
    "Canny": (lambda a: cv2.Canny(a, 50, 100), smooth),
}


def flat(value):
    """Returns all numbers of a function's result."""
    if isinstance(value, tuple):
        return np.concatenate([flat(part) for part in value])
    return np.ravel(value.get() if isinstance(value, cv2.UMat) else value)


def compare(function, *data):
    """Returns whether the GPU's result equals the CPU's, how many elements differ, and the largest
    difference."""
    cv2.ocl.setUseOpenCL(False)
    expected = flat(function(*data))
    cv2.ocl.setUseOpenCL(True)
    got = flat(function(*(cv2.UMat(a) for a in data)))
    gap = np.abs(got.astype(float) - expected)
    bound = 1 if expected.dtype.kind in "iu" else 1e-4 * np.abs(expected).max()
    return gap.max() <= bound, np.count_nonzero(gap), gap.max()


device = cv2.ocl.Device.getDefault().name() if cv2.ocl.haveOpenCL() else ""
if not device:
    sys.exit("opencv: there is no OpenCL device")
print("opencv:", device, flush=True)
wanted = os.environ.get("FUNCTIONS", "").split(",")
wrong = 0
for name, (function, *data) in TESTS.items():
    if wanted != [""] and name not in wanted:
        continue
    try:
        good, count, largest = compare(function, *data)
        print(f"opencv: {name}: {'right' if good else 'WRONG'}: {count} differ, by {largest:.2g} at most", flush=True)
    except cv2.error as error:
        good = False
        print(f"opencv: {name}: {str(error).strip()[-200:]}", flush=True)
    wrong += not good
sys.exit(wrong != 0)
