// The axis of time below plots: ticks at round times, labels that differ.
import { tickStep } from "d3-array";
import { time_at } from "../format";
import { Colours } from "./colours";
import { text_width } from "./surface";

const CLOCK_STEPS_S = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];

// Pure: the distance between ticks, so that there are at most `most` in the range.
export function time_step(span_s: number, most: number): number {
  const raw = span_s / Math.max(1, most);
  if (raw > 1) return CLOCK_STEPS_S.find((step) => step >= raw) ?? Math.ceil(raw / 86400) * 86400;
  let step = tickStep(0, span_s, Math.max(1, most));
  while (span_s / step > most + 1e-6) step *= 2;
  return step;
}

export function time_ticks(from_s: number, to_s: number, most: number): { step_s: number; ticks: number[] } {
  const step_s = time_step(to_s - from_s, most);
  const ticks: number[] = [];
  const first = Math.ceil(from_s / step_s - 1e-9);
  for (let i = first; i * step_s <= to_s && ticks.length < 200; ++i) ticks.push(i * step_s);
  return { step_s, ticks };
}

const LEFT_MORE = 20;  // labels may reach over the left border, where the numbers of the other axis leave room

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export function draw_time_axis(drawing: CanvasRenderingContext2D, box: Box, from_s: number, to_s: number, colours: Colours, grid = true, left_more = LEFT_MORE): void {
  const width = box.right - box.left;
  const { step_s, ticks } = time_ticks(from_s, to_s, Math.max(3, Math.floor(width / 95)));
  drawing.textBaseline = "top";
  drawing.textAlign = "left";
  drawing.lineWidth = 1;
  for (const tick of ticks) {
    const x = Math.round(box.left + ((tick - from_s) / (to_s - from_s)) * width) + 0.5;
    if (grid) {
      drawing.strokeStyle = colours.soft;
      drawing.beginPath();
      drawing.moveTo(x, box.top);
      drawing.lineTo(x, box.bottom);
      drawing.stroke();
    }
    const text = time_at(tick, step_s);
    const half = text_width(drawing, text) / 2;
    const left = Math.max(box.left - left_more, x - half);
    if (left - (x - half) > half || x + half > box.right + 12) continue;
    drawing.fillStyle = colours.muted;
    drawing.fillText(text, left, box.bottom + 6);
  }
  drawing.strokeStyle = colours.line;
  drawing.beginPath();
  drawing.moveTo(box.left, box.bottom + 0.5);
  drawing.lineTo(box.right, box.bottom + 0.5);
  drawing.stroke();
}
