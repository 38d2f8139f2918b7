/* State of the page: runs, the followed run, metrics, datasets. */

const EVERY = 1000; // ms between polls during a training or download
const RUNNING = ['training', 'stopping'];

let version = ''; // of the list of runs
let runs = null; // newest first; null before the first response
let data = null; // {available, image_folders, download}
let followed = null; // name of the run on screen; null if the timeline of a bundled checkpoint is shown
const curves = {}; // by run: {session, offset, lines}
let overlaid = []; // further runs whose curves are drawn

const runOf = (name) => runs?.find((run) => run.name === name);
const isTraining = (name) => RUNNING.includes(runOf(name)?.state);
const running = () => runs?.find((run) => RUNNING.includes(run.state));
const sourceOf = (run) => `runs/${run}`;
