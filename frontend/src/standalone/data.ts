/* The lists of a page that has one model and no images to choose from. */

import type { Catalog, ExplorerData } from '../lib/routes';

export const catalogOf = ({ model, methods, colors }: ExplorerData['data']): Catalog => ({
  models: [model],
  cifar: { available: false, classes: [], message: '' },
  samples: [],
  photos: [],
  methods,
  maxBytes: 0,
  colors,
  public: true,
});
