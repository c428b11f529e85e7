"""Control flow, calls, effects and lists as ops: the derivatives of these are in `passes.autodiff`."""
