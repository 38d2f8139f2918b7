/* Actions on runs and sweeps. */

import type { TrainPage } from './state.svelte';

/** Send a request that changes the lists. Returns whether it succeeded. */
export declare function change(page: TrainPage, name: 'stop' | 'delete' | 'resume_sweep' | 'cancel_download', argument: object): Promise<boolean>;
export declare function resumeRun(page: TrainPage, name: string): Promise<void>;
export declare function resumeSweep(page: TrainPage, name: string): Promise<void>;
export declare function renameRun(page: TrainPage, name: string, wanted: string): Promise<void>;
/** Returns whether it succeeded. */
export declare function deleteRun(page: TrainPage, name: string): Promise<boolean>;
export declare function downloadRun(page: TrainPage, name: string): Promise<void>;
/** Overlay the curves of a run on those of the followed one, or remove them. */
export declare function overlay(page: TrainPage, name: string, isOn: boolean): Promise<void>;
