/* The form: a recipe, own settings, and what they would make, checked by Python while one types. */

const form = find('.form');
const startButton = find('.begin .button');
const refusalNode = find('.refusal'); // others of this class come and go
const SETTLE = 250; // ms without typing until Python is asked
const OWN_EPOCHS = 20;
const CALM = 700; // ms until this machine is measured

let recipe = null; // the chosen preset
const DATASETS = { cifar10: 'CIFAR-10', cifar100: 'CIFAR-100' };
let nameIsOwn = false; // whether the visitor wrote the name
let refusal = null; // {refused, field} of the form as it is
let unfit = ''; // why nothing can be learned from the chosen images of one's own
let checks = 0; // the newest check wins
const expected = {}; // estimates by what was asked

const presetOf = (name) => catalog.presets.find((preset) => preset.name === name);
const inputs = () => [...form.querySelectorAll('[data-setting]')];

// --- building ---

function buildPresets() {
  find('.presets').append(...catalog.presets.map((preset) => {
    const label = make('label', 'preset');
    const radio = make('input');
    Object.assign(radio, { type: 'radio', name: 'preset', value: preset.name });
    const size = make('span', 'size', millions(preset.parameters));
    size.dataset.preset = preset.name;
    label.append(radio, make('b', '', preset.name), size, make('span', 'about', preset.about));
    return label;
  }));
}

function buildSettings() {
  find('.groups').append(...catalog.settings.map(({ name, fields }) => {
    const group = make('fieldset', 'group');
    group.append(make('legend', '', name), ...Object.entries(fields).map(([key, words]) => {
      const label = make('label', 'field');
      label.dataset.field = key;
      const choices = catalog.choices[key];
      const input = make(choices ? 'select' : 'input', choices ? 'button' : '');
      if (choices) input.append(...choices.map((choice) => new Option(choice, choice)));
      else Object.assign(input, { inputMode: 'decimal', autocomplete: 'off' });
      input.dataset.setting = key;
      label.append(make('span', '', words), input);
      return label;
    }));
    return group;
  }));
}

// --- values ---

/** What a field holds: a number, nothing, or the words as they are, which Python will refuse. */
function valueOf(input) {
  const text = input.value.trim();
  if (input.tagName === 'SELECT') return text;
  if (text === '') return null;
  const plain = /^[1-9]\d{0,2}(,\d{3})+$/.test(text) ? text.replaceAll(',', '') : text.replace(',', '.'); // as many write it
  const number = Number(plain);
  return Number.isNaN(number) ? text : number;
}

/** The settings that differ from the recipe. */
function settings() {
  const own = {};
  const { unit, budget, device, dataset, start, frozen } = form.elements;
  for (const input of inputs()) {
    if (start.value && input.dataset.setting.startsWith('model.')) continue; // the network is that of the model it starts from
    if (!input.closest('.field').hidden && valueOf(input) !== recipe.settings[input.dataset.setting]) own[input.dataset.setting] = valueOf(input);
  }
  const length = valueOf(budget);
  if (length == null || length !== recipe.settings[unit.value]) own[unit.value] = length ?? '';
  if (device.value !== recipe.settings.device) own.device = device.value;
  if (dataset.value !== recipe.settings.dataset) own.dataset = dataset.value;
  if (start.value && frozen.checked) own.frozen = true;
  return own;
}

function choosePreset(name) {
  recipe = presetOf(name);
  form.elements.preset.value = name;
  restoreSettings();
  const unit = recipe.settings.epochs == null ? 'minutes' : 'epochs';
  form.elements.unit.value = unit;
  form.elements.budget.value = recipe.settings[unit];
  form.elements.device.value = recipe.settings.device;
  suggestLength();
  changeForm();
}

function restoreSettings() {
  for (const input of inputs()) input.value = recipe.settings[input.dataset.setting] ?? '';
}

/** In another unit the recipe's own length means nothing; one that was typed stays. */
function changeUnit(unit) {
  const { budget } = form.elements;
  const before = unit === 'epochs' ? 'minutes' : 'epochs';
  if (valueOf(budget) === recipe.settings[before]) budget.value = recipe.settings[unit] ?? '';
}

let suggested = false; // whether the length is the one for people's own images

/** People's own images are few and need no hours: passes are suggested in place of the recipe's minutes. */
function suggestLength() {
  const { unit, budget, dataset } = form.elements;
  const isOwn = dataset.value === 'folder';
  if (isOwn && unit.value === 'minutes' && valueOf(budget) === recipe.settings.minutes) {
    [unit.value, budget.value] = ['epochs', OWN_EPOCHS];
    suggested = true;
  } else if (!isOwn && suggested && unit.value === 'epochs' && valueOf(budget) === OWN_EPOCHS) {
    [unit.value, budget.value] = ['minutes', recipe.settings.minutes];
    suggested = false;
  }
}

/** A name that no run and no experiment has yet. */
function freeName() {
  const stem = recipe.name.replace(/^cifar10-/, '');
  const taken = (name) => runOf(name) || sweeps.some((sweep) => sweep.name === name);
  let number = 1;
  while (taken(`${stem}-${number}`)) number++;
  return `${stem}-${number}`;
}

/** A name as long as the visitor wrote none, but not while one is being written. */
function suggestName() {
  const { name } = form.elements;
  if (!nameIsOwn && runs && recipe && !name.matches(':focus')) name.value = freeName();
}

function question() {
  const { start, own, dataset, name } = form.elements;
  const vary = varies();
  const asked = { preset: recipe.name, settings: settings(), name: name.value.trim() };
  if (vary.length) asked.vary = vary;
  if (start.value) asked.start = start.value;
  if (dataset.value === 'folder') asked.own = own.value;
  return asked;
}

// --- checking ---

/** After each change: show what belongs to it, and ask Python once the typing rests. */
function changeForm() {
  suggestName();
  const isMuon = form.querySelector('[data-setting=optimizer]').value === 'muon';
  const shows = { 'model.pos_drop_rate': !recipe.plain, 'model.drop_path_rate': recipe.plain, muon_lr: isMuon };
  for (const [key, isShown] of Object.entries(shows)) find(`[data-field="${key}"]`).hidden = !isShown;
  syncOther();
  syncVary();
  const own = Object.keys(settings()).filter((key) => inputs().some((input) => input.dataset.setting === key));
  setText(find('.numbers .own-count'), own.length ? `: ${counted(own.length, 'change', 'changes')}` : '');
  find('[data-do=reset]').disabled = !own.length;
  for (const input of inputs()) input.closest('.field').classList.toggle('changed', own.includes(input.dataset.setting));
  delete root.dataset.checked;
  clearTimeout(expectSoon.timer);
  clearTimeout(changeForm.timer);
  changeForm.timer = setTimeout(checkForm, SETTLE);
}

async function checkForm() {
  const mine = ++checks;
  const asked = question();
  const isNamed = asked.own !== ''; // without images to choose from there is nothing to check
  const reply = isNamed ? await ask('check', asked) : null;
  if (mine !== checks) return;
  const failed = isNamed && !reply ? NO_ANSWER : reply?.error;
  refusal = failed ? { refused: failed, field: null } : reply?.refused ? reply : null;
  showRefusal();
  if (refusal || !isNamed) fillPlan({ Time: '', Memory: '' });
  else drawPlan(reply);
  syncStart();
  root.dataset.checked = refusal ? 'refused' : isNamed ? 'fits' : 'empty';
  if (refusal || !isNamed) return;
  if (asked.own && asked.own !== surveyed) showSurvey();
  else expectSoon(asked);
}

/** Mark the field that does not fit, with Python's own sentence under it. */
function showRefusal() {
  for (const field of findAll('.refused')) {
    field.classList.remove('refused');
    for (const control of field.querySelectorAll('input, select')) control.removeAttribute('aria-invalid');
  }
  refusalNode.hidden = !refusal;
  if (!refusal) return;
  setText(refusalNode, refusal.refused);
  const key = ['epochs', 'minutes'].includes(refusal.field) ? 'budget' : refusal.field;
  const field = key && find(`[data-field="${key}"]`);
  if (!field) return find('.begin').before(refusalNode);
  field.classList.add('refused');
  for (const control of field.querySelectorAll('input, select')) control.setAttribute('aria-invalid', 'true');
  field.after(refusalNode);
  if (field.closest('details')) field.closest('details').open = true;
}

let trainings = 1; // in the form as it is

function drawPlan({ parameters, tokens, grid, prefix, trainings: count }) {
  trainings = count;
  const [rows, columns] = grid;
  const cut = find('.cut');
  cut.style.setProperty('--rows', rows);
  cut.style.setProperty('--columns', columns);
  if (!cut.firstElementChild.src) cut.firstElementChild.src = catalog.image;
  const others = ['', ' and the class token'][prefix] ?? ` and ${prefix} others`;
  const patches = `${rows}${SPACE}×${SPACE}${columns} patches${others}`;
  fillPlan({ Parameters: thousands(parameters), Tokens: `${tokens}: ${patches}`, Time: 'measuring…', Memory: 'measuring…' });
}

function fillPlan(values) {
  const list = find('.plan dl');
  for (const [name, value] of Object.entries(values)) {
    let entry = list.querySelector(`[data-name="${name}"]`);
    if (!entry) {
      entry = make('dd');
      entry.dataset.name = name;
      list.append(make('dt', '', name), entry);
    }
    setText(entry, value);
  }
}

// --- what it would take ---

function expectSoon(asked) {
  clearTimeout(expectSoon.timer);
  expectSoon.timer = setTimeout(() => expectNow(asked), expected[keyOf(asked)] ? 0 : CALM);
}

const keyOf = ({ preset, settings: own, start, own: images }) => JSON.stringify([preset, own, start, images]);

async function expectNow(asked) {
  const mine = checks;
  const found = await estimateOf(asked);
  if (mine !== checks || refusal) return;
  if (unfit) return fillPlan({ Time: '', Memory: '' });
  fillPlan({ Time: found.error ?? timeWords(found), Memory: found.error ? '' : memoryWords(found) });
  root.dataset.expected = keyOf(asked);
}

/** What is told beside a training is rough, and asked again. */
async function estimateOf(asked) {
  const key = keyOf(asked);
  const found = expected[key] ?? (await ask('estimate', asked)) ?? { error: NO_ANSWER };
  if (!found.error && !running()) expected[key] = found;
  return found;
}

function timeWords({ seconds, epochs, images_per_second: speed }) {
  const length = form.elements.unit.value === 'epochs' ? short(epochs) : rough(epochs); // what was typed stays as it is
  const one = `about ${duration(seconds)} for ${inEpochs(thousands(length))}, at ${rough(speed)} images/s`;
  return trainings > 1 ? `about ${duration(trainings * seconds)}: ${trainings} times ${one}` : one;
}

const memoryWords = ({ memory }) => `about ${(memory / 1e9).toFixed(1)}${SPACE}GB`;

/** Measure the recipes one after another, for the numbers beside them. */
async function expectPresets() {
  for (const { name, parameters } of catalog.presets) {
    const found = await estimateOf({ preset: name, settings: {} });
    if (running()) return;
    if (found.error) continue;
    const length = presetOf(name).settings.epochs == null ? `${inEpochs(rough(found.epochs))} in ${duration(found.seconds)}` : `about ${duration(found.seconds)}`;
    setText(find(`[data-preset="${name}"]`), `${millions(parameters)}, ${length}`);
  }
}

// --- starting ---

function syncStart() {
  const busy = running() ?? sweepRunning();
  startButton.disabled = Boolean(busy || refusal || unfit || !dataIsHere());
  const why = busy ? `One training at a time: ${busy.name} is ${busy.state}.` : refusal ? 'One field does not fit.' : data && !dataIsHere() ? 'The images are not here yet.' : unfit ? 'Nothing can be learned from these images.' : 'You may close the page while it trains.';
  setText(find('.begin .note'), why);
}

const dataIsHere = () => Boolean(data && (form.elements.dataset.value === 'folder' ? form.elements.own.value : data.here[form.elements.dataset.value]));

/** The data set that is wanted and not here: the sentence, the button that fetches it, how far it is. */
function syncData() {
  const wanted = form.elements.dataset.value;
  const absent = find('.absent');
  const { dataset, running: isFetching, share, message } = data.fetch;
  absent.hidden = wanted === 'folder' || (data.here[wanted] && !isFetching);
  if (absent.hidden) return;
  const failed = message && dataset === wanted;
  const name = DATASETS[isFetching ? dataset : wanted];
  setText(absent.querySelector('.sentence'), failed ? message : isFetching ? `Fetching ${name}. It is checked before it is put in place.` : `${name} is not on this computer yet: training needs it. It will lie in ${catalog.folder}.`);
  absent.classList.toggle('failed', Boolean(failed));
  find('[data-do=fetch]').hidden = isFetching;
  setText(find('[data-do=fetch]'), `Fetch ${name} (170 MB)`);
  find('[data-do=call-off]').hidden = !isFetching;
  find('.fetching').hidden = !isFetching;
  fillProgress(find('.fetching .progress'), share);
  setText(find('.fetched'), `${Math.round(170 * share)} of 170 MB`);
}

// --- other images, other weights ---

/** Fill the lists that change: own images, and models to start from. */
function fillOther() {
  fillSelect(form.elements.own, data.own.map((name) => [name, name]));
  const models = [...catalog.models, ...runs.filter(({ explored }) => explored).map(({ name }) => sourceOf(name))];
  fillSelect(form.elements.start, [['random weights', ''], ...models.map((name) => [name, name])]);
}

function fillSelect(select, options) {
  const words = JSON.stringify(options);
  if (select.dataset.words === words) return;
  select.dataset.words = words;
  const { value } = select;
  select.replaceChildren(...options.map(([text, name]) => new Option(text, name)));
  if (options.some(([, name]) => name === value)) select.value = value;
}

function syncOther() {
  const { dataset, start, frozen } = form.elements;
  const isOwn = dataset.value === 'folder';
  find('.own-images').hidden = !isOwn;
  find('[data-field=own]').hidden = !data?.own.length;
  find('.no-own').hidden = Boolean(data?.own.length);
  setText(find('.about-data'), `${isOwn ? 'Your own images.' : `${DATASETS[dataset.value]}: 50,000 images to learn from, 10,000 to test on.`} Beside each recipe: parameters and the time to expect here${isOwn ? ' with CIFAR-10' : ''}.`);
  find('[data-field=frozen]').hidden = !start.value;
  if (!start.value) frozen.checked = false;
  const words = [dataset.value !== 'cifar10' && (DATASETS[dataset.value] ?? 'your own images'), start.value].filter(Boolean);
  setText(find('.other .own-count'), words.length ? `: ${words.join(', from ')}` : '');
  for (const input of inputs()) input.disabled = Boolean(start.value) && input.dataset.setting.startsWith('model.');
  if (data) syncData();
}

let surveys = 0;
let surveyed = ''; // whose images are, or are being, looked through

/** What would be taken of one's own images, and what not. */
async function showSurvey() {
  const box = find('.survey');
  const asked = question();
  const mine = ++surveys;
  unfit = '';
  surveyed = asked.own ?? '';
  syncStart();
  if (!asked.own) return box.replaceChildren();
  box.replaceChildren(make('p', 'note', 'Reading the images…'));
  const reply = await ask('survey', asked);
  if (mine !== surveys) return;
  if (!reply || reply.error) {
    surveyed = ''; // asked again once all fits
    fillPlan({ Time: '', Memory: '' });
    return refuseImages(reply?.error || NO_ANSWER);
  }
  unfit = reply.problem;
  syncStart();
  const parts = unfit ? [make('p', 'refusal', unfit)] : [];
  if (reply.counts) parts.push(...surveyParts(reply));
  box.replaceChildren(...parts);
  setText(voice, unfit || surveyWords(reply));
  if (!refusal) checkForm(); // how many there are, of how many classes, is known only now
}

function refuseImages(sentence) {
  find('.survey').replaceChildren(make('p', 'refusal', sentence));
  setText(voice, sentence);
}

const surveyWords = ({ counts, refused, more }) => `${counted(counts.length, 'class', 'classes')} of images. ${counted(refused.length + more, 'file was', 'files were')} not taken.`;

function surveyParts({ counts, refused, more, divided }) {
  const parts = counts.length ? [countsTable(counts)] : [];
  const empty = counts.filter(([, train]) => !train).map(([label]) => label);
  if (empty.length && empty.length < counts.length) parts.push(make('p', 'note', `Left out, without an image to train on: ${empty.join(', ')}.`));
  if (divided && empty.length < counts.length) parts.push(make('p', 'note', 'There is no folder to test on: a fifth of each class is put aside.'));
  if (refused.length) parts.push(make('p', 'note', `${counted(refused.length + more, 'file was', 'files were')} not taken:`), refusedList(refused, more));
  return parts;
}

/** A row of numbers beside the words at place `words`. */
function tableRow(tag, cells, words) {
  const line = make('tr');
  line.append(...cells.map((text, i) => make(tag, i === words ? '' : 'number', text)));
  return line;
}

function countsTable(counts) {
  const all = make('table');
  const [head, body] = [make('thead'), make('tbody')];
  head.append(tableRow('th', ['Class', 'to train on', 'to test on'], 0));
  body.append(...counts.map((cells) => tableRow('td', cells, 0)));
  all.append(head, body);
  return all;
}

/** Each reason once, after the files that it is about. */
function refusedList(refused, more) {
  const list = make('ul', 'not-taken');
  const byReason = Object.entries(Object.groupBy(refused, ([, why]) => why));
  list.append(...byReason.map(([why, files]) => {
    const item = make('li');
    item.append(make('b', '', files.map(([name]) => name).join(', ')), `: ${why}`);
    return item;
  }));
  if (more) list.append(make('li', '', `And ${more} more.`));
  return list;
}

function fillProgress(bar, share) {
  bar.setAttribute('aria-valuenow', Math.round(100 * share));
  bar.firstElementChild.style.width = `${100 * share}%`;
}
