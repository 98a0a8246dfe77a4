// The list of all rows: filtered in one pass, drawn fifty at a time.
const STEP = 50;
const body = document.querySelector('#rows tbody');
const FILTERS = ['change', 'answer', 'outcome', 'kind', 'stage', 'diagnosis', 'split', 'origin', 'cell'];
const field = (name) => document.getElementById(`filter-${name}`);
const order = rows.map((row, number) => number).sort((a, b) => rank(rows[a]) - rank(rows[b]));
let listed = order;
let drawn = 0;
let at = -1; // which of `listed` is chosen

function rank(row) {
  const change = index.changes.indexOf(row.c);
  const ended = ['fail', 'error', 'unresolved', 'pass'].indexOf(row.o);
  return (change < 0 ? 99 : change) * 10 + (ended < 0 ? 9 : ended);
}

function values(name, row) {
  switch (name) {
    case 'change': return [row.c];
    case 'answer': return [['same', 'changed'][row.a]];
    case 'outcome': return row.x ? [row.o, 'flaky'] : [row.o];
    case 'kind': return [row.k];
    case 'stage': return row.f.map((stage) => `${stage} fail`).concat(row.s);
    case 'diagnosis': return [row.d, ...row.w.map((code) => `warning ${code}`)];
    case 'split': return [row.sp];
    case 'origin': return [row.or];
    default: return [row.l];
  }
}

function fillFilters() {
  for (const name of FILTERS) {
    const counts = new Map();
    for (const row of rows) {
      for (const value of new Set(values(name, row))) {
        if (value) counts.set(value, (counts.get(value) || 0) + 1);
      }
    }
    const select = field(name);
    const items = [...counts].map(([value, n]) => node('option', { value }, `${value} (${n})`));
    select.replaceChildren(node('option', { value: '' }, 'all'), ...items);
    select.parentElement.hidden = counts.size < 2;
  }
}

function wordsOf(row) {
  if (row.words === undefined) row.words = `${row.i}\n${row.q}\n${row.t}\n${row.d}`.toLowerCase();
  return row.words;
}

function filter() {
  const asked = FILTERS.map((name) => [name, field(name).value]).filter((pair) => pair[1]);
  const words = field('text').value.toLowerCase().split(/\s+/).filter(Boolean);
  listed = order.filter((number) => {
    const row = rows[number];
    return asked.every(([name, value]) => values(name, row).includes(value))
      && words.every((word) => wordsOf(row).includes(word));
  });
  at = -1;
  drawn = 0;
  body.replaceChildren();
  drawMore();
  const all = listed.length === rows.length;
  document.getElementById('found').textContent = all
    ? counted(rows.length, 'row') : `${listed.length.toLocaleString('en')} of ${counted(rows.length, 'row')}`;
}

function drawMore() {
  const next = listed.slice(drawn, drawn + STEP);
  body.append(...next.map((number, place) => line(number, drawn + place)));
  drawn += next.length;
  const button = document.getElementById('more');
  button.hidden = drawn >= listed.length;
  button.textContent = `Show more (${(listed.length - drawn).toLocaleString('en')} left)`;
}

function line(number, place) {
  const row = rows[number];
  const outcome = row.b && row.b !== row.o ? [outcomeChip(row.b), ' → ', outcomeChip(row.o || 'gone')]
    : outcomeChip(row.o || 'gone');
  const stages = row.s.length ? row.s.map((said_) => said_.replace(` ${row.c}`, '')) : row.f.map((stage) => `${stage} fail`);
  return node('tr', { 'data-at': String(place) },
    node('th', { scope: 'row' }, node('a', { class: 'id', href: linkTo(row.i) }, said(row.i)),
      row.x ? [' ', node('span', { class: 'tag' }, 'flaky')] : null),
    node('td', null, row.c && changeChip(row.c)),
    node('td', null, row.k),
    node('td', null, stages.join(', ')),
    node('td', { class: 'value' }, outcome),
    node('td', null, row.d || row.w.map((code) => `warning ${code}`).join(', ')),
    node('td', null, said(row.q)));
}

function choose(place) {
  if (place < 0 || place >= listed.length) return;
  while (place >= drawn) drawMore();
  const before = body.querySelector('[aria-current]');
  if (before) before.removeAttribute('aria-current');
  at = place;
  const chosen = body.children[place];
  chosen.setAttribute('aria-current', 'true');
  const link = chosen.querySelector('a');
  link.focus({ preventScroll: true });
  chosen.scrollIntoView({ block: 'nearest' });
}
