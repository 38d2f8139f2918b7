/* What stands for `lib/server.ts` in a saved file and a notebook, which have none: nothing is sent. */

import type { Refusal } from '../lib/routes';

export const NO_RESPONSE = 'This needs a running vitviz.';
export const post = async (): Promise<Refusal> => refusal;
export const stream = post;
export const upload = post;
export const isRefusal = (reply: unknown): reply is Refusal => reply === refusal;

const refusal: Refusal = { field: '', problem: NO_RESPONSE, hint: '', error: NO_RESPONSE, busy: false };
