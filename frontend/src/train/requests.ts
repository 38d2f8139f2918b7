/* Following a run, and polling while something runs. */

import type { ListsReply } from '../lib/api';
import type { TrainPage } from './state.svelte';

/** Show the lists and the view of the address; then listen to the window. */
export declare function start(page: TrainPage): void;

/** Show a run (runs/NAME) with its curves and timeline, or the timeline of a bundled checkpoint, by default the first.
    @param place index of the probe image
    @param at the snapshot; -1 is the last, by default the one on screen */
export declare function follow(page: TrainPage, wanted?: string, place?: number, at?: number): Promise<void>;

/** Follow the current run of a sweep, or wait for it. */
export declare function followNewest(page: TrainPage): void;

/** Apply the lists of a response: runs, sweeps, datasets. A response without them means no change. */
export declare function applyLists(page: TrainPage, reply: Partial<ListsReply>): void;

/** Schedule the next poll if the page is visible and something runs. */
export declare function wake(page: TrainPage): void;

export declare function poll(page: TrainPage): Promise<void>;

/** Request the new metrics of a run and append them to `page.curves`. */
export declare function fetchCurves(page: TrainPage, name: string): Promise<void>;
