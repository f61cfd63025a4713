// What the charts of reports share: the SVG with its title and description, axes by d3, legends, forms of numbers.
import { axisBottom, axisLeft } from "d3-axis";
import { Scale } from "d3-scale";
import { select } from "d3-selection";
import { svg } from "../dom";
import { bytes, percent, seconds, short } from "../format";

export interface Frame {
  width: number;
  height: number;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

export function chart_root(width: number, height: number, title: string, description: string): SVGSVGElement {
  return svg("svg", { class: "chart", width: width.toFixed(0), height: height.toFixed(0), viewBox: `0 0 ${width.toFixed(0)} ${height.toFixed(0)}`, role: "img", "aria-label": title },
    description ? svg("desc", {}, description) : null);
}

export function form_of(form: string): (value: number) => string {
  return form === "percent" ? percent : form === "bytes" ? bytes : form === "seconds" ? seconds : short;
}

export function number(value: unknown): number {
  return typeof value === "number" ? value : NaN;
}

export function draw_axes(root: SVGSVGElement, frame: Frame, x: Scale, y: Scale, options: { x_label: string; y_label: string; x_whole?: boolean; form_y?: (value: number) => string; form_x?: (value: number) => string }): void {
  const { left, right, bottom } = frame;
  let ticks = x.ticks(Math.max(3, Math.floor((right - left) / 80)));
  if (options.x_whole) ticks = ticks.filter((tick) => Number.isInteger(tick));
  for (const tick of y.ticks(5)) root.append(svg("line", { class: "rule", x1: left, x2: right, y1: y(tick).toFixed(1), y2: y(tick).toFixed(1) }));
  const below = axisBottom(x).tickValues(ticks).tickFormat(options.form_x ?? short).tickSizeOuter(0).tickPadding(6);
  const beside = axisLeft(y).ticks(5).tickFormat(options.form_y ?? short).tickSize(0).tickPadding(8);
  const horizontal = svg("g", { class: "axis-x", transform: `translate(0,${bottom})` }), vertical = svg("g", { class: "axis-y", transform: `translate(${left},0)` });
  root.append(horizontal, vertical);
  select(horizontal).call(below);
  select(vertical).call(beside);
  // d3 sets sizes and fonts as attributes; those of the style sheet hold.
  for (const group of [horizontal, vertical]) for (const name of ["font-size", "font-family", "fill"]) group.removeAttribute(name);
  root.append(svg("text", { class: "label middle", x: (left + right) / 2, y: bottom + 38 }, options.x_label), svg("text", { class: "label", x: 4, y: 13 }, options.y_label));
}

export function draw_legend(root: SVGSVGElement, names: string[], dashed: boolean[], left: number, y: number, right: number): void {
  if (names.length < 2) return;
  let x = left;
  names.forEach((name, index) => {
    const width = [...name].length * 6.6 + 34;
    if (x > left && x + width > right) {
      x = left;
      y += 18;
    }
    root.append(svg("line", { class: `line s${index % 6}` + (dashed[index] ? " dashed" : ""), x1: x, x2: x + 18, y1: y, y2: y }), svg("text", { class: "legend-text", x: x + 24, y: y + 4 }, name));
    x += width;
  });
}

// How many lines a legend takes, in pixels.
export function legend_height(names: string[], room: number): number {
  if (names.length < 2) return 0;
  let lines = 1, x = 0;
  for (const name of names) {
    const width = [...name].length * 6.6 + 34;
    if (x > 0 && x + width > room) {
      x = 0;
      ++lines;
    }
    x += width;
  }
  return lines * 18 + 6;
}
