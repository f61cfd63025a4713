// Colours. Those of the theme are custom properties of the style sheet, read once for each theme, so that canvases and elements agree.
// The ramp of values goes from violet (least) to red (most), or follows viridis, which people with any colour vision can order.
import { interpolateRgbBasis } from "d3-interpolate";
import { interpolateViridis } from "d3-scale-chromatic";
import { Palette } from "../state/state";

const NAMES = ["page", "card", "ink", "muted", "faint", "line", "soft", "accent", "c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "work", "wait", "other", "child", "queue", "timer", "idle", "critical",
  "message", "past", "future", "select", "warn"] as const;
export type Colours = Record<(typeof NAMES)[number], string>;

let known: Colours | null = null;
let dark = false;
let themes = 0;

export function colours(): Colours {
  if (!known) {
    const style = getComputedStyle(document.documentElement);
    known = Object.fromEntries(NAMES.map((name) => [name, style.getPropertyValue("--" + name).trim() || "#888"])) as Colours;
    dark = style.getPropertyValue("--dark").trim() === "1";
  }
  return known;
}

export function forget_colours(): void {
  known = null;
  ++themes;
}

// Another number: pictures have other colours.
export function theme_number(): number {
  return themes;
}

export function is_dark(): boolean {
  colours();
  return dark;
}

export function series_colour(index: number): string {
  return colours()[`c${index % 8}` as "c0"];
}

const SPECTRUM_LIGHT = interpolateRgbBasis(["#6a43c9", "#4f63d2", "#2f86c9", "#1f9e8f", "#6aa52f", "#d2a019", "#e0701f", "#cf2a2f", "#b5121f"]);
const SPECTRUM_DARK = interpolateRgbBasis(["#8e6df0", "#6f86f5", "#48a9ea", "#3cc2a8", "#93cc55", "#edc244", "#f59348", "#f0605b", "#ff4a4a"]);

// `share`: 0 the least, 1 the most.
export function ramp(share: number, palette: Palette): string {
  const t = Math.max(0, Math.min(1, share));
  if (palette === "viridis") return is_dark() ? interpolateViridis(0.22 + 0.78 * t) : interpolateViridis(0.9 * (1 - t));
  return (is_dark() ? SPECTRUM_DARK : SPECTRUM_LIGHT)(t);
}

// The ramp as bytes, for pictures of many cells.
export function ramp_bytes(palette: Palette, steps = 256): Uint8ClampedArray {
  const bytes = new Uint8ClampedArray(steps * 4);
  for (let i = 0; i < steps; ++i) bytes.set([...rgb(ramp(i / (steps - 1), palette)), 255], i * 4);
  return bytes;
}

export function rgb(colour: string): [number, number, number] {
  const hex = /^#([0-9a-f]{6})$/i.exec(colour);
  if (hex) {
    const value = parseInt(hex[1], 16);
    return [value >> 16, (value >> 8) & 255, value & 255];
  }
  const parts = colour.match(/[\d.]+/g)?.map(Number) ?? [0, 0, 0];
  return [parts[0], parts[1], parts[2]];
}

// `share` of one colour in another.
export function mixed(colour: string, ground: string, share: number): string {
  const [a, b] = [rgb(colour), rgb(ground)];
  return `rgb(${a.map((value, index) => Math.round(value * share + b[index] * (1 - share))).join(",")})`;
}

// Dark or light text, whichever is easier to read on this colour.
export function text_on(colour: string): string {
  const [r, g, b] = rgb(colour).map((value) => Math.pow(value / 255, 2.2));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.36 ? "#10151c" : "#ffffff";
}

// Amounts of a network span decades: where they do, the scale is of logarithms, from the least to the most. Elsewhere it begins at 0, so that
// amounts which are nearly equal have nearly the same colour.
const SPAN_OF_LOGARITHMS = 30;

export function amount_bounds(values: Iterable<number>): { least: number; most: number } {
  let least = Infinity, most = 0;
  for (const value of values) {
    if (!Number.isFinite(value) || value <= 0) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  return { least: most / least > SPAN_OF_LOGARITHMS ? least : 0, most };
}

// Of a value between these bounds: 0 the least, 1 the most.
export function share_of(value: number, least: number, most: number): number {
  if (!(most > least) || !(value > least)) return 0;
  return least > 0 ? Math.log(value / least) / Math.log(most / least) : (value - least) / (most - least);
}
