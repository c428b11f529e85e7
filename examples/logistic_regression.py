"""Logistic regression on scikit-learn's breast cancer data, fitted by scipy."""

import numpy as np
from scipy.optimize import minimize
from sklearn.datasets import load_breast_cancer

from sct import value_and_grad


def loss(weights: np.ndarray, inputs: np.ndarray, labels: np.ndarray) -> float:
    """The mean negative log-likelihood of labels -1 and 1, regularised."""
    margins = labels * (inputs @ weights[1:] + weights[0])
    return np.mean(np.logaddexp(0.0, -margins)) + 1e-3 * np.sum(weights[1:] ** 2)


def data() -> tuple:
    """Standardised inputs and labels, a third of them held out."""
    inputs, classes = load_breast_cancer(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(inputs))
    train, held_out = order[len(order) // 3 :], order[: len(order) // 3]
    inputs = (inputs - inputs[train].mean(axis=0)) / inputs[train].std(axis=0)
    labels = 2.0 * classes - 1.0
    return inputs[train], labels[train], inputs[held_out], labels[held_out]


def main() -> None:
    inputs, labels, held_inputs, held_labels = data()
    start = np.zeros(inputs.shape[1] + 1)
    fit = minimize(value_and_grad(loss), start, args=(inputs, labels), jac=True, method="L-BFGS-B")
    guesses = np.sign(held_inputs @ fit.x[1:] + fit.x[0])
    accuracy = np.mean(guesses == held_labels)
    print(f"loss {loss(start, inputs, labels):.4f} -> {fit.fun:.4f} in {fit.nit} steps")
    print(f"held-out accuracy {100 * accuracy:.1f} %")
    assert fit.success
    assert accuracy >= 0.95


if __name__ == "__main__":
    main()
