"""The kinds of columns that models tell apart."""

CONTINUOUS, BINARY, CATEGORICAL, ORDINAL, COUNT = "continuous", "binary", "categorical", "ordinal", "count"
KINDS = (CONTINUOUS, BINARY, CATEGORICAL, ORDINAL, COUNT)
