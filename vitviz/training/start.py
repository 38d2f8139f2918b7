"""A checkpoint -> the first weights of a training: fine-tuning."""

from dataclasses import asdict

from vitviz.model.architectures import Network
from vitviz.model.checkpoint import Checkpoint


def adopt(model: Network, source: Checkpoint) -> None:
    """Begin with the weights of a checkpoint, all but its head: fine-tuning puts a new one in its place.

    Raises:
        ValueError: If the two networks are not the same otherwise.
    """
    ours, theirs = asdict(model.config), asdict(source.model.config)
    free = ("classes", "drop_path", "dropout")
    different = [name for name in ours if name not in free and ours[name] != theirs[name]]
    if different:
        name = different[0]
        raise ValueError(
            f"A training can start from the weights of the same network: {name} is {theirs[name]} in {source.name} and "
            f"{ours[name]} here. Set model.{name}={theirs[name]}."
        )
    body = {name: weight for name, weight in source.model.state_dict().items() if not name.startswith("head.")}
    model.load_state_dict(body, strict=False)
