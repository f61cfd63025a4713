// Cells of rows and columns, their colour for their value.
import { svg } from "../dom";
import { short } from "../format";
import { shown } from "../names";
import { chart_root, number } from "./chart";

interface HeatMap {
  title: string;
  description: string;
  row_title: string;
  column_title: string;
  rows: string[];
  columns: string[];
  values: (number | null)[][];
  texts: string[][];
  tips: string[][];
  scale: "amount" | "signed" | "signed_";
  full_at: number;
  legend: string;
}

export function heat_map(map: HeatMap, width: number): Element {
  const signed = map.scale !== "amount";
  const longest = Math.max(4, ...map.rows.map((row) => [...row].length)), longest_column = Math.max(4, ...map.columns.map((column) => [...column].length));
  const left = Math.min(width * 0.3, longest * 7 + 16), columns = Math.max(1, map.columns.length);
  const turned = longest_column * 7 > (width - left - 10) / columns;
  const top = (turned ? Math.min(130, longest_column * 6.6 + 14) : 26) + 18;
  const cell_width = Math.max(9, Math.min(84, (width - left - 10) / columns)), cell_height = Math.max(9, Math.min(30, cell_width, 640 / Math.max(1, map.rows.length)));
  const height = top + map.rows.length * cell_height + 40;
  const root = chart_root(left + columns * cell_width + 10, height, map.title, map.description);
  const sizes = map.values.flat().map((value) => Math.abs(number(value))).filter(Number.isFinite);
  const full = map.full_at > 0 ? map.full_at : Math.max(1e-300, ...sizes);
  root.append(svg("text", { class: "label end", x: left - 8, y: top - 6 }, map.row_title), svg("text", { class: "label", x: left, y: 13 }, map.column_title));
  map.columns.forEach((column, at) => {
    const x = left + (at + 0.5) * cell_width;
    if (cell_width < 10 && at % 2 !== 0) return;
    root.append(turned ? svg("text", { class: "name small", transform: `translate(${(x + 4).toFixed(1)},${top - 6}) rotate(-90)` }, shown(column, 18)) : svg("text", { class: "name small middle", x: x.toFixed(1), y: top - 7 }, shown(column, Math.floor(cell_width / 6.5))));
  });
  map.rows.forEach((row, at) => {
    const y = top + at * cell_height;
    root.append(svg("text", { class: "name small end", x: left - 8, y: (y + cell_height / 2 + 4).toFixed(1) }, shown(row, Math.floor((left - 12) / 6.5))));
    map.columns.forEach((column, column_at) => {
      const value = number(map.values[at]?.[column_at]);
      const share = Number.isFinite(value) ? Math.min(1, Math.abs(value) / full) : 0;
      const cell = svg("rect", { class: "cell " + (share === 0 ? "empty" : !signed ? "amount" : value > 0 ? "plus" : "minus"), x: (left + column_at * cell_width + 0.5).toFixed(1), y: (y + 0.5).toFixed(1), width: (cell_width - 1).toFixed(1), height: (cell_height - 1).toFixed(1), rx: 1.5 },
        svg("title", {}, map.tips[at]?.[column_at] ?? `${row}, ${column}: ${short(value)}`));
      if (share > 0) cell.style.fillOpacity = (0.12 + 0.88 * share).toFixed(3);
      root.append(cell);
      const text = map.texts[at]?.[column_at] ?? "";
      if (text !== "") root.append(svg("text", { class: "cell-text middle" + (share > 0.55 ? " strong" : ""), x: (left + (column_at + 0.5) * cell_width).toFixed(1), y: (y + cell_height / 2 + 4).toFixed(1) }, shown(text, Math.max(3, Math.floor(cell_width / 6.2)))));
    });
  });
  root.append(svg("text", { class: "label", x: left, y: height - 12 }, map.legend));
  return root;
}
