// A table; columns of numbers are flush right.
import { el } from "../dom";
import { shown } from "../names";

interface Table {
  columns: { header: string; number: boolean }[];
  rows: { text: string; tone: string }[][];
}

const CELL_CHARACTERS_MAX = 600;
const TONES = new Set(["muted", "strong", "prose", "pass", "fail"]);

export function table({ columns, rows }: Table): Element {
  const class_of = (column: number, tone = "normal") => [columns[column]?.number ? "number" : "", TONES.has(tone) ? tone : ""].filter(Boolean).join(" ") || null;
  return el("div", { class: "wide-table" }, el("table", {}, el("thead", {}, el("tr", {}, ...columns.map(({ header }, column) => el("th", { scope: "col", class: class_of(column) }, header)))),
    el("tbody", {}, ...rows.map((cells) => el("tr", {}, ...cells.map(({ text, tone }, column) => el("td", { class: class_of(column, tone) }, el("bdi", {}, text === "" ? "" : shown(text, CELL_CHARACTERS_MAX)))))))));
}
