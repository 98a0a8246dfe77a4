// The candidates in their order, with what each is for the row and the edge of the window.
function marksIn(text, side, page, window) {
  const held = plain(text);
  const marks = [];
  const golden = page.row || {};
  for (const [name, tone, word] of [['gold', 'gold', 'gold'], ['acceptable', 'gold', 'acceptable'],
    ['superseded', 'old', 'superseded'], ['near_miss', 'old', 'near miss']]) {
    for (const [, quotes] of golden[name] || []) {
      for (const quote of quotes) {
        const found = find(held, quote);
        if (found) marks.push({ start: found[0], end: found[1], tone, said: `${word} evidence` });
      }
    }
  }
  for (const claim of (side.v && side.v.claims) || []) {
    if (!claim.q || !(claim.p.includes(window) || claim.x.includes(window))) continue;
    const found = find(held, claim.q);
    if (found) {
      marks.push({
        start: found[0], end: found[1], tone: 'claim-quote', claim: claim.n,
        said: `${claim.n} rests on these words`, sign: claim.n,
      });
    }
  }
  return marks;
}

function textOf(passage, side, page, place) {
  const text = passage[2];
  if (text === undefined) return node('p', { class: 'note' }, 'text not kept');
  const shown = node('div', { class: 'text', dir: 'auto' });
  const marks = place.mark === 'unjudged' && !place.window ? [] : marksIn(text, side, page, place.window);
  const first = marks.length ? Math.min(...marks.map((mark) => mark.start)) : 0;
  const last = marks.length ? Math.max(...marks.map((mark) => mark.end)) : 0;
  const start = Math.max(0, first - 90);
  const end = Math.min(text.length, Math.max(start + (place.window || place.gold.length ? EXCERPT : 120), Math.min(last + 60, start + 900)));
  const whole = start === 0 && end === text.length;
  const draw = (all) => shown.replaceChildren(...(all ? marked(text, marks, 0, text.length)
    : [start > 0 ? '… ' : '', ...marked(text, marks, start, end), end < text.length ? ' …' : '']));
  draw(whole);
  if (whole) return shown;
  const button = node('button', {
    type: 'button', class: 'whole', 'aria-expanded': 'false',
    onclick: () => {
      const open = button.getAttribute('aria-expanded') !== 'true';
      button.setAttribute('aria-expanded', String(open));
      button.textContent = open ? 'less' : 'whole text';
      draw(open);
    },
  }, 'whole text');
  return [shown, button];
}

function placesOf(side) {
  return side.ps.map((entry, at_) => {
    const [number, mark, window, gold, extra] = Array.isArray(entry) ? entry
      : [entry, index.marks.indexOf('unjudged'), 0, [], 0];
    return { number, mark: index.marks[mark], window, gold, rank: extra ? 0 : at_ + 1 };
  });
}

function signOf(place) {
  const [tone, symbol, word] = PASSAGES[place.mark];
  if (place.mark === 'relevant' && place.gold.length) return chip('good', '★', `GOLD ${place.gold.map((n) => n + 1).join(', ')}`);
  return word ? chip(tone, symbol, word) : null;
}

function movedFrom(place, other) {
  if (!other) return null;
  const was = placesOf(other).find((one) => one.number === place.number);
  if (!was) return 'not fetched before';
  if (was.rank === place.rank && was.window === place.window) return null;
  return `was ${was.rank || 'added'}${was.window ? '' : ', outside the window'}`;
}

function passagesOf(side, other, page, name) {
  const places = placesOf(side);
  if (!places.length) return node('p', { class: 'note' }, 'Nothing was fetched.');
  const before = other && new Set(placesOf(other).map((place) => place.number));
  const shared = before && places.some((place) => before.has(place.number));
  const last = Math.max(0, ...places.filter((place) => place.window).map((place) => place.rank));
  const list = node('ol', { class: 'passages' });
  const seen = places.filter((place) => place.window).length;
  let below = null;
  for (const place of places) {
    const outside = place.rank > last;
    if (outside && !below) {
      list.append(node('li', { class: 'edge' }, node('span', null, "the window's edge: not seen below")));
      below = node('details', null, node('summary', null, ''));
    }
    const known = place.mark !== 'unjudged' && place.mark !== 'repeat';
    const item = passageItem(place, side, shared ? other : null, page, name, outside);
    if (outside && !known) below.append(item);
    else list.append(item);
  }
  const parts = [node('p', { class: 'note' }, `${counted(places.length, 'candidate')}, of which the model was given ${seen}`,
    side.dropped && `; ${side.dropped} more were not kept`,
    before && !shared && '; none of these texts was fetched in the baseline'), list];
  if (below && below.children.length > 1) {
    const rest = node('ol', { class: 'passages' }, [...below.children].slice(1));
    below.firstChild.textContent = `${rest.children.length} without a mark below the edge`;
    below.append(rest);
    parts.push(below);
  }
  return parts;
}

function passageItem(place, side, other, page, name, edge) {
  const passage = passageOf(place.number);
  const tone = place.mark === 'relevant' && place.gold.length ? 'good' : PASSAGES[place.mark][0];
  const moved = movedFrom(place, other);
  return node('li', {
    class: tone || null, tabindex: '-1',
    'data-window': place.window ? `${name}-${place.window}` : null,
  },
  node('div', { class: 'head' },
    node('span', { class: 'rank' }, place.rank ? `${place.rank}.` : 'added'),
    signOf(place), node('span', { class: 'name' }, said(passage[0])),
    place.window ? node('span', { class: 'moved' }, `passage ${place.window} of the context`)
      : !edge && node('span', { class: 'moved' }, 'not in the context'),
    moved && node('span', { class: 'moved' }, moved)),
  passage[1] && node('div', { class: 'about-text' }, said(passage[1])),
  textOf(passage, side, page, place));
}

function showPassage(name, window, claim) {
  for (const mark of article.querySelectorAll('mark.chosen')) mark.classList.remove('chosen');
  const item = [...article.querySelectorAll('[data-window]')].find((one) => one.dataset.window === `${name}-${window}`);
  if (!item) return;
  const button = item.querySelector('.whole[aria-expanded="false"]');
  if (button) button.click();
  const marks = [...item.querySelectorAll('mark')].filter((one) => (one.dataset.claims || '').split(' ').includes(claim));
  for (const mark of marks) mark.classList.add('chosen');
  item.focus({ preventScroll: true });
  (marks[0] || item).scrollIntoView({ block: 'center' });
}
