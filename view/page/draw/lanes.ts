// Draws the lanes of a space-time diagram from an answer `spacetime`: work and waits of each row, messages between rows. Segments of one
// kind are one path, so that tens of thousands take one stroke of the browser.
import { bisectLeft } from "d3-array";
import { BinPicture } from "./bin_picture";
import { Colours } from "./colours";
import { Answer, BinnedEvents, SingleEvents } from "../source/requests";

export interface LaneView {
  from_s: number;
  to_s: number;
  width: number;  // of the time axis, in pixels
  lane: number;  // the height of a row
  top: number;
  rows: number;
}

export interface Highlight {
  message: number | null;
  past: ReadonlySet<number>;
  future: ReadonlySet<number>;
  selected: ReadonlySet<number>;  // rows
  arc: [number, number] | null;  // rows
}

// In the order of seg_kind: the name of its colour, and what a process does then.
export const KINDS = [["work", "works"], ["wait", "waits for a message"], ["other", "waits, not measured for what"], ["child", "waits for a child"], ["queue", "waits for CPU, disk"], ["timer", "sleeps, until a timer"],
  ["idle", "idle: lock, signal, timer, person"]] as const;

export const x_of = (view: LaneView, time_s: number) => ((time_s - view.from_s) / (view.to_s - view.from_s)) * view.width;
export const y_of = (view: LaneView, row: number) => view.top + (row + 0.5) * view.lane;

export function draw_lanes(drawing: CanvasRenderingContext2D, answer: Answer<"spacetime">, view: LaneView, colours: Colours, highlight: Highlight, picture: BinPicture): void {
  if (answer.exact) {
    draw_segments(drawing, answer, view, colours);
    draw_messages(drawing, answer, view, colours, highlight);
  } else {
    if (picture.make(answer, view.lane, colours)) draw_picture(drawing, picture, view);
    else draw_bins(drawing, answer, view, colours);
    draw_flows(drawing, answer, view, colours, highlight);
  }
}

// Work is a full bar, a wait for a message a thin line, a wait for a child a double line, a wait for the CPU a low bar, and what is idle lower: the
// shape tells the kind to those who do not see the colour.
function draw_segments(drawing: CanvasRenderingContext2D, answer: SingleEvents, view: LaneView, colours: Colours): void {
  const { seg_row, seg_kind, seg_from, seg_to, seg_critical } = answer;
  const bar = Math.max(3, Math.min(18, view.lane * 0.56));
  const half: Record<number, number> = { 0: bar / 2, 1: 0.75, 2: bar / 4, 3: bar / 4, 4: bar / 3, 5: 1.5, 6: bar / 6 };
  for (let kind = KINDS.length - 1; kind >= 0; --kind) {
    drawing.beginPath();
    let last_x = -1, last_row = -1;
    for (let i = 0; i < seg_row.length; ++i) {
      if (seg_kind[i] !== kind || seg_to[i] < view.from_s || seg_from[i] > view.to_s) continue;
      const left = Math.max(-2, x_of(view, seg_from[i])), right = Math.min(view.width + 2, x_of(view, seg_to[i]));
      // What falls into a column of pixels that is drawn already adds nothing.
      if (seg_row[i] === last_row && right <= last_x) continue;
      last_row = seg_row[i];
      last_x = Math.max(right, left + 0.7);
      const y = y_of(view, seg_row[i]);
      if (kind === 3) {
        drawing.rect(left, y - half[3], last_x - left, 1.2);
        drawing.rect(left, y + half[3] - 1.2, last_x - left, 1.2);
      } else drawing.rect(left, y - half[kind], last_x - left, half[kind] * 2);
    }
    drawing.fillStyle = colours[KINDS[kind][0]];
    drawing.fill();
  }
  drawing.beginPath();
  for (let i = 0; i < seg_row.length; ++i) {
    if (!seg_critical[i] || seg_to[i] < view.from_s || seg_from[i] > view.to_s) continue;
    const left = Math.max(-2, x_of(view, seg_from[i])), right = Math.min(view.width + 2, x_of(view, seg_to[i]));
    drawing.rect(left, y_of(view, seg_row[i]) + bar / 2 + 1.5, Math.max(0.8, right - left), 2.5);
  }
  drawing.fillStyle = colours.critical;
  drawing.fill();
}

function draw_messages(drawing: CanvasRenderingContext2D, answer: SingleEvents, view: LaneView, colours: Colours, highlight: Highlight): void {
  const { arc_from, arc_to, arc_sent, arc_received, arc_kind, arc_critical, arc_id } = answer;
  const chosen = highlight.message !== null;
  const sets: { colour: string; width: number; alpha: number; arcs: number[] }[] = [
    { colour: colours.message, width: 1, alpha: Math.min(chosen ? 0.18 : 1, alpha_of(answer.arc_from.length, view)), arcs: [] }, { colour: colours.child, width: 1, alpha: chosen ? 0.2 : 0.8, arcs: [] },
    { colour: colours.critical, width: 2.2, alpha: chosen ? 0.3 : 1, arcs: [] }, { colour: colours.select, width: 1.8, alpha: 1, arcs: [] },
    { colour: colours.past, width: 1.6, alpha: 1, arcs: [] }, { colour: colours.future, width: 1.6, alpha: 1, arcs: [] }, { colour: colours.select, width: 3, alpha: 1, arcs: [] },
  ];
  for (let i = 0; i < arc_from.length; ++i) {
    if (arc_received[i] < view.from_s || arc_sent[i] > view.to_s) continue;
    const id = arc_id[i];
    const pair = highlight.arc !== null && arc_from[i] === highlight.arc[0] && arc_to[i] === highlight.arc[1];
    const set = id === highlight.message ? 6 : highlight.past.has(id) ? 4 : highlight.future.has(id) ? 5 : !chosen && pair ? 3 : arc_critical[i] ? 2 : arc_kind[i] !== 0 ? 1 : 0;
    sets[set].arcs.push(i);
  }
  // The lanes below must be seen through many arcs of the longest path too; the line under each lane tells where it leads.
  const critical = sets[2];
  if (critical.arcs.length > view.width * FEW_PER_PX) Object.assign(critical, { width: 1, alpha: critical.alpha * alpha_of(critical.arcs.length * 4, view) });
  for (const { colour, width, alpha, arcs } of sets) {
    if (arcs.length === 0) continue;
    drawing.globalAlpha = alpha;
    drawing.strokeStyle = drawing.fillStyle = colour;
    drawing.lineWidth = width;
    stroke_arcs(drawing, answer, view, arcs, width > 1.5);
    drawing.globalAlpha = 1;
  }
}

// Many lines are fainter than few, so that dense parts do not become one blot.
const FEW_PER_PX = 0.1;

function alpha_of(arcs: number, view: LaneView): number {
  const per_pixel = arcs / Math.max(200, view.width);
  return per_pixel < 1 ? Math.min(0.9, 1.1 - per_pixel * 0.5) : Math.max(0.06, 0.6 / per_pixel);
}

function stroke_arcs(drawing: CanvasRenderingContext2D, { arc_from, arc_to, arc_sent, arc_received, arc_kind }: SingleEvents, view: LaneView, arcs: number[], strong: boolean): void {
  drawing.beginPath();
  for (const i of arcs) {
    drawing.moveTo(x_of(view, arc_sent[i]), y_of(view, arc_from[i]));
    drawing.lineTo(x_of(view, arc_received[i]), y_of(view, arc_to[i]));
  }
  drawing.setLineDash(arcs.length > 0 && arc_kind[arcs[0]] === 1 && !strong ? [4, 3] : []);
  drawing.stroke();
  drawing.setLineDash([]);
  const size = strong ? 3.2 : 2.2;
  if (arcs.length > 1500 && !strong) return;
  drawing.beginPath();
  for (const i of arcs) {
    const x = x_of(view, arc_received[i]), y = y_of(view, arc_to[i]);
    if (x < -4 || x > view.width + 4) continue;
    drawing.moveTo(x + size, y);
    drawing.arc(x, y, size, 0, 7);
  }
  drawing.fill();
}

function draw_picture(drawing: CanvasRenderingContext2D, { canvas, from_s, to_s }: BinPicture, view: LaneView): void {
  const left = x_of(view, from_s);
  drawing.imageSmoothingEnabled = false;
  drawing.drawImage(canvas, left, view.top, x_of(view, to_s) - left, view.rows * view.lane);
}

function draw_bins(drawing: CanvasRenderingContext2D, { bin_row, bin_from, bin_to, bin_work, bin_wait }: BinnedEvents, view: LaneView, colours: Colours): void {
  const high = view.lane * 0.8;
  for (const pass of ["wait", "work"] as const) {
    drawing.beginPath();
    for (let i = 0; i < bin_row.length; ++i) {
      if (bin_to[i] < view.from_s || bin_from[i] > view.to_s) continue;
      const left = x_of(view, bin_from[i]), right = x_of(view, bin_to[i]);
      const bottom = y_of(view, bin_row[i]) + high / 2;
      const work = Math.min(1, bin_work[i]) * high;
      if (pass === "work") drawing.rect(left, bottom - work, Math.max(0.8, right - left + 0.3), work);
      else drawing.rect(left, bottom - Math.min(high, work + bin_wait[i] * high), Math.max(0.8, right - left + 0.3), Math.min(high - work, bin_wait[i] * high));
    }
    drawing.globalAlpha = pass === "wait" ? 0.28 : 1;
    drawing.fillStyle = colours[pass];
    drawing.fill();
    drawing.globalAlpha = 1;
  }
}

const FLOWS_MAX = 500;

function draw_flows(drawing: CanvasRenderingContext2D, { flow_from, flow_to, flow_t, flow_messages }: BinnedEvents, view: LaneView, colours: Colours, highlight: Highlight): void {
  const step = Math.max(1, Math.ceil(flow_from.length / FLOWS_MAX));
  drawing.strokeStyle = colours.message;
  drawing.lineWidth = 1;
  drawing.globalAlpha = Math.max(0.1, Math.min(0.5, 300 / Math.max(1, flow_from.length)));
  drawing.beginPath();
  for (let i = 0; i < flow_from.length; i += step) {
    if (flow_t[i] < view.from_s || flow_t[i] > view.to_s) continue;
    const x = x_of(view, flow_t[i]), lean = 2 + Math.min(8, Math.log1p(flow_messages[i]));
    drawing.moveTo(x, y_of(view, flow_from[i]));
    drawing.lineTo(x + lean, y_of(view, flow_to[i]));
  }
  drawing.stroke();
  drawing.globalAlpha = 1;
  if (!highlight.arc) return;
  drawing.strokeStyle = colours.select;
  drawing.lineWidth = 1.5;
  drawing.beginPath();
  for (let i = 0; i < flow_from.length; ++i) {
    if (flow_from[i] !== highlight.arc[0] || flow_to[i] !== highlight.arc[1]) continue;
    drawing.moveTo(x_of(view, flow_t[i]), y_of(view, flow_from[i]));
    drawing.lineTo(x_of(view, flow_t[i]) + 5, y_of(view, flow_to[i]));
  }
  drawing.stroke();
}

const NEAR_PX = 6;

// The message nearest to a point, or -1.
export function message_at(answer: Answer<"spacetime">, view: LaneView, x: number, y: number): number {
  if (!answer.exact) return -1;
  const { arc_from, arc_to, arc_sent, arc_received } = answer;
  let best = -1, best_distance = NEAR_PX;
  for (let i = 0; i < arc_from.length; ++i) {
    if (arc_received[i] < view.from_s || arc_sent[i] > view.to_s) continue;
    const distance = distance_to(x, y, x_of(view, arc_sent[i]), y_of(view, arc_from[i]), x_of(view, arc_received[i]), y_of(view, arc_to[i]));
    if (distance < best_distance) [best, best_distance] = [i, distance];
  }
  return best;
}

export function distance_to(x: number, y: number, x1: number, y1: number, x2: number, y2: number): number {
  const dx = x2 - x1, dy = y2 - y1, length = dx * dx + dy * dy;
  const t = length > 0 ? Math.max(0, Math.min(1, ((x - x1) * dx + (y - y1) * dy) / length)) : 0;
  return Math.hypot(x - x1 - t * dx, y - y1 - t * dy);
}

// The next message in order of sending, for keys.
export function next_message({ arc_sent, arc_id }: SingleEvents, id: number | null, direction: 1 | -1, around_s: number): number {
  const order = Array.from({ length: arc_sent.length }, (_, i) => i).sort((a, b) => arc_sent[a] - arc_sent[b] || a - b);
  if (order.length === 0) return -1;
  const at = id === null ? -1 : order.findIndex((i) => arc_id[i] === id);
  if (at < 0) return order[Math.min(order.length - 1, bisectLeft(order.map((i) => arc_sent[i]), around_s))];
  return order[Math.max(0, Math.min(order.length - 1, at + direction))];
}
