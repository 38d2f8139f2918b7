/* User actions on the image on screen. */

import type { Choices, Explorer, Mode, PatchMode } from './state.svelte';

/** Change the choices: clear notices, redraw, update the address. */
export declare function act(explorer: Explorer, change: Partial<Choices>, delay?: number): void;
/** Change what the pointer points at: redraw, but leave the address as it is. */
export declare function hover(explorer: Explorer, change: Partial<Choices>, delay?: number): void;
export declare function chooseHead(explorer: Explorer, layer: number, head: number, delay?: number): void;
export declare function queryClassToken(explorer: Explorer): void;
/** Pin or unpin a patch; with `add`, together with the patches pinned before. */
export declare function pinPatch(explorer: Explorer, patch: number, add: boolean): void;
/** Show a method large, or the heads if it is already shown. */
export declare function chooseMethod(explorer: Explorer, key: string): void;
/** Choose the class that class-specific methods explain. */
export declare function chooseClass(explorer: Explorer, k: number): void;
/** Choose the contrast class by its index as text; '' for none. */
export declare function chooseContrast(explorer: Explorer, text: string): void;
/** Change the ablated heads, the removed patches or their replacement, and fetch the new prediction. */
export declare function ablate(
  explorer: Explorer,
  change: Partial<Pick<Choices, 'ablated' | 'removed' | 'pins' | 'method'> & { mode: Mode; patch_mode: PatchMode }>,
): void;
/** Ablate or restore the selected head. */
export declare function toggleHead(explorer: Explorer): void;
/** Remove or restore a patch. */
export declare function togglePatch(explorer: Explorer, patch: number): void;
/** Restore all heads and patches; focus the selected tile, as the button disappears. */
export declare function restoreAll(explorer: Explorer): void;
/** Explain the image on screen with another model. */
export declare function showModel(explorer: Explorer, name: string): Promise<void>;
export declare function saveFigure(explorer: Explorer): Promise<void>;
export declare function copyLink(explorer: Explorer): Promise<void>;
