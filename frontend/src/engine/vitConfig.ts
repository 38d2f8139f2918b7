/* The configuration of a network, with the fields, defaults and derived sizes of `ViTConfig` in vitviz/models/config.py. */

const DEFAULTS = {
  architecture: 'vit' as
    | 'vit'
    | 'tutorial-notebook'
    | 'tutorial-lightning'
    | 'tutorial-scratch'
    | 'tutorial-scratch-fixed',
  img_size: [32, 32] as [number, number],
  patch_size: 4,
  embed_dim: 192,
  depth: 6,
  num_heads: 6,
  mlp_ratio: 2,
  num_classes: 10,
  reg_tokens: 0,
  class_token: true,
  distilled: false,
  global_pool: 'token' as 'token' | 'avg' | 'token_avg' | 'map',
  rope_type: 'none' as 'none' | 'cat' | 'dinov3' | 'mixed',
  rope_grid_indexing: 'ij' as 'ij' | 'xy',
  rope_grid_offset: 0,
  rope_temperature: 10_000,
  rope_rotate_half: false,
  ref_feat_shape: null as [number, number] | null,
  no_embed_class: false,
  eps: 1e-6,
  act_layer: 'gelu' as 'gelu' | 'gelu_tanh' | 'quick_gelu',
  swiglu_mlp: false,
  pool_include_prefix: false,
  attn_pool_num_heads: 0,
  multi_label: false,
  normalize_head: false,
};

/** Other switches, such as `qk_norm`, show in the names of the weights. */
export type ViTConfig = typeof DEFAULTS;

export const completeConfig = (values: Partial<ViTConfig>): ViTConfig => ({ ...DEFAULTS, ...values });

export interface Sizes {
  gh: number;
  gw: number;
  N: number; // patches
  prefix: number;
  T: number; // tokens
  D: number;
  A: number; // heads
  d: number; // width of a head
  L: number; // layers
  K: number; // classes
  cell: [number, number]; // height and width of a patch (px)
}

export function sizesOf(config: ViTConfig): Sizes {
  const [H, W] = config.img_size;
  const strip = config.patch_size ** 2; // pixels in a row of an image, of tutorial-scratch
  const isStrip = config.architecture === 'tutorial-scratch';
  const gh = !isStrip ? H / config.patch_size : strip <= W ? H : (H * W) / strip;
  const gw = !isStrip ? W / config.patch_size : strip <= W ? Math.floor(W / strip) : 1;
  const prefix = Number(config.class_token) + Number(config.distilled) + config.reg_tokens;
  const { embed_dim: D, num_heads: A, depth: L, num_classes: K } = config;
  return { gh, gw, N: gh * gw, prefix, T: prefix + gh * gw, D, A, d: D / A, L, K, cell: [H / gh, W / gw] };
}

/** Whether probabilities are sigmoids of the logits. */
export const hasSigmoid = (config: ViTConfig) => config.multi_label || config.num_classes === 1;
