import numpy as np


def total_variation_grad(image, noisy, weight):
    # image: f64[n, m], noisy: f64[n, m], weight: float
    diff_image = np.diff(image, axis=0)
    diff_image1 = np.diff(image, axis=1)
    dimage_factor = weight / np.sqrt(diff_image1**2 + 0.01)
    dimage_term = np.diff(dimage_factor * diff_image1, prepend=0.0, append=0.0)
    dimage_factor = weight / np.sqrt(diff_image**2 + 0.01)
    dimage_term1 = np.diff(dimage_factor * diff_image, axis=0, prepend=0.0, append=0.0)
    dimage = 2.0 * (image - noisy) - dimage_term - dimage_term1
    return dimage
