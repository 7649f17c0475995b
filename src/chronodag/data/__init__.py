"""Data on its way in: any table becomes one checked, immutable panel of time series."""

from chronodag.data.files import read_table
from chronodag.data.lagged import LaggedView, lagged_view
from chronodag.data.panel import Panel
from chronodag.data.scaling import Scaling

__all__ = ["LaggedView", "Panel", "Scaling", "lagged_view", "read_table"]
