"""Store the test predictions of a bundled checkpoint, so that the gallery lists them at once.

Run: `python -m scripts.predict_test_set [NAME]`, with CIFAR-10 in the data folder; it takes about a minute. Then
update the checksums: `cd checkpoints && sha256sum *.npz *.safetensors */*.safetensors > SHA256SUMS`.
"""

import sys

from vitviz.data import cifar
from vitviz.models import checkpoint
from vitviz.training.predictions import compute_predictions, write_predictions


def main() -> None:
    """Predict the test set and write the file."""
    name = sys.argv[1] if len(sys.argv) > 1 else "cifar10-ti4"
    images, labels = cifar.load("test")
    predictions = compute_predictions(checkpoint.load(name), images)
    path = write_predictions(name, images, predictions)
    accuracy = float((predictions.classes == labels).float().mean())
    print(f"{path}: {path.stat().st_size} bytes, accuracy {accuracy:.4f}")


if __name__ == "__main__":
    main()
