"""Speed on this machine, as tables. Ratios come from one run in which both sides alternate."""
