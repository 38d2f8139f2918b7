"""Small random models of transformers with an image and a text encoder, and a tokenizer of whole words."""

import tokenizers
import torch
import transformers

from tests.models import families

TEXTS = ("a cat", "a dog", "a photo of a cat and a dog")
WORDS = ("<pad>", "<eos>", "<unk>", "a", "and", "cat", "dog", "of", "photo")
NUM_WORDS = len(WORDS)
LENGTH = 12  # tokens
PROJECTED = {"projection_dim": 12}
MODELS = {  # family -> its class, and options of the model, the text encoder and the image encoder
    "CLIP": ("CLIPModel", PROJECTED, {}, {}),
    "SigLIP": ("SiglipModel", {}, {"projection_size": families.D}, {}),
    "SigLIP 2 NaFlex": ("Siglip2Model", {}, {"projection_size": families.D}, {"num_patches": 16}),
    "MetaCLIP 2": ("MetaClip2Model", PROJECTED, {}, {}),
    "AltCLIP": ("AltCLIPModel", PROJECTED, {"project_dim": 10, "max_position_embeddings": LENGTH + 1}, {}),
    "Chinese-CLIP": ("ChineseCLIPModel", PROJECTED, {}, {}),
    "CLIPSeg": ("CLIPSegModel", PROJECTED, {}, {}),
    "OWL-ViT": ("OwlViTModel", PROJECTED, {}, {}),
    "OWLv2": ("Owlv2Model", PROJECTED, {}, {}),
    "TIPSv2": ("Tipsv2Model", {}, {"hidden_size": families.D}, {"mlp_ratio": 2}),
}


def save_two_towers(name, folder, vocab_size=NUM_WORDS):
    """Save a small model of a family with a tokenizer of whole words; returns the model and the tokenizer."""
    inner = tokenizers.Tokenizer(
        tokenizers.models.WordLevel({word: k for k, word in enumerate(WORDS)}, unk_token="<unk>")
    )
    inner.pre_tokenizer = tokenizers.pre_tokenizers.Whitespace()
    inner.post_processor = tokenizers.processors.TemplateProcessing(
        single="$A <eos>", special_tokens=[("<eos>", WORDS.index("<eos>"))]
    )
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=inner,
        pad_token="<pad>",
        eos_token="<eos>",
        unk_token="<unk>",
        model_max_length=LENGTH,
    )
    kind, options, text, vision = MODELS[name]
    text = {**families.TEXT, "vocab_size": vocab_size, "max_position_embeddings": LENGTH, **text}
    text |= {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 1}
    kind = getattr(transformers, kind)
    config = kind.config_class(vision_config=families.VISION | vision, text_config=text, **options)
    torch.manual_seed(0)
    model = kind(config).float().eval()
    for parameter in model.parameters():
        if parameter.ndim > 1:
            torch.nn.init.normal_(parameter, std=0.3)
    if name.startswith("SigLIP"):
        model.logit_scale.data.fill_(1.0)
        model.logit_bias.data.fill_(-3.0)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return model, transformers.AutoTokenizer.from_pretrained(folder)
