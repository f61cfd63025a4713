// The space-time diagram of a report: a part of a computation, without zoom.
import { svg } from "../dom";
import { bytes, seconds, time_at } from "../format";
import { shown, visible } from "../names";
import { time_ticks } from "../draw/time_axis";
import { chart_root } from "./chart";

interface SpaceTime {
  title: string;
  description: string;
  from_ns: number;
  to_ns: number;
  rows: { process_name: string; machine_name: string; machine?: number }[];
  segments: [row: number, kind: number, from_ns: number, to_ns: number][];
  arcs: [from_row: number, to_row: number, sent_ns: number, received_ns: number, bytes: number, of: number][];
}

const LANE = 30, TOP = 10;

export function space_time_figure(diagram: SpaceTime, width: number): Element {
  const labels = Math.min(width * 0.3, 150);
  const { from_ns, to_ns, rows, segments, arcs } = diagram;
  const height = TOP + rows.length * LANE + 30;
  const root = chart_root(width, height, diagram.title, diagram.description);
  const span = Math.max(1, to_ns - from_ns);
  const x = (ns: number) => labels + ((ns - from_ns) / span) * (width - labels - 12), y = (row: number) => TOP + (row + 0.5) * LANE;
  bands(root, rows, labels, width);
  const { ticks, step_s } = time_ticks(from_ns * 1e-9, to_ns * 1e-9, Math.max(2, Math.floor((width - labels) / 110)));
  for (const tick of ticks) {
    const at = x(tick * 1e9).toFixed(1);
    root.append(svg("line", { class: "rule", x1: at, x2: at, y1: TOP, y2: height - 26 }), svg("text", { class: "tick middle", x: at, y: height - 8 }, time_at(tick, step_s)));
  }
  rows.forEach(({ process_name }, row) => root.append(svg("text", { class: "name small end", x: labels - 8, y: y(row) + 4 }, shown(process_name, 18), svg("title", {}, visible(process_name)))));
  for (const [row, kind, from, to] of segments) {
    const left = Math.max(labels, x(from)), wide = Math.max(0.6, Math.min(width - 12, x(to)) - left);
    root.append(svg("rect", { class: kind === 0 ? "busy" : "blocked", x: left.toFixed(1), y: y(row) - (kind === 0 ? 7 : 0.75), width: wide.toFixed(1), height: kind === 0 ? 14 : 1.5 }));
  }
  const clip = (t: number) => Math.max(labels, Math.min(width - 12, t));
  for (const [from, to, sent, received, size, of] of arcs) {
    const x1 = x(sent), x2 = x(received), slope = x2 === x1 ? 0 : (y(to) - y(from)) / (x2 - x1);
    const [a, b] = [clip(x1), clip(x2)];
    const at = (value: number) => (slope === 0 ? y(value === a ? from : to) : y(from) + (value - x1) * slope);
    root.append(svg("g", { class: of === 0 ? "message" : "waking" }, svg("line", { x1: a.toFixed(1), y1: at(a).toFixed(1), x2: b.toFixed(1), y2: at(b).toFixed(1) }),
      b === x2 ? svg("circle", { cx: b.toFixed(1), cy: y(to), r: 2.2 }) : null,
      svg("title", {}, `${visible(rows[from]?.process_name ?? "")} → ${visible(rows[to]?.process_name ?? "")}: ${bytes(size)}, ${seconds((received - sent) * 1e-9)}`)));
  }
  return root;
}

function bands(root: SVGSVGElement, rows: { machine_name: string }[], labels: number, width: number): void {
  let dark = false;
  rows.forEach(({ machine_name }, row) => {
    const first = row === 0 || rows[row - 1].machine_name !== machine_name;
    if (first && row > 0) dark = !dark;
    if (dark) root.append(svg("rect", { class: "band", x: 0, y: TOP + row * LANE, width, height: LANE }));
    if (first) root.append(svg("text", { class: "tick", x: labels + 4, y: TOP + row * LANE + 10 }, shown(machine_name, 24)));
  });
}
