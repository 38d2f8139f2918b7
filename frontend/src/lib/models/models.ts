/* The model picker, loaded when it is first opened. */

import { flushSync, mount } from 'svelte';
import Dialog from './ModelDialog.svelte';
import { ModelPicker, type PickerPage } from './picker.svelte';

/** Mount the dialog in a page; the result opens it. */
export function mountPicker(target: Element, page: PickerPage): () => Promise<void> {
  const picker = new ModelPicker(page);
  mount(Dialog, { target, props: { picker } });
  flushSync(); // the element exists before the first opening
  return () => picker.open();
}
