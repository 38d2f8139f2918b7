/* The configuration of a network, with the fields, defaults and derived sizes of `ViTConfig` in vitviz/models/config.py. */

import { RefusedError } from '../lib/refused';

/** What may be chosen; the first is the default. */
const CHOICES = {
  architecture: ['vit', 'tutorial-notebook', 'tutorial-lightning', 'tutorial-scratch', 'tutorial-scratch-fixed'],
  global_pool: ['token', 'avg', 'token_avg', 'map'],
  rope_type: ['none', 'cat', 'dinov3', 'mixed'],
  rope_grid_indexing: ['ij', 'xy'],
  act_layer: ['gelu', 'gelu_tanh', 'quick_gelu'],
} as const;

/** Switches that show in the names of the weights, or that training alone has. */
const OTHERS =
  'attn_pool_mlp_ratio drop_path_rate fc_norm final_norm head_proj_dim init_values pos_drop_rate pos_embed pre_norm qk_norm qkv_bias rel_pos_bias scale_attn_norm scale_mlp_norm';

const DEFAULTS = {
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
  rope_grid_offset: 0,
  rope_temperature: 10_000,
  rope_rotate_half: false,
  ref_feat_shape: null as [number, number] | null,
  no_embed_class: false,
  eps: 1e-6,
  swiglu_mlp: false,
  pool_include_prefix: false,
  attn_pool_num_heads: 0,
  multi_label: false,
  normalize_head: false,
};

type Choices = { [name in keyof typeof CHOICES]: (typeof CHOICES)[name][number] };
export type ViTConfig = typeof DEFAULTS & Choices;

/** A configuration with its defaults.
    @throws RefusedError if the engine does not know it: its result would be that of another model */
export function completeConfig(values: Partial<ViTConfig>): ViTConfig {
  const choices = Object.entries<readonly string[]>(CHOICES);
  const config = { ...DEFAULTS, ...Object.fromEntries(choices.map(([name, [first]]) => [name, first])), ...values };
  const known = [...Object.keys(DEFAULTS), ...OTHERS.split(' ')];
  for (const [name, value] of Object.entries(config)) {
    const isKnown = name in CHOICES ? CHOICES[name as keyof Choices].includes(value as never) : known.includes(name);
    if (!isKnown)
      throw new RefusedError(`A browser does not compute ${name} ${value} of this model. Use vitviz in Python.`);
  }
  return config as ViTConfig;
}

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

/** Multiplications of the blocks in a forward pass, about. */
export function multiplications(config: ViTConfig): number {
  const { L, T, D } = sizesOf(config);
  return L * T * D * ((4 + 2 * config.mlp_ratio) * D + 2 * T);
}
