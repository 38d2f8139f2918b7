"""Color maps, figures and animations of maps."""
