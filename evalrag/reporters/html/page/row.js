// A row's page: why it is what it is, what was fetched, seen and said, the baseline beside it.
const EXCERPT = 320;
const article = document.getElementById('page');

function card(title, ...children) {
  return node('section', null, node('h2', null, title), ...children);
}

function columns(was, now, draw) {
  if (!was) return node('div', { class: 'columns one' }, node('div', null, draw(now, null, 'now')));
  return node('div', { class: 'columns' },
    node('div', null, node('h3', null, 'Baseline'), draw(was, null, 'was')),
    node('div', null, node('h3', null, 'Now'), draw(now, was, 'now')));
}

function headOf(row, page) {
  const before = row.b && node('span', null, outcomeChip(row.b), ' → ');
  return node('section', { class: 'row-head' },
    node('h1', { tabindex: '-1' }, said(row.i)),
    node('p', { class: 'chips' }, node('span', null, before, outcomeChip(row.o || 'gone')),
      row.c && changeChip(row.c), chip('quiet', '', row.k), row.x ? chip('open', '~', 'flaky') : null,
      row.sp === 'holdout' && chip('quiet', '', 'holdout'),
      row.or && row.or !== 'human' && chip('quiet', '', row.or)),
    page && stepsOf(page),
    page && page.n && node('p', { class: 'note' }, said(page.n)));
}

function stepsOf(page) {
  const now = (page.all || page.now[0]).st;
  const was = page.was ? page.was.st : null;
  return node('ol', { class: 'steps', 'aria-label': 'Stages' }, index.stages.map((stage) => {
    const [after, before] = [now[stage], was && was[stage]];
    if (!after && !before) return null;
    const [tone, symbol] = OUTCOMES[after] || ['', ''];
    const moved = was && (before || 'n/a') !== (after || 'n/a') ? `${before || 'n/a'} → ` : '';
    return node('li', { class: tone }, node('b', null, stage), `${moved}${symbol} ${after || 'n/a'}`);
  }));
}

function whyOf(side) {
  const told = [...(side.dx || []).map((one) => ['', ...one]),
    ...(side.wn || []).map((one) => ['warning ', ...one])];
  if (!told.length && !side.err) return null;
  return card('Why', side.err && node('p', { class: 'callout said' }, `error: ${side.err}`),
    node('ul', { class: 'why' }, told.map(([kind, code, because]) => {
      const [look, change] = Object.hasOwn(index.codes, code) ? index.codes[code] : [];
      return node('li', null, node('b', null, `${kind}${code}`), ': ', said(because),
        look && node('div', { class: 'note' }, `look at ${look}; try: ${change}`));
    })));
}

function askedOf(page) {
  const now = page.now[0];
  const golden = page.row || {};
  const line = (name, text) => text && node('p', null, node('b', null, `${name}: `), node('span', { class: 'said' }, said(text)));
  const parts = [
    (page.h || []).map(([role, text]) => node('p', { class: 'turn said' }, node('b', null, `${role}: `), said(text))),
    line('searched for', now.s), line('should be searched for', golden.standalone),
    page.was && page.was.s !== now.s && line('baseline searched for', page.was.s || page.q),
    line('right answer', golden.reference),
    golden.facts && golden.facts.join() !== golden.reference && node('ul', null, golden.facts.map((fact) => node('li', { class: 'said' }, said(fact)))),
    golden.because && line('unanswerable because', golden.because),
    golden.note && line('note', golden.note)].flat(9).filter(Boolean);
  return parts.length ? card('What was asked for', ...parts) : null;
}

function evidenceOf(page) {
  const now = page.now[0];
  const golden = (page.row && page.row.gold) || [];
  const count = Math.max(golden.length, (now.ev || []).length);
  if (!count) return null;
  const where = (sought) => {
    if (!sought) return 'not looked for';
    const covered = sought.covered > 0 && sought.covered < 1 ? `, ${Math.round(sought.covered * 100)}% of it covered` : '';
    if (sought.context) return `✓ in the context${covered}`;
    if (sought.candidates) return `✕ candidate ${sought.rank || '?'}, outside the context${covered}`;
    return `✕ ${sought.corpus === 0 ? 'not in the corpus' : 'not among the candidates'}${covered}`;
  };
  const lines = [];
  for (let n = 0; n < count; n += 1) {
    const before = page.was && page.was.ev ? where(page.was.ev[n]) : null;
    lines.push(node('tr', null, node('th', { scope: 'row' }, `${n + 1}. `, said(golden[n] ? golden[n][0] : 'evidence')),
      page.was && node('td', null, before || 'not known'), node('td', null, where((now.ev || [])[n]))));
  }
  return card('Evidence that is needed', scroller('Evidence', node('table', null,
    node('thead', null, node('tr', null, node('th', { scope: 'col' }, 'gold'), page.was && node('th', { scope: 'col' }, 'baseline'), node('th', { scope: 'col' }, 'now'))),
    node('tbody', null, lines))));
}

function scroller(name, table) {
  return node('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': name }, table);
}

function claimsOf(side, name) {
  const verdicts = side.v;
  if (!verdicts) return null;
  const form = verdicts.form ? `${verdicts.form}${verdicts.by ? `, by ${verdicts.by}` : ''}` : 'form undecided';
  return [
    node('p', { class: 'note' }, `Form: ${form}`, verdicts.why && [': ', said(verdicts.why)],
      verdicts.relevancy && `; relevancy ${verdicts.relevancy}`, verdicts.padded && ', padded'),
    (verdicts.notes || []).map((note) => node('p', { class: 'callout said' }, said(note))),
    node('ul', { class: 'claims', 'aria-label': 'Claims' }, verdicts.claims.map((claim) => claimOf(claim, name))),
  ];
}

function claimOf(claim, name) {
  const go = (window, word) => node('button', {
    type: 'button', onclick: () => showPassage(name, window, claim.n),
  }, `${word} ${window}`);
  return node('li', { class: labelTone(claim.l) },
    labelChip(claim.l), ` ${claim.n} `, said(claim.t),
    claim.q && node('blockquote', null, claim.q),
    node('p', { class: 'chips' }, claim.p.map((window) => go(window, 'rests on passage')),
      claim.x.map((window) => go(window, 'contradicted by passage'))),
    claim.r && node('p', { class: 'reason' }, 'judge: ', said(claim.r)));
}

function checksOf(side) {
  if (!side.ck) return null;
  const why = (check) => {
    if (check.q) return ['stands there: ', node('q', null, said(check.q))];
    const given = (check.p || []).map((window) => ` passage ${window} of the context says it`).join(',');
    return `stands nowhere in the answer${given && `;${given}`}`;
  };
  return [node('h3', null, 'Answer checks'), scroller('Answer checks', node('table', { class: 'facts checks' },
    node('tbody', null, side.ck.map((check) => node('tr', null,
      node('td', null, chip(check.h ? 'good' : 'bad', check.h ? '✓' : '✕', check.h ? 'holds' : 'fails')),
      node('td', null, said(checkWords(check))), node('td', { class: 'note' }, why(check)))))))];
}

function factsOf(side) {
  const verdicts = side.v || {};
  const table = (name, facts) => facts && [node('h3', null, name), scroller(name, node('table', { class: 'facts' },
    node('tbody', null, facts.map(([label, fact, reason]) => node('tr', null,
      node('td', null, labelChip(label)), node('td', null, said(fact)), node('td', { class: 'note' }, said(reason)))))))];
  if (!verdicts.facts && !verdicts.recalled) return null;
  return [table('Facts of the right answer, in the answer', verdicts.facts), table('The same facts, in the context', verdicts.recalled)];
}

function scoresOf(page) {
  const now = new Map(page.now[0].sc);
  const was = new Map(page.was ? page.was.sc : []);
  const why = new Map((page.now[0].re || []).map(([place, state, reason]) => [place, `${state}: ${reason}`]));
  const shown = (value) => (value === undefined ? 'n/a' : String(Math.round(value * 10000) / 10000));
  const lines = [[], []];
  index.metrics.forEach(([metric, way], place) => {
    const [after, before] = [now.get(place), was.get(place)];
    if (after === undefined && before === undefined && !why.has(place)) return;
    const moved = page.was && after !== before;
    let trend = '';
    if (moved && after !== undefined && before !== undefined) {
      trend = 'moved';
      if (way !== 'neither') trend = (after > before) === (way === 'up') ? '▲ better' : '▼ worse';
    }
    lines[moved || why.has(place) ? 0 : 1].push(node('tr', null, node('th', { scope: 'row' }, metric),
      page.was && node('td', { class: 'value' }, shown(before)),
      node('td', null, why.has(place) ? said(why.get(place)) : shown(after)),
      node('td', { class: `trend ${trend.slice(2)}` }, trend)));
  });
  const table = (name, found) => scroller(name, node('table', { class: 'scores' }, node('thead', null, node('tr', null,
    node('th', { scope: 'col' }, 'metric'), page.was && node('th', { scope: 'col' }, 'baseline'), node('th', { scope: 'col' }, 'now'), node('th', { scope: 'col' }, 'moved'))),
  node('tbody', null, found)));
  if (!page.was) return card('Scores', table('Scores', lines.flat()));
  return card('Scores', lines[0].length ? table('Scores that moved', lines[0]) : node('p', { class: 'note' }, 'No score moved.'),
    lines[1].length ? node('details', null, node('summary', null, counted(lines[1].length, 'other score')), table('Other scores', lines[1])) : null);
}

function attemptOf(page, side, number) {
  const many = page.now.length > 1;
  const title = many ? `attempt ${number + 1} of ${page.now.length}: ${side.o}` : '';
  const was = number === 0 ? page.was : null;
  return [
    card(`What was fetched${many ? `, ${title}` : ''}`, columns(was, side, (one, other, name) => passagesOf(one, other, page, `${name}${number}`))),
    card(`What was said${many ? `, ${title}` : ''}`, columns(was, side, (one, other, name) => [answerOf(one), checksOf(one), claimsOf(one, `${name}${number}`), factsOf(one)])),
  ];
}

function drawRow(number) {
  const row = rows[number];
  const page = row.o ? pageOf(number) : null;
  const command = node('pre', { tabindex: '0' }, `evalrag show ${index.ref} ${row.u || row.i}`);
  article.replaceChildren(backBar(number), headOf(row, page));
  if (!page) {
    const why = row.o ? 'This row was left out to keep the file small.' : 'The dataset has this row no more.';
    article.append(card('Not here', node('p', null, why), row.o && command));
    return;
  }
  const parts = [saidOf(row, page), whyOf(page.now[0]), askedOf(page), evidenceOf(page),
    page.now.map((side, place) => attemptOf(page, side, place)), scoresOf(page),
    card('On a terminal', command)];
  article.append(...parts.flat(3).filter(Boolean));
}
