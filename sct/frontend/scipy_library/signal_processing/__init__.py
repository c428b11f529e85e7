"""Signals and images: functions of `scipy.signal` and `scipy.ndimage` that have the derivative of a program.

    signals         `detrend`, `hilbert`, `convolve2d`, `np.unwrap`
    spectra         filters and spectra
    windows         windows, by their parameters
    filter_design   filters by their frequencies
    linear_systems  what linear systems answer, by their coefficients or matrices
    images          images moved, scaled and filtered, and sums over labels
"""
