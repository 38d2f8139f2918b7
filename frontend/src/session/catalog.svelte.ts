/* Models, images and methods that can be chosen. */

import type { Catalog, MethodInfo, ModelInfo, Models } from '../lib/routes';

export class CatalogState {
  lists = $state.raw() as Catalog;

  constructor(lists: Catalog) {
    this.lists = lists;
  }

  /** Adopt newer lists of models and datasets. */
  update(lists: Models) {
    this.lists = { ...this.lists, ...lists };
  }

  method(key: string | null): MethodInfo | undefined {
    return this.lists.methods.find((method) => method.key === key);
  }

  model(name: string | null | undefined): ModelInfo | undefined {
    return this.lists.models.find((model) => model.name === name);
  }
}
