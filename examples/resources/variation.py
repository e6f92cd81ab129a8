"""Process variation from core to core: equations 5.1 and 5.2 of seed 004."""
import math
import random

from technology import Variation


def correlation(alpha, a, b):
    """Equation 5.1, of two cells (row, column)."""
    return math.exp(-alpha * math.hypot(a[0] - b[0], a[1] - b[1]))


def lower(matrix):
    """Returns the lower triangle L of a symmetric matrix, where L times its transpose is the matrix (Cholesky)."""
    out = []
    for i, row in enumerate(matrix):
        line = []
        for j in range(i):
            line.append((row[j] - sum(x * y for x, y in zip(line, out[j]))) / out[j][j])
        line.append(math.sqrt(row[i] - sum(x * x for x in line)))
        out.append(line)
    return out


def columns_of(cores):
    """Columns of the most square arrangement of cores in full rows."""
    return next(n for n in range(math.ceil(math.sqrt(cores)), cores + 1) if cores % n == 0)


def cells_of(cores, core, grid):
    """The cells of a core's tile. Critical paths lie in all of them."""
    columns = columns_of(cores)
    high, wide = grid // (cores // columns), grid // columns
    top, left = core // columns * high, core % columns * wide
    return [(i, j) for i in range(top, top + high) for j in range(left, left + wide)]


class Maps:
    """Draws maps of p, and frequencies of cores from them."""

    def __init__(self, cores, mhz, constants=Variation(), seed=1):
        grid = constants.grid
        rows = cores // columns_of(cores)
        if grid % rows or grid % columns_of(cores):
            raise ValueError(f"a grid of {grid} cells has no equal tiles for {cores} cores")
        self.cores, self.mhz, self.constants, self.random = cores, mhz, constants, random.Random(seed)
        self.cells = [(i, j) for i in range(grid) for j in range(grid)]
        self.lower = lower([[correlation(constants.alpha, a, b) for b in self.cells] for a in self.cells])

    def draw(self):
        """Returns p by cell: of mean 1, with deviation sigma."""
        free = [self.random.gauss(0, 1) for _ in self.cells]
        return {cell: 1 + self.constants.sigma * sum(x * y for x, y in zip(line, free)) for cell, line in zip(self.cells, self.lower)}

    def frequencies(self, p):
        """Equation 5.2, in MHz. K' is the nominal clock: a core whose cells all have p = 1 reaches it."""
        return [self.mhz * min(1 / p[cell] for cell in cells_of(self.cores, core, self.constants.grid)) for core in range(self.cores)]
