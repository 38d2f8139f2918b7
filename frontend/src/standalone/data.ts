/* The lists of a page that has one model and no images to choose from. */

import type { Catalog, ExplorerData } from '../lib/routes';

export const catalogOf = (
  { model, methods, colors }: ExplorerData['data'],
  samples: Catalog['samples'] = [],
): Catalog => ({
  models: [model],
  cifar: { available: false, classes: [], message: '' },
  samples,
  photos: [],
  methods,
  maxBytes: 2 ** 27, // of a file that is opened in the page
  colors,
  public: true,
  static: true,
});
