"""What a table shows of a run: the heading and the decimals of every measure."""

MEASURES: dict[str, tuple[str, int]] = {
    "shd": ("SHD", 1),
    "sid": ("SID", 1),
    "precision": ("precision", 2),
    "recall": ("recall", 2),
    "f1": ("F1", 2),
    "skeleton_f1": ("adjacency F1", 2),
    "order_errors": ("order errors", 1),
    "wall": ("seconds", 1),
    "cpu": ("CPU seconds", 1),
    "peak_mb": ("peak MB", 0),
}
HIGHER_IS_BETTER = ("precision", "recall", "f1", "skeleton_f1")
