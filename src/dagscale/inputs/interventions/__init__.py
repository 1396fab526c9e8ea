"""What was done to the rows, as users say it: columns of labels, masks, and the files of other packages."""

from dagscale.inputs.interventions.converters import from_avici, from_dcdi
from dagscale.inputs.interventions.labels import Marks, set_aside

__all__ = ["Marks", "from_avici", "from_dcdi", "set_aside"]
