// Names as the page shows them. A program chooses the names of its processes, so a name may hold control characters, marks that turn the
// direction of the text around it, nothing at all, or thousands of characters. Pure.

// C0 and C1 controls, and what reorders or hides text: marks of direction, isolates, zero-width spaces, tags. Joiners stay: emoji need them.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

export const NAME_CHARACTERS_MAX = 64;

// The whole name on one line; a character that would not be seen stands as U+FFFD.
export function visible(name: string): string {
  const text = name.replace(UNSEEN, "\ufffd");
  return text.trim() === "" ? "(no name)" : text;
}

// At most `characters` long: the beginning and the end tell names of one program apart better than the beginning alone.
export function shortened(name: string, characters: number): string {
  if (name.length <= characters) return name;
  const letters = [...name];
  if (letters.length <= characters) return name;
  const head = Math.ceil((characters - 1) * 0.65), tail = characters - 1 - head;
  return letters.slice(0, head).join("") + "…" + (tail > 0 ? letters.slice(-tail).join("") : "");
}

export function shown(name: string, characters = NAME_CHARACTERS_MAX): string {
  return shortened(visible(name), characters);
}
