// Where words stand in a text, as the matching of evidence reads them: white space, quotes, dashes,
// case and emphasis make no difference.
const PLAIN = {
  '‘': "'", '’': "'", '‚': "'", '“': '"', '”': '"', '„': '"', '«': '"', '»': '"',
  '‐': '-', '‑': '-', '‒': '-', '–': '-', '—': '-', '−': '-',
};

function plain(text) {
  let out = '';
  const places = [];
  let place = 0;
  for (const character of text) {
    let shown = PLAIN[character] || character.normalize('NFKC').toLowerCase();
    if (/^\s+$/u.test(shown)) shown = out === '' || out.endsWith(' ') ? '' : ' ';
    else if (shown === '*' || shown === '_' || shown === '`') shown = '';
    for (let n = 0; n < shown.length; n += 1) places.push(place);
    out += shown;
    place += character.length;
  }
  places.push(text.length);
  return { text: out, places };
}

// [start, end] of `words` in the text that `held` was made of; null where they are not. A beginning
// at its end and an end at its start are found as well: a chunker cuts sentences.
function find(held, words) {
  const wanted = plain(words).text.trim();
  if (wanted === '') return null;
  const whole = held.text.indexOf(wanted);
  if (whole >= 0) return [held.places[whole], held.places[whole + wanted.length]];
  const parts = wanted.split(' ');
  const text = held.text.trimEnd();
  for (let n = Math.min(parts.length - 1, 200); n >= 3; n -= 1) {
    const start = parts.slice(0, n).join(' ');
    if (text.endsWith(start)) {
      return [held.places[text.length - start.length], held.places[text.length]];
    }
    const end = parts.slice(-n).join(' ');
    if (held.text.startsWith(end)) return [held.places[0], held.places[end.length]];
  }
  return null;
}

// The text between the bounds with its marks; where two overlap, a piece carries both.
function marked(text, marks, from, to) {
  const bounds = new Set([from, to]);
  for (const mark of marks) {
    for (const bound of [mark.start, mark.end]) if (bound > from && bound < to) bounds.add(bound);
  }
  const cuts = [...bounds].sort((a, b) => a - b);
  const pieces = [];
  for (let n = 0; n + 1 < cuts.length; n += 1) {
    const [start, end] = [cuts[n], cuts[n + 1]];
    const over = marks.filter((mark) => mark.start <= start && mark.end >= end);
    const piece = text.slice(start, end);
    if (!over.length) {
      pieces.push(piece);
      continue;
    }
    pieces.push(node('mark', {
      class: over.map((mark) => mark.tone).join(' '),
      title: over.map((mark) => mark.said).join('; '),
      'data-claims': over.map((mark) => mark.claim || '').join(' ').trim() || null,
    }, piece));
    for (const mark of over) {
      if (mark.sign && mark.end === end) pieces.push(node('sup', null, mark.sign));
    }
  }
  return pieces;
}

// Where the words of a check stand: its place counts whole characters.
function placeOf(answer, check) {
  const start = [...answer].slice(0, check.at).join('').length;
  return answer.startsWith(check.q, start) ? [start, start + check.q.length] : null;
}

const checkWords = (check) => `${check.x ? 'never says' : 'says'} ${check.t.map((text) => `“${text}”`).join(' or ')}`;

function answerOf(side) {
  if (side.ans === undefined) return node('p', { class: 'note' }, 'This plan does not generate, or no answer came.');
  const held = plain(side.ans);
  const marks = [];
  for (const claim of (side.v && side.v.claims) || []) {
    const found = find(held, claim.t);
    if (!found) continue;
    const [tone, symbol] = LABELS[claim.l];
    marks.push({
      start: found[0], end: found[1], tone, claim: claim.n,
      said: `${claim.n} ${claim.l}`, sign: `${claim.n} ${symbol} ${claim.l.toLowerCase()}`,
    });
  }
  for (const check of side.ck || []) {
    const found = check.q && (placeOf(side.ans, check) || find(held, check.q));
    if (found) marks.push({ start: found[0], end: found[1], tone: check.h ? 'good' : 'bad', said: checkWords(check), sign: check.h ? '✓' : '✕' });
  }
  return node('div', { class: 'answer', dir: 'auto' }, marked(side.ans || '(empty)', marks, 0, (side.ans || '(empty)').length));
}
