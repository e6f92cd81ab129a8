"""Policies that choose shader cores, one a file.

A policy for single applications (chapter 4) is a class with

    name                            for tables
    choose(application, kernel, gpu)
                                    the cores for the kernel, as a sorted list of numbers; the others are gated

It is asked before each kernel. `application` and `kernel` are those of profiles.py, `gpu` is the Gpu of gpu.py, with the
history of its cores, which it may read and copy but must not change.

A policy for applications at the same time (chapter 5) is a class with

    name
    pick(queue, gpu)                the applications that run next, one or two, each with its cores: [(application, [cores])];
                                    the cores of two have none in common
    gate(application, kernel, cores, gpu)
                                    before each kernel: those of the application's cores that it gets
    alone(application, cores, gpu)  when the other of a pair has ended: the application's cores from now on

Both are made with a Facts, which has what else was measured."""
from dataclasses import dataclass, field


@dataclass
class Facts:
    """Slowdowns of two classes side by side: by the pair of their names in order, 1 is none."""
    slowdown: dict = field(default_factory=dict)

    def of(self, a, b):
        return self.slowdown.get(tuple(sorted((a, b))), 1.0)
