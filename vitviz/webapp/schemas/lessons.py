"""Requests and replies about the lesson of an explanation. Arrays are base64 of float32; all indices are from 0."""

from vitviz.models.config import PositionStart
from vitviz.view import Index
from vitviz.webapp.schemas.base import Matrix, Reply, Vector
from vitviz.webapp.schemas.explanations import SubjectRequest


class HeadRequest(SubjectRequest):
    """Also a head, and the query of its vectors."""

    layer: Index
    head: Index
    token: Index = 0


class PatchRequest(SubjectRequest):
    """Also a patch, and a dimension of its embedding."""

    patch: Index
    dimension: Index = 0


class RemovalRequest(SubjectRequest):
    """Also patches to remove."""

    patches: tuple[Index, ...]


class LessonModel(Reply):
    """Sizes and parts of a model; of a captured one widths are 0 and parts False, as they are not known.

    Attributes:
        img_size: Height and width of the input in pixels.
        patch_size: Side of the square patches.
        patch: Height and width of a patch in pixels, equal except for the strips of tutorial-scratch.
        embed_dim: Width of a token.
        head_dim: Width of a head.
        scaled_width: Its square root divides the attention scores.
        mlp_dim: Hidden width of the MLP.
        positions: Whether there is a position embedding.
        position_start: How it started.
        rotary: Whether positions are rotary.
        rel_pos_bias: Whether scores have a relative position bias.
        patch_bias: Whether the patch embedding has a bias.
        qkv_bias: Whether queries, keys and values have one.
        qk_norm: Whether queries and keys are normalized in each head.
        has_sigmoid: Whether each class has its own probability, by a sigmoid instead of the softmax.
    """

    img_size: tuple[int, int]
    patch_size: int
    patch: tuple[int, int]
    embed_dim: int
    head_dim: int
    scaled_width: int
    mlp_dim: int
    positions: bool
    position_start: PositionStart
    rotary: bool
    rel_pos_bias: bool
    patch_bias: bool
    qkv_bias: bool
    qk_norm: bool
    has_sigmoid: bool


class LayerContributions(Reply):
    """Direct contributions to the logit of the predicted class, by layer, which sum to `logit`."""

    embedding: float
    attention: Vector
    mlp: Vector
    bias: float
    logit: float


class Removal(Reply):
    """What removing patches does: the method that ranked them, the patches, and the probabilities then."""

    method: str
    patches: list[int]
    probabilities: Vector


class Lesson(Reply):
    """Numbers of a lesson; the forward pass itself is in the explanation.

    Attributes:
        model: Sizes of the model.
        logits: (K,).
        lens: Probabilities by layer, (L + 1, K); empty for a captured model.
        norms: Norms of the token that is read, (L + 1,); empty likewise.
        patch_predictions: (N, K), if the head can be applied to one token.
        contributions: None without a head, and for a captured model.
        reshaped: Probabilities with patches cut by a wrong reshape, (K,); None without a head or square patches.
        removals: Of the patches with the largest values of some methods.
        random: Of sets drawn at random.
        rows: Tokens of `tokens`, positions among all T, (R,); empty for a captured model.
        tokens: Some numbers of some tokens, see `lesson.sample_tokens`, (L + 1, R, S).
    """

    model: LessonModel
    logits: Vector
    lens: Matrix
    norms: Vector
    patch_predictions: Matrix | None
    contributions: LayerContributions | None
    reshaped: Vector | None
    removals: list[Removal]
    random: list[Removal]
    rows: list[int]
    tokens: str


class HeadVectors(Reply):
    """A row of attention (`lesson.AttentionRow`), and what the block does to its query (`lesson.BlockSteps`).

    `size` is d, the width of the head.
    """

    query: str
    keys: str
    values: str
    scores: str
    weights: str
    output: str
    head_weights: str
    head_outputs: str
    input: str
    attention: str
    mlp: str
    size: int


class PatchEmbedding(Reply):
    """A dimension of the embedding of a patch.

    Attributes:
        pixels: (3, h, w).
        weights: (3, h, w).
        product: Sum of pixels times weights.
        rest: Bias and position embedding; None if a norm follows them.
        value: The dimension in the input of the first block.
        products: Of the first S dimensions, (S,).
        tokens: These dimensions before and after all blocks, (L + 1, S).
        positions: Cosine similarities of the patch's position embedding with all others, (N,).
    """

    pixels: str
    weights: str
    product: float
    rest: float | None
    value: float
    products: str
    tokens: str
    positions: Vector


class Probabilities(Reply):
    """Probabilities of the classes, (K,)."""

    probabilities: Vector


class MeanQuery(Reply):
    """The forward pass in which the class token uses its mean query; see `vitviz.attribution.lesson.mean_query`.

    Attributes:
        rows: Attention of the class token, mean over the heads, (L, T).
        probabilities: Of the classes, (K,).
        image_specific: Share of what differs between images in its scores, mean over the heads, (L,).
        kept: Fraction of predictions that stay; None if that was not measured.
        images: Number of images over which means were taken.
    """

    rows: str
    probabilities: Vector
    image_specific: Vector
    kept: float | None
    images: int


class Flips(Reply):
    """The fewest patches known to change the predicted class, and how many of each random order do."""

    best: list[int] | None
    random: list[int | None]
