"""p-values as text: what lies far below any level is not told apart."""

LEAST_P = 1e-16  # the tests' distributions are not known so far out


def p_text(p_value: float) -> str:
    """Return a p-value as text: two significant digits, "< 1e-16" below."""
    return f"< {LEAST_P:g}" if p_value < LEAST_P else f"{p_value:.2g}"
