// What a judgement looks like: a word, a symbol and a tone, so that colour never stands alone.
const OUTCOMES = {
  pass: ['good', '✓'], fail: ['bad', '✕'], unresolved: ['open', '?'], error: ['open', '!'],
};
const CHANGES = {
  broke: 'bad', 'now failing': 'bad', lost: 'open', removed: 'open', edited: 'open', fixed: 'good',
  improved: 'good', recovered: 'good',
};
const LABELS = {
  SUPPORTED: ['good', '✓'], ABSENT: ['bad', '∅'], CONTRADICTED: ['bad', '✕'],
  UNRESOLVED: ['open', '?'], STATED: ['good', '✓'], MISSING: ['bad', '∅'],
};
const PASSAGES = {
  relevant: ['good', '✓', 'supports'], superseded: ['bad', '✕', 'OLD: superseded'],
  'near-miss': ['bad', '✕', 'RIVAL: near miss'], partial: ['open', '◐', 'part of the gold'],
  repeat: ['quiet', '↺', 'again'], unjudged: ['', '', ''],
};

function chip(tone, symbol, word) {
  return node('span', { class: `chip ${tone || 'quiet'}` },
    symbol && node('span', { 'aria-hidden': 'true' }, `${symbol} `), word);
}

function outcomeChip(outcome) {
  const [tone, symbol] = OUTCOMES[outcome] || ['quiet', ''];
  return chip(tone, symbol, outcome);
}

const changeChip = (change) => chip(CHANGES[change], '', change);

function labelChip(label) {
  const [tone, symbol] = LABELS[label] || ['quiet', ''];
  return chip(tone, symbol, label);
}

const labelTone = (label) => (LABELS[label] || ['quiet'])[0];
