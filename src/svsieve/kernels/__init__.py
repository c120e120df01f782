"""Kernels k(x, z) = phi(s), s = sum_j w_j t_j(x, z), and the contractions of criteria.

A kernel is a scalar profile phi over an additive pairing t with non-negative column weights w. A
column with weight zero is dropped, any other weight scales it.
"""

from svsieve.kernels.composite import Normalised, Product, Sum
from svsieve.kernels.gamma import PerFeature
from svsieve.kernels.kernel import Kernel, PairingKernel
from svsieve.kernels.leaves import Laplace, Linear, Polynomial, Rbf
from svsieve.kernels.pair_weights import PairWeights
from svsieve.kernels.rows import kernel_values, row_source
from svsieve.kernels.scaling import scaled_kernel
from svsieve.kernels.screening import Least
from svsieve.kernels.state import KernelState

__all__ = [
    "Kernel",
    "KernelState",
    "Laplace",
    "Least",
    "Linear",
    "Normalised",
    "PairWeights",
    "PairingKernel",
    "PerFeature",
    "Polynomial",
    "Product",
    "Rbf",
    "Sum",
    "kernel_values",
    "row_source",
    "scaled_kernel",
]
