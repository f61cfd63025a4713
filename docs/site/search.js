// The search in the pages' text, without a page: the index is [path, title, [[anchor, heading, text]...]] of each page (make_site.py).
"use strict";

const MOST_FOUND = 30;
const EXCERPT_BEFORE = 50, EXCERPT_AFTER = 130;

function count(text, word) { return text.split(word).length - 1; }

// A section that has the words as they were typed, one after the other, comes first. 0 unless each word is in the section or in the page's title, and one of them in the section.
function scoreOf(words, title, heading, text) {
  let score = 0, inSection = 0;
  for (const word of words) {
    const inHeading = count(heading, word) > 0, times = count(text, word);
    if (!inHeading && times === 0 && !title.includes(word)) return 0;
    inSection += inHeading || times > 0 ? 1 : 0;
    score += (inHeading ? 10 : 0) + Math.min(times, 5) + (title.includes(word) ? 3 : 0);
  }
  if (inSection === 0) return 0;
  return score + (`${heading} ${text}`.includes(words.join(" ")) ? 10 : 0);
}

// The text around the first of the words.
function excerptOf(text, words) {
  const lower = text.toLowerCase();
  const places = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const place = places.length ? Math.min(...places) : 0;
  const begin = place <= EXCERPT_BEFORE ? 0 : text.indexOf(" ", place - EXCERPT_BEFORE) + 1;
  const end = place + EXCERPT_AFTER;
  return (begin > 0 ? "… " : "") + text.slice(Math.min(begin, place), end) + (end < text.length ? " …" : "");
}

function wordsOf(query) { return query.toLowerCase().split(/\s+/).filter((word) => word !== ""); }

// The sections that have every word of the query, best first.
function findSections(index, query) {
  const words = wordsOf(query);
  if (words.length === 0) return [];
  const found = [];
  for (const [path, title, sections] of index) {
    // Users look for pages of the documentation more often than for those about the parts of the source.
    const kind = /^(docs\/|[^/]*$)/.test(path) ? 5 : 0;
    for (const [anchor, heading, text] of sections) {
      const score = scoreOf(words, title.toLowerCase(), heading.toLowerCase(), text.toLowerCase());
      if (score > 0) found.push({ path, anchor, title, heading, text, score: score + kind });
    }
  }
  found.sort((one, other) => other.score - one.score);
  return found.slice(0, MOST_FOUND).map(({ text, ...section }) => ({ ...section, excerpt: excerptOf(text, words) }));
}
