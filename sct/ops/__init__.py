"""The ops: one entry each, under the name of the entry (with _ where that is a builtin's).

    registry            the table of ops
    type_rules          types of results, from those of the operands
    samples             the operands on which the tests run every op
    derivative_helpers  zeros, and contributions fitted to their operand
    scalar              elementwise ops
    arrays              arrays: made, shaped, joined, indexed
    reductions          reductions, sorting, counting
    linalg              matrices and tensors
    scipy               functions of SciPy
    program             control flow, calls, effects, lists

`OPS` finds them by name, `BY_CALL` by spelling.

>>> BY_CALL["operator.add"] is OPS["add"] is add
True
"""

from sct.ops.arrays.concatenate import *
from sct.ops.arrays.creation import *
from sct.ops.arrays.indexing import *
from sct.ops.arrays.interpolation import *
from sct.ops.arrays.linspace import *
from sct.ops.arrays.padding import *
from sct.ops.arrays.rearrange import *
from sct.ops.arrays.shape import *
from sct.ops.arrays.stack_and_insert import *
from sct.ops.arrays.take import *
from sct.ops.arrays.triangles import *
from sct.ops.arrays.windows import *
from sct.ops.derivative_helpers import *
from sct.ops.linalg.cross import *
from sct.ops.linalg.decompositions import *
from sct.ops.linalg.eigenvalues import *
from sct.ops.linalg.einsum import *
from sct.ops.linalg.fourier import *
from sct.ops.linalg.least_squares import *
from sct.ops.linalg.linalg import *
from sct.ops.linalg.linear_maps import *
from sct.ops.linalg.norms import *
from sct.ops.linalg.products import *
from sct.ops.linalg.sparse_maps import *
from sct.ops.linalg.tensor_products import *
from sct.ops.program import list_concatenation as list_concatenation
from sct.ops.program import list_ops as list_ops
from sct.ops.program import list_slices as list_slices
from sct.ops.program import list_sums as list_sums
from sct.ops.program.attempts import *
from sct.ops.program.call_ops import *
from sct.ops.program.control import *
from sct.ops.program.effects import *
from sct.ops.program.links import *
from sct.ops.program.solutions import *
from sct.ops.reductions.counting import *
from sct.ops.reductions.covariance import *
from sct.ops.reductions.cumulative import *
from sct.ops.reductions.differences import *
from sct.ops.reductions.masked_reductions import *
from sct.ops.reductions.masked_ufuncs import *
from sct.ops.reductions.reductions import *
from sct.ops.reductions.signals import *
from sct.ops.reductions.sorting import *
from sct.ops.reductions.statistics import *
from sct.ops.registry import *
from sct.ops.scalar.arithmetic import *
from sct.ops.scalar.comparison import *
from sct.ops.scalar.complex_parts import *
from sct.ops.scalar.elementary import *
from sct.ops.scalar.powers import *
from sct.ops.scalar.selection import *
from sct.ops.scalar.special_functions import *
from sct.ops.scipy.banded_systems import *
from sct.ops.scipy.bessel_functions import *
from sct.ops.scipy.cosine_transforms import *
from sct.ops.scipy.distances import *
from sct.ops.scipy.distribution_functions import *
from sct.ops.scipy.distributions import *
from sct.ops.scipy.elementary_functions import *
from sct.ops.scipy.elliptic_functions import *
from sct.ops.scipy.error_functions import *
from sct.ops.scipy.filters import *
from sct.ops.scipy.gamma_functions import *
from sct.ops.scipy.hypergeometric import *
from sct.ops.scipy.image_samples import *
from sct.ops.scipy.linear_systems import *
from sct.ops.scipy.matrix_functions import *
from sct.ops.scipy.matrix_logarithms import *
from sct.ops.scipy.signal_filters import *
from sct.ops.scipy.special_integrals import *
from sct.ops.scipy.splines import *
from sct.ops.scipy.sums_and_convolutions import *
from sct.ops.scipy.toeplitz_systems import *
from sct.ops.scipy.wave_functions import *
