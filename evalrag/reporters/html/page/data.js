// Data stands in blocks of JSON, which are parsed when one of their rows is opened. Every text in
// it is untrusted: it gets onto the page through `node` alone, as text.
const index = JSON.parse(document.getElementById('data-index').textContent);
const rows = index.rows;
const [PAGES, TEXTS] = index.sizes;
const numberOf = new Map(rows.map((row, number) => [row.i, number]));
const blocks = new Map();

function block(name) {
  if (!blocks.has(name)) {
    blocks.set(name, JSON.parse(document.getElementById(`data-${name}`).textContent));
  }
  return blocks.get(name);
}

const pageOf = (number) => block(`pages-${Math.floor(number / PAGES)}`)[number % PAGES];

// [name] where the text is not kept; else [name, about, text].
const passageOf = (place) => block(`texts-${Math.floor(place / TEXTS)}`)[place % TEXTS];

const linkTo = (key) => `#row-${encodeURIComponent(key)}`;

function node(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === 'onclick') made.addEventListener('click', value);
    else if (name === 'class') made.className = value;
    else made.setAttribute(name, value === true ? '' : value);
  }
  for (const child of children.flat(9)) {
    if (child !== null && child !== undefined && child !== false && child !== '') made.append(child);
  }
  return made;
}

const said = (text) => node('bdi', null, text);
const counted = (n, noun) => `${n.toLocaleString('en')} ${noun}${n === 1 ? '' : 's'}`;
