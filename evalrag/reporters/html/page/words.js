// What the bot said: the question, and both answers with the words in which they differ.
const WORDS = [[null, true, true], ['del', true, false], ['ins', false, true]];

function wordsOf_(pieces, side) {
  return pieces.filter(([how]) => WORDS[how][side]).map(([how, text]) => {
    const tag = WORDS[how][0];
    const core = text.trim();
    if (!tag || !core) return text;
    const at_ = text.indexOf(core);
    return [text.slice(0, at_), node(tag, null, core), text.slice(at_ + core.length)];
  });
}

function saidOf(row, page) {
  const now = page.now.find((side) => side.o === (page.all || page.now[0]).o) || page.now[0];
  const was = page.was;
  const question = node('p', { class: 'question said', dir: 'auto' }, said(page.q || 'not kept in this run'));
  const text = (side) => {
    if (!side || side.ans === undefined) return node('i', null, 'no answer');
    return side.ans.trim() ? side.ans : node('i', null, 'an empty answer');
  };
  const answer = (name, ...words) => node('div', null, node('dt', null, name), node('dd', { dir: 'auto' }, ...words));
  const none = now.ans === undefined && (!was || was.ans === undefined);
  let answers = [answer('then', text(was)), answer('now', text(now))];
  const partly = page.w && page.w.some(([how, kept_]) => how === 0 && /[\p{L}\p{N}]/u.test(kept_));
  if (partly) answers = [answer('then', wordsOf_(page.w, 1)), answer('now', wordsOf_(page.w, 2))];
  else if (!was) answers = [answer('answer', text(now))];
  else if (was.ans !== undefined && now.ans !== undefined && was.ans.trim() === now.ans.trim()) answers = [answer('then and now', text(now))];
  return card('What the bot said', question, none ? null : node('dl', { class: 'answers' }, answers));
}
