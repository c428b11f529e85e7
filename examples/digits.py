"""Handwritten digits: a two-layer network held in a dict, trained by stochastic gradient descent.

    python examples/digits.py

The data are scikit-learn's `load_digits`: 1,797 images of 8 by 8 pixels, a fifth of them held out.
"""

import numpy as np
from sklearn.datasets import load_digits
from tqdm import tqdm

from sct import value_and_grad


def log_softmax(logits):
    shifted = logits - np.max(logits, axis=1, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=1, keepdims=True))


def predict(params, images):
    hidden = np.tanh(images @ params["W1"] + params["b1"])
    return log_softmax(hidden @ params["W2"] + params["b2"])


@value_and_grad
def loss(params, images, labels):
    """The cross-entropy of the right labels, and a little weight decay."""
    logp = predict(params, images)
    decay = np.sum(params["W1"] ** 2) + np.sum(params["W2"] ** 2)
    return -np.mean(logp[np.arange(len(labels)), labels]) + 1e-4 * decay


def data(rng):
    """(training images, their labels, held-out images, their labels)."""
    digits = load_digits()
    order = rng.permutation(len(digits.target))
    images, labels = digits.data[order] / 16.0, digits.target[order]
    held_out = len(labels) // 5
    return images[held_out:], labels[held_out:], images[:held_out], labels[:held_out]


def train(params, images, labels, rng, epochs=40, batch=64, rate=0.5):
    progress = tqdm(range(epochs), desc="training", unit="epoch")
    for _ in progress:
        order = rng.permutation(len(labels))
        for start in range(0, len(order), batch):
            picked = order[start:start + batch]
            error, gradient = loss(params, images[picked], labels[picked])
            params = {name: params[name] - rate * gradient[name] for name in params}
        progress.set_postfix(loss=f"{error:.3f}")
    return params


def accuracy(params, images, labels):
    return np.mean(np.argmax(predict(params, images), axis=1) == labels)


def main() -> None:
    rng = np.random.default_rng(0)
    images, labels, held_out, their_labels = data(rng)
    params = {
        "W1": rng.normal(size=(64, 64)) / 8.0, "b1": np.zeros(64),
        "W2": rng.normal(size=(64, 10)) / 8.0, "b2": np.zeros(10),
    }
    params = train(params, images, labels, rng)
    print(loss.source)
    share = accuracy(params, held_out, their_labels)
    print(f"right on {100.0 * share:.1f} % of the {len(their_labels)} held-out digits")
    assert share >= 0.95


if __name__ == "__main__":
    main()
