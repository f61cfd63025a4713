// What the page shows, as one value: the view, the time range, the selection, and what each view remembers. All of it is in the address
// of the page, so that a reload or a mailed address shows the same. Pure: address.ts reads and writes the browser's.

export const QUANTITIES = ["messages", "bytes", "size", "queue"] as const;
export type Quantity = (typeof QUANTITIES)[number];  // size: the mean of a message; queue: the length of its receiver's
export type Form = "rate" | "total" | "change";
export type Theme = "auto" | "light" | "dark";
export type Palette = "spectrum" | "viridis";

// The time range that all views share: fixed, or the last seconds until now (null: from the beginning).
export type Span = { from_s: number; to_s: number } | { last_s: number | null };

export interface State {
  view: string;
  span: Span;
  at_s: number | null;  // the cursor of a replay
  selected: number[];  // processes
  arc: [number, number] | null;
  message: number | null;
  quantity: Quantity;
  form: Form;
  palette: Palette;
  theme: Theme;
  pins: string[];  // plots of the history: each a list of series (pins.ts)
  more: Record<string, string>;  // what single views remember, by their own keys
}

export const INITIAL: State = {
  view: "", span: { last_s: null }, at_s: null, selected: [], arc: null, message: null, quantity: "messages", form: "rate",
  palette: "spectrum", theme: "auto", pins: [], more: {},
};

const SELECTED_MAX = 200;

export function encode(state: State): string {
  const parts: [string, string][] = [];
  if (state.view !== "") parts.push(["view", state.view]);
  if ("from_s" in state.span) parts.push(["from", number_text(state.span.from_s)], ["to", number_text(state.span.to_s)]);
  else if (state.span.last_s !== null) parts.push(["last", number_text(state.span.last_s)]);
  if (state.at_s !== null) parts.push(["at", number_text(state.at_s)]);
  if (state.selected.length > 0) parts.push(["selected", state.selected.slice(0, SELECTED_MAX).join(",")]);
  if (state.arc) parts.push(["arc", state.arc.join("-")]);
  if (state.message !== null) parts.push(["message", number_text(state.message)]);
  if (state.quantity !== INITIAL.quantity) parts.push(["quantity", state.quantity]);
  if (state.form !== INITIAL.form) parts.push(["form", state.form]);
  if (state.palette !== INITIAL.palette) parts.push(["colours", state.palette]);
  if (state.theme !== INITIAL.theme) parts.push(["theme", state.theme]);
  for (const pin of state.pins) parts.push(["pin", pin]);
  for (const key of Object.keys(state.more).sort()) if (state.more[key] !== "") parts.push(["." + key, state.more[key]]);
  return parts.map(([key, value]) => key + "=" + escaped(value)).join("&");
}

// Anything can stand in an address: what does not parse keeps its initial value.
export function decode(fragment: string): State {
  const state: State = { ...INITIAL, selected: [], pins: [], more: {} };
  let from: number | null = null, to: number | null = null;
  for (const part of fragment.replace(/^#/, "").split("&")) {
    const equals = part.indexOf("=");
    if (equals <= 0) continue;
    const key = part.slice(0, equals), value = unescaped(part.slice(equals + 1));
    if (key === "view") state.view = value;
    else if (key === "from") from = number_of(value);
    else if (key === "to") to = number_of(value);
    else if (key === "last") state.span = { last_s: positive(number_of(value)) };
    else if (key === "at") state.at_s = number_of(value);
    else if (key === "selected") state.selected = ids_of(value.split(","));
    else if (key === "arc") state.arc = pair_of(value);
    else if (key === "message") state.message = number_of(value);
    else if (key === "quantity") state.quantity = one_of(value, QUANTITIES, state.quantity);
    else if (key === "form") state.form = one_of(value, ["rate", "total", "change"], state.form);
    else if (key === "colours") state.palette = one_of(value, ["spectrum", "viridis"], state.palette);
    else if (key === "theme") state.theme = one_of(value, ["auto", "light", "dark"], state.theme);
    else if (key === "pin") state.pins.push(value);
    else if (key.startsWith(".") && key.length > 1) state.more[key.slice(1)] = value;
  }
  if (from !== null && to !== null && to > from) state.span = { from_s: from, to_s: to };
  return state;
}

// Twelve digits: a nanosecond in a quarter of an hour, and no noise of binary fractions.
export function number_text(value: number): string {
  return String(Number(value.toPrecision(12)));
}

function escaped(text: string): string {
  return encodeURIComponent(text).replace(/%2C/g, ",").replace(/%3A/g, ":").replace(/%3B/g, ";");
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}

function number_of(text: string): number | null {
  const value = Number(text);
  return text !== "" && Number.isFinite(value) ? value : null;
}

function positive(value: number | null): number | null {
  return value !== null && value > 0 ? value : null;
}

function ids_of(parts: string[]): number[] {
  return [...new Set(parts.map(number_of).filter((id): id is number => id !== null && Number.isInteger(id) && id >= 0))];
}

function pair_of(text: string): [number, number] | null {
  const parts = text.split("-").map(number_of);
  return parts.length === 2 && parts[0] !== null && parts[1] !== null ? [parts[0], parts[1]] : null;
}

function one_of<T extends string>(text: string, allowed: readonly T[], otherwise: T): T {
  return (allowed as readonly string[]).includes(text) ? (text as T) : otherwise;
}
