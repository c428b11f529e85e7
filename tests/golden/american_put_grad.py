import math

import numpy as np


def american_put_grad(spot, strike, sigma, steps):
    # spot: float, strike: float, sigma: float, steps: int
    dt = 1.0 / steps
    sqrt_dt = math.sqrt(dt)
    up = math.exp(sigma * sqrt_dt)
    exp_scaled_dt = math.exp(0.05 * dt)
    inv_up = 1.0 / up
    up_minus_inv_up = up - inv_up
    p = (exp_scaled_dt - inv_up) / up_minus_inv_up
    values_arange = np.arange(-steps, steps + 1.0, 2.0)
    values_factor = up**values_arange
    values_arg = strike - spot * values_factor
    values = np.maximum(values_arg, 0.0)
    tape = []
    for level in range(steps - 1, -1, -1):
        for k in range(level + 1):
            exp_scaled_dt = math.exp(-0.05 * dt)
            values_next = values[k + 1]
            values_k = values[k]
            held = exp_scaled_dt * (p * values_next + (1.0 - p) * values_k)
            exercised_factor = up ** (2 * k - level)
            exercised = strike - spot * exercised_factor
            values_mask = held > exercised
            tape.append((values_next, values_k, exercised_factor, values_mask))
            values[k] = held if values_mask else exercised
    dvalues = np.zeros_like(values)
    dvalues[0] = 1.0
    # held = math.exp(-0.05 * dt) * (p * values[k + 1] + (1.0 - p) * ...
    one_minus_p = 1.0 - p
    dp = 0.0
    dup = 0.0
    dspot = 0.0
    for level in reversed(range(steps - 1, -1, -1)):
        for k in reversed(range(level + 1)):
            values_next, values_k, exercised_factor, values_mask = tape.pop()
            twice_k_minus_level = 2 * k - level
            # values[k] = held if held > exercised else exercised
            dvalues_k = dvalues[k]
            dvalues[k] = 0.0
            if values_mask:
                # held = math.exp(-0.05 * dt) * (p * values[k + 1] + (1.0 - p) * ...
                dvalues_factor = dvalues_k * exp_scaled_dt
                dvalues[k] += dvalues_factor * one_minus_p
                dp += dvalues_factor * (values_next - values_k)
                dvalues[k + 1] += dvalues_factor * p
            else:
                # exercised = strike - spot * up ** (2 * k - level)
                dspot -= dvalues_k * exercised_factor
                dup_part = twice_k_minus_level * up ** max(twice_k_minus_level - 1, 0)
                dup_factor = (
                    dup_part
                    if twice_k_minus_level >= 1
                    else twice_k_minus_level * exercised_factor / up
                    if up
                    else 0.0
                )
                dup -= dvalues_k * spot * dup_factor
    # values = np.maximum(strike - spot * up ** np.arange(-steps, steps + ...
    dup_mask = values_arg >= 0.0
    dspot -= np.sum(np.where(dup_mask, dvalues * values_factor, 0.0))
    dup_part1 = np.where((values_arange == 0) & (up == 0), 1, values_arange - 1)
    dup_part1 = np.where(dup_mask, spot * dvalues * values_arange * up**dup_part1, 0.0)
    # p = (math.exp(0.05 * dt) - 1.0 / up) / (up - 1.0 / up)
    dup_part = dp / up_minus_inv_up
    dup_term = p * dup_part
    dup -= np.sum(dup_part1) + dup_term + (dup_term - dup_part) * inv_up * inv_up
    return dspot, dup * up * sqrt_dt
