// What a page does beside being read: light or dark, the lists that are open on a wide screen, and the search.
"use strict";

const root = document.documentElement;
const THEME = "dpm-documentation-theme";

// A browser may refuse storage to pages from files: then a choice holds for one page.
function stored() { try { return localStorage.getItem(THEME); } catch { return null; } }
function store(theme) { try { localStorage.setItem(THEME, theme); } catch { /* see above */ } }

// Before the page is drawn.
if (stored()) root.dataset.theme = stored();

function changeTheme() {
  const isDark = getComputedStyle(root).colorScheme === "dark";
  root.dataset.theme = isDark ? "light" : "dark";
  store(root.dataset.theme);
}

function openWhenWide(selector, width) {
  const element = document.querySelector(selector);
  if (!element) return;
  const wide = matchMedia(`(min-width: ${width}px)`);
  element.open = wide.matches;
  wide.addEventListener("change", () => { element.open = wide.matches; });
}

// The list of pages scrolls by itself.
function showThisPage(pages) {
  const here = pages.querySelector("[aria-current]");
  if (here && here.offsetTop > 0.8 * pages.clientHeight) pages.scrollTop = here.offsetTop - pages.clientHeight / 2;
}

// A script of the site. Pages from files may not fetch files, but may run them.
function load(name) {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = root.dataset.root + name;
    script.onload = resolve;
    script.onerror = reject;
    document.head.append(script);
  });
}

let loading = null;
function loadSearch() {
  loading ??= Promise.all([load("search.js"), load("search_index.js")]);
  return loading;
}

function element(name, ...children) {
  const made = document.createElement(name);
  made.append(...children);
  return made;
}

// The text with its words marked.
function marked(text, words) {
  const pattern = new RegExp("(" + words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|") + ")", "gi");
  return text.split(pattern).map((part, place) => (place % 2 ? element("mark", part) : part));
}

function shownSection(section, words) {
  const link = element("a", element("b", section.title));
  if (section.heading && section.heading !== section.title) link.append(" › " + section.heading);
  link.append(element("span", ...marked(section.excerpt, words)));
  link.href = root.dataset.root + section.path + (section.anchor ? "#" + section.anchor : "");
  return link;
}

async function showFound(query, found) {
  found.hidden = query.trim() === "";
  if (found.hidden) return;
  try {
    await loadSearch();
  } catch {
    found.replaceChildren(element("p", "The index of the search, search_index.js, is not beside these pages."));
    return;
  }
  const sections = findSections(window.searchIndex, query);
  found.replaceChildren(...sections.map((section) => shownSection(section, wordsOf(query))));
  if (sections.length === 0) found.append(element("p", "No section has all of these words."));
}

function moveAmongResults(event, input, found) {
  const places = [input, ...found.querySelectorAll("a")];
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === "Escape") {
    found.hidden = true;
    input.focus();
  } else if (event.key === "Enter" && event.target === input) {
    places[1]?.click();
  } else if (step && !found.hidden) {
    event.preventDefault();
    places[(places.indexOf(document.activeElement) + step + places.length) % places.length].focus();
  }
}

function startSearch() {
  const search = document.querySelector(".search"), input = search.querySelector("input"), found = search.querySelector(".found");
  search.hidden = false;
  const show = () => showFound(input.value, found);
  input.addEventListener("focus", () => { loadSearch().catch(() => {}); show(); });
  input.addEventListener("input", show);
  search.addEventListener("keydown", (event) => moveAmongResults(event, input, found));
  // A result may be on this page.
  found.addEventListener("click", () => { found.hidden = true; });
  document.addEventListener("click", (event) => { if (!search.contains(event.target)) found.hidden = true; });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.target.matches("input")) return;
    event.preventDefault();
    input.focus();
  });
}

document.addEventListener("DOMContentLoaded", () => {
  const theme = document.querySelector(".theme");
  theme.hidden = false;
  theme.addEventListener("click", changeTheme);
  openWhenWide(".pages", 960);
  openWhenWide(".contents", 1280);
  showThisPage(document.querySelector(".pages"));
  startSearch();
});
