// What a user has laid over the lanes, as the address has it: a ruler between two times, and notes at times. Pure.
import { number_text } from "./state";

export interface Ruler {
  from_s: number;
  to_s: number;
}

export interface Note {
  at_s: number;
  text: string;
}

const NOTES_MAX = 50;
export const NOTE_CHARACTERS_MAX = 200;

export function ruler_of(more: Record<string, string>): Ruler | null {
  const parts = (more.ruler ?? "").split(",");
  const [from_s, to_s] = parts.map((part) => (part.trim() === "" ? NaN : Number(part)));
  return parts.length === 2 && Number.isFinite(from_s) && Number.isFinite(to_s) && from_s < to_s ? { from_s, to_s } : null;
}

// As exact as a step that can be seen, so that addresses are short.
export function near(time_s: number, step_s: number): number {
  const unit = Math.pow(10, Math.floor(Math.log10(step_s)));
  return Number(number_text(Math.round(time_s / unit) * unit));
}

// Between two times in any order; empty: none.
export function ruler_text(a_s: number, b_s: number): string {
  return a_s === b_s ? "" : [a_s, b_s].sort((a, b) => a - b).map(number_text).join(",");
}

export function notes_of(more: Record<string, string>): Note[] {
  try {
    const list = JSON.parse(more.notes || "[]");
    if (!Array.isArray(list)) return [];
    const notes = list.filter((note) => Array.isArray(note) && Number.isFinite(note[0]) && typeof note[1] === "string" && note[1] !== "");
    return notes.slice(0, NOTES_MAX).map(([at_s, text]) => ({ at_s, text: text.slice(0, NOTE_CHARACTERS_MAX) }));
  } catch {
    return [];
  }
}

// In the order of their times.
export function notes_text(notes: Note[]): string {
  const list = [...notes].sort((a, b) => a.at_s - b.at_s).slice(0, NOTES_MAX).map(({ at_s, text }) => [Number(number_text(at_s)), text]);
  return list.length === 0 ? "" : JSON.stringify(list);
}
