import { expect, test } from 'vitest';
import { completeConfig, type ViTConfig } from './vitConfig';

test('a configuration that the engine does not compute is refused, and a known one has its defaults', () => {
  expect(completeConfig({ depth: 2 })).toMatchObject({ depth: 2, architecture: 'vit', act_layer: 'gelu' });
  for (const [name, value] of Object.entries({
    act_layer: 'mish',
    rope_type: 'spiral',
    global_pool: 'gem',
    moe: true,
  })) {
    expect(() => completeConfig({ [name]: value } as Partial<ViTConfig>)).toThrow(`${name} ${value}`);
  }
});
