// One address a row, so that a link to a file opens the row that it names; and the keys.
const overview = document.getElementById('overview');
let scrolled = 0;
let open = -1;

function asked() {
  const hash = location.hash;
  if (!hash.startsWith('#row-')) return -1;
  try {
    const number = numberOf.get(decodeURIComponent(hash.slice(5)));
    return number === undefined ? -1 : number;
  } catch {
    return -1;
  }
}

function show() {
  const number = asked();
  if (number === open) return;
  if (open < 0) scrolled = window.scrollY;
  const left = open;
  open = number;
  overview.hidden = number >= 0;
  article.hidden = number < 0;
  if (number >= 0) {
    drawRow(number);
    window.scrollTo(0, 0);
    article.querySelector('h1').focus({ preventScroll: true });
    return;
  }
  article.replaceChildren();
  const place = listed.indexOf(left);
  if (place >= 0 && place < drawn) choose(place);
  window.scrollTo(0, scrolled);
}

function backBar(number) {
  const place = listed.indexOf(number);
  const step = (by, word) => {
    const other = listed[(place < 0 ? 0 : place) + by];
    return node('button', { type: 'button', disabled: place < 0 || other === undefined, onclick: () => openRow(other) }, word);
  };
  return node('nav', { class: 'back', 'aria-label': 'Rows' },
    node('button', { type: 'button', onclick: back }, '← Report (Esc)'), step(-1, 'Row before (k)'), step(1, 'Next row (j)'),
    place >= 0 ? node('span', null, `${place + 1} of ${counted(listed.length, 'row')}`) : null);
}

function openRow(number) {
  if (number !== undefined) location.hash = linkTo(rows[number].i);
}

function back() {
  history.pushState(null, '', location.pathname + location.search);
  show();
}

function step(by) {
  if (open >= 0) {
    const place = listed.indexOf(open);
    openRow(place < 0 ? listed[0] : listed[place + by]);
  } else {
    choose(at < 0 ? 0 : at + by);
  }
}

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.key === 'Escape') {
    if (typing) event.target.blur();
    else if (open >= 0) back();
    return;
  }
  if (typing) return;
  const scrolling = event.target.matches('.scroll, summary') && event.key.startsWith('Arrow');
  if (event.key === 'j' || (event.key === 'ArrowDown' && at >= 0 && open < 0 && !scrolling)) step(1);
  else if (event.key === 'k' || (event.key === 'ArrowUp' && at >= 0 && open < 0 && !scrolling)) step(-1);
  else if (event.key === '/') {
    if (open >= 0) back();
    field('text').focus();
    field('text').scrollIntoView({ block: 'center' });
  } else if (event.key === 't') nextTheme();
  else if (event.key === '?') showKeys();
  else return;
  event.preventDefault();
}
