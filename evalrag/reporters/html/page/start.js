// Wires everything once, last.
const THEMES = ['system', 'light', 'dark'];
const themeButton = document.getElementById('theme');
const keysButton = document.getElementById('keys-button');

function kept(value) {
  try { // a file opened from a disk may have no storage
    if (value !== undefined) localStorage.setItem('evalrag-theme', value);
    return localStorage.getItem('evalrag-theme');
  } catch {
    return value === undefined ? null : value;
  }
}

function setTheme(theme) {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  themeButton.textContent = `Theme: ${theme}`;
}

function nextTheme() {
  const now = document.documentElement.dataset.theme || 'system';
  const next = THEMES[(THEMES.indexOf(now) + 1) % THEMES.length];
  kept(next);
  setTheme(next);
}

function showKeys() {
  const keys = document.getElementById('keys');
  keys.hidden = !keys.hidden;
  keysButton.setAttribute('aria-expanded', String(!keys.hidden));
}

const theme = kept();
setTheme(THEMES.includes(theme) ? theme : 'system');
for (const part of document.querySelectorAll('.scripted')) part.hidden = false;
themeButton.addEventListener('click', nextTheme);
keysButton.addEventListener('click', showKeys);
fillFilters();
filter();
for (const name of FILTERS) field(name).addEventListener('change', filter);
field('text').addEventListener('input', filter);
const filters = document.getElementById('filters');
filters.addEventListener('submit', (event) => event.preventDefault());
document.getElementById('filter-reset').addEventListener('click', () => setTimeout(filter));
for (const link of document.querySelectorAll('[data-filter]')) {
  link.addEventListener('click', () => {
    filters.reset();
    field(link.dataset.filter).value = link.dataset.value;
    filter();
  });
}
document.getElementById('more').addEventListener('click', drawMore);
body.addEventListener('click', (event) => {
  const chosen = event.target.closest('tr');
  if (chosen && !event.target.closest('a')) openRow(listed[Number(chosen.dataset.at)]);
});
document.addEventListener('keydown', key);
window.addEventListener('hashchange', show);
window.addEventListener('popstate', show);
let opened = [];
window.addEventListener('beforeprint', () => {
  opened = [...document.querySelectorAll('details:not([open])')];
  for (const part of opened) part.open = true;
});
window.addEventListener('afterprint', () => { for (const part of opened) part.open = false; });
show();
