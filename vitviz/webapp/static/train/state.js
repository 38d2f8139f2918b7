/* What is known: the runs, the one that is followed, its metrics, the form, the timeline. */

const EVERY = 1000; // ms between polls while something runs
const RUNNING = ['training', 'stopping'];

let version = ''; // of the list of runs
let runs = null; // as Python lists them, newest first; null before the first answer
let data = null; // {here, own, fetch}
let followed = null; // name of the run whose state is shown; null: none, a timeline that ships is on screen
const curves = {}; // by name of a run: {session, offset, lines}
let overlaid = []; // names of runs whose curves are drawn beside

const runOf = (name) => runs?.find((run) => run.name === name);
const isTraining = (name) => RUNNING.includes(runOf(name)?.state);
const running = () => runs?.find((run) => RUNNING.includes(run.state));
const sourceOf = (run) => `runs/${run}`;
