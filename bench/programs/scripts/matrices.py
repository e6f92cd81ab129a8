"""Linear algebra, transforms and sorting on whole arrays."""
import numpy as np

n = 320
a = (np.arange(n * n, dtype=np.float64).reshape(n, n) % 97) / 97
b = a.T @ a + np.eye(n) * n
print(f"{np.linalg.slogdet(b)[1]:.6f} {np.abs(np.linalg.solve(b, a)).sum():.6f}")
signal = np.sin(np.arange(1 << 18) * 0.01) + (np.arange(1 << 18) % 31) / 31
print(f"{np.abs(np.fft.rfft(signal)).max():.4f}")
integers = (np.arange(1000000, dtype=np.uint64) * 2654435761) % 1000003
integers.sort()
print(int(integers[::1000].sum()), float(np.float32(np.sqrt(np.arange(3000000, dtype=np.float32)).mean())))
for _ in range(20):
    a = np.clip(a @ b / n, -1, 1)
print(f"{a.sum():.4f}")
