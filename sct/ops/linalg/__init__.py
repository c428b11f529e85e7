"""Products of matrices and tensors, norms, solvers and decompositions.

    products         products of vectors and matrices
    masked_products  their cotangents, where what these belong to may be nan
    tensor_products  products of arrays of any rank, and of several matrices
    einsum           sums of products of labelled arrays
    cross            the cross product, and systems between arrays of any rank
    linalg           inverses, systems, determinants, Cholesky factors
    least_squares    `qr`, `pinv`, `lstsq`, rank and condition
    spectra          what the rules of decompositions share
    spectral_sums    sums over eigenvectors and singular vectors
    phases           phases of the vectors of complex matrices
    decompositions   `eigh`, `svd`, `qr`
    eigenvalues      eigenvalues of any square matrix
    norms            norms of vectors and matrices
    fourier          Fourier transforms
    linear_maps      constant linear maps
    sparse_maps      products and systems with sparse matrices of differentiated numbers
"""
