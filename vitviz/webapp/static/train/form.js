/* The form: preset, hyperparameters, data and sweep, validated by Python while typing. */

const form = find('.form');
const startButton = find('.begin .button');
const refusalNode = find('.refusal'); // the first one; others are created and removed
const CHECK_DELAY = 250; // ms without typing before validation
const FOLDER_EPOCHS = 20; // default budget of image folders
const ESTIMATE_DELAY = 700; // ms before the speed is measured

let preset = null; // the chosen one
const DATASETS = { cifar10: 'CIFAR-10', cifar100: 'CIFAR-100' };
let nameIsEdited = false; // whether the user typed the name
let refusal = null; // {refused, field} of the current form
let unfit = ''; // why the chosen image folder cannot be trained on
let checks = 0; // number of checks; responses to all but the latest are dropped
const estimates = {}; // by request

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
  find('.groups').append(...catalog.settings.map(({ name, fields, about }) => {
    const group = make('fieldset', 'group');
    group.append(make('legend', '', name), ...Object.entries(fields).map(([key, words]) => {
      const label = make('label', 'field');
      label.dataset.field = key;
      label.title = about[key];
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

/** The value of a field: a number, null, or the text, which Python rejects. */
function valueOf(input) {
  const text = input.value.trim();
  if (input.tagName === 'SELECT') return text;
  if (text === '') return null;
  const plain = /^[1-9]\d{0,2}(,\d{3})+$/.test(text) ? text.replaceAll(',', '') : text.replace(',', '.'); // decimal comma
  const number = Number(plain);
  return Number.isNaN(number) ? text : number;
}

/** The settings that differ from the preset. */
function settings() {
  const changes = {};
  const { unit, budget, device, dataset, init_from, freeze_backbone } = form.elements;
  for (const input of inputs()) {
    if (init_from.value && input.dataset.setting.startsWith('model.')) continue; // fine-tuning keeps the network of the initial weights
    if (!input.closest('.field').hidden && valueOf(input) !== preset.settings[input.dataset.setting]) changes[input.dataset.setting] = valueOf(input);
  }
  const limit = valueOf(budget);
  if (limit == null || limit !== preset.settings[unit.value]) changes[unit.value] = limit ?? '';
  if (device.value !== preset.settings.device) changes.device = device.value;
  if (dataset.value !== preset.settings.dataset) changes.dataset = dataset.value;
  if (init_from.value && freeze_backbone.checked) changes.freeze_backbone = true;
  return changes;
}

function choosePreset(name) {
  preset = presetOf(name);
  form.elements.preset.value = name;
  restoreSettings();
  const unit = preset.settings.epochs == null ? 'minutes' : 'epochs';
  form.elements.unit.value = unit;
  form.elements.budget.value = preset.settings[unit];
  form.elements.device.value = preset.settings.device;
  suggestBudget();
  changeForm();
}

function restoreSettings() {
  for (const input of inputs()) input.value = preset.settings[input.dataset.setting] ?? '';
}

/** Replace the preset's budget when the unit changes; a typed budget stays. */
function changeUnit(unit) {
  const { budget } = form.elements;
  const before = unit === 'epochs' ? 'minutes' : 'epochs';
  if (valueOf(budget) === preset.settings[before]) budget.value = preset.settings[unit] ?? '';
}

let suggested = false; // whether the budget is the default of image folders

/** Suggest epochs in place of the preset's minutes for an image folder, as these are usually small. */
function suggestBudget() {
  const { unit, budget, dataset } = form.elements;
  const isFolder = dataset.value === 'folder';
  if (isFolder && unit.value === 'minutes' && valueOf(budget) === preset.settings.minutes) {
    [unit.value, budget.value] = ['epochs', FOLDER_EPOCHS];
    suggested = true;
  } else if (!isFolder && suggested && unit.value === 'epochs' && valueOf(budget) === FOLDER_EPOCHS) {
    [unit.value, budget.value] = ['minutes', preset.settings.minutes];
    suggested = false;
  }
}

/** A name that no run and no sweep has. */
function freeName() {
  const stem = preset.name.replace(/^cifar10-/, '');
  const taken = (name) => runOf(name) || sweeps.some((sweep) => sweep.name === name);
  let number = 1;
  while (taken(`${stem}-${number}`)) number++;
  return `${stem}-${number}`;
}

/** Suggest a name unless the user typed one or is typing. */
function suggestName() {
  const { name } = form.elements;
  if (!nameIsEdited && runs && preset && !name.matches(':focus')) name.value = freeName();
}

function formQuery() {
  const { init_from, image_folder, dataset, name } = form.elements;
  const vary = varies();
  const query = { preset: preset.name, settings: settings(), name: name.value.trim() };
  if (vary.length) query.vary = vary;
  if (init_from.value) query.init_from = init_from.value;
  if (dataset.value === 'folder') query.image_folder = image_folder.value;
  return query;
}

// --- checking ---

/** On each change: update the dependent fields, and validate after a pause. */
function changeForm() {
  suggestName();
  const isMuon = form.querySelector('[data-setting=optimizer]').value === 'muon';
  const shows = { 'model.pos_drop_rate': !preset.plain, 'model.drop_path_rate': preset.plain, muon_lr: isMuon };
  for (const [key, isShown] of Object.entries(shows)) find(`[data-field="${key}"]`).hidden = !isShown;
  syncOther();
  syncVary();
  const changes = Object.keys(settings()).filter((key) => inputs().some((input) => input.dataset.setting === key));
  setText(find('.hyperparameters .changes'), changes.length ? `: ${counted(changes.length, 'change', 'changes')}` : '');
  find('[data-do=reset]').disabled = !changes.length;
  for (const input of inputs()) input.closest('.field').classList.toggle('changed', changes.includes(input.dataset.setting));
  delete root.dataset.checked;
  clearTimeout(estimateSoon.timer);
  clearTimeout(changeForm.timer);
  changeForm.timer = setTimeout(checkForm, CHECK_DELAY);
}

async function checkForm() {
  const mine = ++checks;
  const query = formQuery();
  const isNamed = query.image_folder !== ''; // without an image folder there is nothing to check
  const reply = isNamed ? await request('check', query) : null;
  if (mine !== checks) return;
  const failed = isNamed && !reply ? NO_ANSWER : reply?.error;
  refusal = failed ? { refused: failed, field: null } : reply?.refused ? reply : null;
  showRefusal();
  if (refusal || !isNamed) fillPlan({ Time: '' });
  else drawPlan(reply);
  syncStart();
  root.dataset.checked = refusal ? 'refused' : isNamed ? 'fits' : 'empty';
  if (refusal || !isNamed) return;
  if (query.image_folder && query.image_folder !== surveyed) showSurvey();
  else estimateSoon(query);
}

/** Mark the invalid field and show the error below it. */
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

let trainings = 1; // number of runs in the current form

function drawPlan({ parameters, tokens, grid, prefix, trainings: count }) {
  trainings = count;
  const [rows, columns] = grid;
  const cut = find('.cut');
  cut.style.setProperty('--rows', rows);
  cut.style.setProperty('--columns', columns);
  if (!cut.firstElementChild.src) cut.firstElementChild.src = catalog.image;
  const others = ['', ' + class token'][prefix] ?? ` + ${prefix} prefix tokens`;
  const patches = `${rows}${SPACE}×${SPACE}${columns} patches${others}`;
  fillPlan({ Parameters: thousands(parameters), Tokens: `${tokens}: ${patches}`, Time: 'measuring…' });
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

// --- time estimates ---

function estimateSoon(query) {
  clearTimeout(estimateSoon.timer);
  estimateSoon.timer = setTimeout(() => estimateNow(query), estimates[keyOf(query)] ? 0 : ESTIMATE_DELAY);
}

const keyOf = ({ preset, settings: changes, init_from, image_folder }) => JSON.stringify([preset, changes, init_from, image_folder]);

async function estimateNow(query) {
  const mine = checks;
  const found = await estimateOf(query);
  if (mine !== checks || refusal) return;
  if (unfit) return fillPlan({ Time: '' });
  fillPlan({ Time: found.error ?? timeWords(found) });
  root.dataset.estimated = keyOf(query);
}

/** The estimate of a request, cached unless it failed. */
async function estimateOf(query) {
  const key = keyOf(query);
  const found = estimates[key] ?? (await request('estimate', query)) ?? { error: NO_ANSWER };
  if (!found.error && !running()) estimates[key] = found;
  return found;
}

function timeWords({ seconds, epochs, images_per_second: speed }) {
  const length = form.elements.unit.value === 'epochs' ? short(epochs) : roundTo2(epochs); // a typed number of epochs is exact
  const one = `about ${duration(seconds)} for ${inEpochs(thousands(length))}, at ${roundTo2(speed)} images/s`;
  return trainings > 1 ? `about ${duration(trainings * seconds)}: ${trainings} times ${one}` : one;
}

/** Estimate all presets, one after another, for the numbers next to them. */
async function estimatePresets() {
  for (const { name, parameters } of catalog.presets) {
    const found = await estimateOf({ preset: name, settings: {} });
    if (running()) return;
    if (found.error) continue;
    const length = presetOf(name).settings.epochs == null ? `${inEpochs(roundTo2(found.epochs))} in ${duration(found.seconds)}` : `about ${duration(found.seconds)}`;
    setText(find(`[data-preset="${name}"]`), `${millions(parameters)}, ${length}`);
  }
}

// --- starting ---

function syncStart() {
  const busy = running() ?? sweepRunning();
  startButton.disabled = Boolean(busy || refusal || unfit || !dataIsAvailable());
  const why = busy ? `One training at a time: ${busy.name} is ${busy.state}.` : refusal ? 'One field is invalid.' : data && !dataIsAvailable() ? (form.elements.dataset.value === 'folder' ? 'No image folder selected.' : 'Dataset not downloaded.') : unfit ? 'These images cannot be trained on.' : 'Training continues if you close this page.';
  setText(find('.begin .note'), why);
}

const dataIsAvailable = () => Boolean(data && (form.elements.dataset.value === 'folder' ? form.elements.image_folder.value : data.available[form.elements.dataset.value]));

/** Show the missing dataset: the sentence, the download button and its progress. */
function syncData() {
  const wanted = form.elements.dataset.value;
  const absent = find('.absent');
  const { dataset, running: isDownloading, progress, message } = data.download;
  absent.hidden = wanted === 'folder' || (data.available[wanted] && !isDownloading);
  if (absent.hidden) return;
  const failed = message && dataset === wanted;
  const name = DATASETS[isDownloading ? dataset : wanted];
  setText(absent.querySelector('.sentence'), failed ? message : isDownloading ? `Downloading ${name}. Its checksum is verified before use.` : `Training needs ${name}, which is not downloaded. It will be saved in ${catalog.folder}.`);
  absent.classList.toggle('failed', Boolean(failed));
  find('[data-do=download]').hidden = isDownloading;
  setText(find('[data-do=download]'), `Download ${name} (170 MB)`);
  find('[data-do=cancel]').hidden = !isDownloading;
  find('.downloading').hidden = !isDownloading;
  fillProgress(find('.downloading .progress'), progress);
  setText(find('.downloaded'), `${Math.round(170 * progress)} of 170 MB`);
}

// --- dataset and initial weights ---

/** Fill the lists of image folders and of initial weights. */
function fillOther() {
  fillSelect(form.elements.image_folder, data.image_folders.map((name) => [name, name]));
  const models = [...catalog.models, ...runs.filter(({ explorable }) => explorable).map(({ name }) => sourceOf(name))];
  fillSelect(form.elements.init_from, [['random weights', ''], ...models.map((name) => [name, name])]);
}

function fillSelect(select, options) {
  const key = JSON.stringify(options);
  if (select.dataset.options === key) return;
  select.dataset.options = key;
  const { value } = select;
  select.replaceChildren(...options.map(([text, name]) => new Option(text, name)));
  if (options.some(([, name]) => name === value)) select.value = value;
}

function syncOther() {
  const { dataset, init_from, freeze_backbone } = form.elements;
  const isFolder = dataset.value === 'folder';
  find('.image-folder').hidden = !isFolder;
  find('[data-field=image_folder]').hidden = !data?.image_folders.length;
  find('.no-folder').hidden = Boolean(data?.image_folders.length);
  setText(find('.about-data'), `${isFolder ? 'Image folder.' : `${DATASETS[dataset.value]}: 50,000 training and 10,000 test images.`} Next to each preset: parameters and estimated training time${isFolder ? ' on CIFAR-10' : ''}.`);
  find('[data-field=freeze_backbone]').hidden = !init_from.value;
  if (!init_from.value) freeze_backbone.checked = false;
  const words = [dataset.value !== 'cifar10' && (DATASETS[dataset.value] ?? 'image folder'), init_from.value].filter(Boolean);
  setText(find('.dataset .changes'), words.length ? `: ${words.join(', from ')}` : '');
  for (const input of inputs()) input.disabled = Boolean(init_from.value) && input.dataset.setting.startsWith('model.');
  if (data) syncData();
}

let surveys = 0;
let surveyed = ''; // the image folder that was, or is being, read

/** Show which images of a folder are used and which are rejected. */
async function showSurvey() {
  const box = find('.survey');
  const query = formQuery();
  const mine = ++surveys;
  unfit = '';
  surveyed = query.image_folder ?? '';
  syncStart();
  if (!query.image_folder) return box.replaceChildren();
  box.replaceChildren(make('p', 'note', 'Reading the images…'));
  const reply = await request('survey', query);
  if (mine !== surveys) return;
  if (!reply || reply.error) {
    surveyed = ''; // read again once the form is valid
    fillPlan({ Time: '' });
    return refuseImages(reply?.error || NO_ANSWER);
  }
  unfit = reply.problem;
  syncStart();
  const parts = unfit ? [make('p', 'refusal', unfit)] : [];
  if (reply.counts) parts.push(...surveyParts(reply));
  box.replaceChildren(...parts);
  setText(voice, unfit || surveyWords(reply));
  if (!refusal) checkForm(); // the numbers of images and classes are known now
}

function refuseImages(sentence) {
  find('.survey').replaceChildren(make('p', 'refusal', sentence));
  setText(voice, sentence);
}

const surveyWords = ({ counts, refused, more }) => `${counted(counts.length, 'class', 'classes')} of images. ${counted(refused.length + more, 'file was', 'files were')} rejected.`;

function surveyParts({ counts, refused, more, divided }) {
  const parts = counts.length ? [countsTable(counts)] : [];
  const empty = counts.filter(([, train]) => !train).map(([label]) => label);
  if (empty.length && empty.length < counts.length) parts.push(make('p', 'note', `Ignored, without training images: ${empty.join(', ')}.`));
  if (divided && empty.length < counts.length) parts.push(make('p', 'note', 'Without a test folder a fifth of each class is held out for validation.'));
  if (refused.length) parts.push(make('p', 'note', `${counted(refused.length + more, 'file was', 'files were')} rejected:`), refusedList(refused, more));
  return parts;
}

/** A table row of numbers, with text in column `words`. */
function tableRow(tag, cells, words) {
  const line = make('tr');
  line.append(...cells.map((text, i) => make(tag, i === words ? '' : 'number', text)));
  return line;
}

function countsTable(counts) {
  const all = make('table');
  const [head, body] = [make('thead'), make('tbody')];
  head.append(tableRow('th', ['Class', 'Training', 'Test'], 0));
  body.append(...counts.map((cells) => tableRow('td', cells, 0)));
  all.append(head, body);
  return all;
}

/** List the rejected files by reason. */
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

function fillProgress(bar, progress) {
  bar.setAttribute('aria-valuenow', Math.round(100 * progress));
  bar.firstElementChild.style.width = `${100 * progress}%`;
}
