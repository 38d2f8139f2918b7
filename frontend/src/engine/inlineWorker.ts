/* The script of the engine's workers; see modelEngine.ts. */

import { serve } from './worker';

const answer = serve((message) => self.postMessage(message));
self.onmessage = ({ data }) => answer(data);
