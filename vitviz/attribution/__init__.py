"""Attribution: maps of what a model attends to in an image, their faithfulness, ablations and probes."""
