/* Models, images and methods that can be chosen, on all pages. */

import { refusalOf } from './refused';
import type { Catalog, MethodInfo, ModelInfo } from './routes';
import { post } from './server';

const withOwn = (models: ModelInfo[], own: ModelInfo[]) => [
  ...models,
  ...own.filter(({ name }) => models.every((model) => model.name !== name)),
];

export class CatalogState {
  lists = $state.raw() as Catalog;
  #own: ModelInfo[] = [];

  constructor(lists: Catalog) {
    this.lists = lists;
  }

  /** Fetch newer lists of models and datasets: a training or another window may have changed them. */
  async refresh() {
    const lists = await post('models', {}).catch(refusalOf);
    if ('models' in lists) this.lists = { ...this.lists, ...lists, models: withOwn(lists.models, this.#own) };
  }

  /** Add a model that was taught on this page; a public server does not list it. */
  add(model: ModelInfo) {
    this.#own = withOwn([model], this.#own);
    this.lists = { ...this.lists, models: withOwn(this.lists.models, this.#own) };
  }

  method(key: string | null): MethodInfo | undefined {
    return this.lists.methods.find((method) => method.key === key);
  }

  model(name: string | null | undefined): ModelInfo | undefined {
    return this.lists.models.find((model) => model.name === name);
  }
}
