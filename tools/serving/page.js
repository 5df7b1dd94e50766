'use strict';
// Sends the text to /translate while the reader types, and shows the answer with its attention weights. Texts from the server
// are inserted only as text nodes, never as HTML.
const at = (id) => document.getElementById(id);
let asked = 0, timer = 0, answer = null, shownNow = null, heatmap = null;

function pieces(text, tokens) {
  // Spans count code points, but JavaScript's strings count UTF-16 units. A rare Chinese character has two units.
  const points = Array.from(text), nodes = [];
  let end = 0;
  tokens.forEach(({token, span}, i) => {
    if (!span) return;
    nodes.push(document.createTextNode(points.slice(end, span[0]).join('')));
    const node = document.createElement('span');
    node.textContent = points.slice(span[0], span[1]).join('');
    node.dataset.index = i;
    nodes.push(node);
    end = span[1];
  });
  nodes.push(document.createTextNode(points.slice(end).join('')));
  return nodes;
}

function shade(weights) {
  for (const node of at('source').querySelectorAll('span')) {
    const weight = weights ? weights[node.dataset.index] : 0;
    node.className = weight < 0.05 ? '' : 'w' + Math.min(4, 1 + Math.floor(weight * 4));
    node.title = weights ? weight.toFixed(2) : '';
  }
}

// Shows the weight of a cell of the heat map, and shades the words of the cell's row. Without arguments, clears both.
function read(t, j) {
  const {source, target, weights} = shownNow.alignment, on = t !== undefined;
  at('weight').textContent = on ? `${target[t].token} → ${source[j].token}: ${weights[t][j].toFixed(2)}` : '';
  shade(on ? weights[t] : null);
}

function draw() {
  const {source, target, weights} = shownNow ? shownNow.alignment : {}, most = 40;
  const fits = weights && weights.length && source.length <= most && target.length <= most;
  at('alignment').hidden = !heatmap || !fits;
  at('weight').textContent = '';
  if (!heatmap || !fits) return;
  const name = document.querySelector('#alignment h2').textContent;
  heatmap.draw(target.map(({token}) => token), source.map(({token}) => token), weights, name);
}

function show(text, translation) {
  const {source, target, weights} = translation.alignment;
  shownNow = translation;
  draw();
  at('source').replaceChildren(...pieces(text, source));
  at('target').replaceChildren(...pieces(translation.text, target));
  for (const node of at('target').querySelectorAll('span')) {
    if (!weights) break;
    node.tabIndex = 0;
    for (const event of ['mouseenter', 'focus']) node.addEventListener(event, () => shade(weights[node.dataset.index]));
    for (const event of ['mouseleave', 'blur']) node.addEventListener(event, () => shade(null));
  }
}

async function call(path, body) {
  const headers = {'Content-Type': 'application/json'}, token = at('token').value;
  if (token) headers.Authorization = 'Bearer ' + token;
  const response = await fetch(path, body ? {method: 'POST', headers, body: JSON.stringify(body)} : {headers});
  const json = await response.json();
  if (!response.ok) throw new Error(json.error);
  return json;
}

async function translate() {
  const text = at('text').value, number = ++asked;
  at('error').textContent = '';
  if (!text.trim()) {
    for (const id of ['source', 'target', 'alternatives']) at(id).replaceChildren();
    shownNow = null;
    draw();
    return;
  }
  try {
    const body = {q: text, beam: 5, n_best: 5, alignments: true, scores: true};
    if (at('model').value) body.model = at('model').value;
    answer = await call('translate', body);
    if (number !== asked) return;  // the text has changed
    show(text, answer.translations[0]);
    at('alternatives').replaceChildren(...answer.translations.slice(1).map((other) => {
      const item = document.createElement('li'), button = document.createElement('button');
      button.type = 'button';
      button.textContent = other.text + ' (' + other.score.toFixed(2) + ')';
      button.addEventListener('click', () => show(text, other));
      item.append(button);
      return item;
    }));
  } catch (error) {
    if (number === asked) at('error').textContent = error.message;
  }
}

function speak(language) {
  document.documentElement.lang = language;
  for (const node of document.querySelectorAll('[data-en]')) node.textContent = node.dataset[language];
  at('language').textContent = language === 'en' ? '中文' : 'English';
}

async function list() {
  try {
    at('model').replaceChildren(...(await call('models')).map(({name}) => new Option(name, name)));
    at('error').textContent = '';
  } catch (error) {
    at('error').textContent = error.message;
  }
}

at('text').addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(translate, 150); });
at('model').addEventListener('change', translate);
at('token').addEventListener('change', async () => { await list(); translate(); });
at('language').addEventListener('click', () => speak(document.documentElement.lang === 'en' ? 'zh' : 'en'));
// The heat map is a part of the live page. Without it, the shaded words show the weights.
import('./heatmap.js').then(({Heatmap}) => {
  heatmap = new Heatmap(at('heatmap'), read, () => {});
  draw();
}, () => {});
speak(navigator.language.startsWith('zh') ? 'zh' : 'en');
list();
