// Values over the shared time, as lines on a canvas: several series, one scale, and the time under the pointer with the values there.
// The plot keeps the arrays it was given and slides over them, so a picture costs no question to the server.
import { scaleLinear } from "d3-scale";
import { bisectLeft } from "d3-array";
import { Context } from "../frame/context";
import { el, set_attribute } from "../dom";
import { short, time_at } from "../format";
import { colours, series_colour, theme_number } from "./colours";
import { Box, draw_time_axis } from "./time_axis";
import { TimeGestures } from "./time_gestures";
import { fitted, Surface, text_width } from "./surface";

export interface TimeSeries {
  name: string;
  t_s: ArrayLike<number>;  // left edges of bins
  values: ArrayLike<number>;  // NaN: not known, a gap
  step_s: number;
  dashed?: boolean;
  colour?: number;
}

export interface TimePlotOptions {
  label: string;
  format?: (value: number) => string;
  height?: number;
  fill?: boolean;  // the area below the first series is tinted
  legend?: boolean;
  top?: number;  // the scale reaches at least this
  empty?: () => string;  // why there may be no value
}

const LEFT = 60, RIGHT = 14, BOTTOM = 24;

export class TimePlot {
  readonly element: HTMLElement;
  private readonly surface: Surface;
  private readonly gestures: TimeGestures;
  private series: TimeSeries[] = [];
  private version = 0;  // of the series
  private high = 0;  // of the scale: at once where a line would leave the plot, gently back
  private high_ms = 0;

  constructor(private readonly context: Context, private readonly options: TimePlotOptions) {
    this.element = el("div", { class: "time-plot", role: "img", "aria-label": options.label });
    this.element.style.height = (options.height ?? 150) + "px";
    this.surface = new Surface(this.element, () => context.loop.wake());
    this.gestures = new TimeGestures(context, {
      element: this.element, left: () => LEFT, right: () => this.surface.width - RIGHT, drag: "select",
    });
  }

  set(series: TimeSeries[]): void {
    this.series = series;
    ++this.version;
    const format = this.options.format ?? short;
    const lasts = series.map((one) => `${one.name}: ${format(last_known(one.values))}`);
    set_attribute(this.element, "aria-label", `${this.options.label}. ${lasts.slice(0, 8).join(", ")}`);
  }

  draw(): void {
    const { from_s, to_s } = this.context.range();
    this.follow_values(from_s, to_s);
    const drawing = this.surface.begin([from_s, to_s, this.version, this.high, this.context.hover_s, this.context.state.at_s, JSON.stringify(this.gestures.selecting), theme_number()].join());
    if (!drawing) return;
    const box: Box = { left: LEFT, top: this.options.legend ? 26 : 10, right: this.surface.width - RIGHT, bottom: this.surface.height - BOTTOM };
    const scale = scaleLinear().domain([0, (this.high || 1) * 1.08]).range([box.bottom, box.top]);
    this.draw_grid(drawing, box, scale);
    draw_time_axis(drawing, box, from_s, to_s, colours());
    drawing.save();
    drawing.beginPath();
    drawing.rect(box.left, box.top - 4, box.right - box.left, box.bottom - box.top + 4);
    drawing.clip();
    const x = (t: number) => box.left + ((t - from_s) / (to_s - from_s)) * (box.right - box.left);
    this.series.forEach((one, index) => this.draw_series(drawing, one, index, x, scale, box, from_s, to_s));
    this.draw_marks(drawing, x, box);
    drawing.restore();
    if (this.options.legend) this.draw_legend(drawing, box);
    this.draw_reason(drawing, box);
    this.draw_hover(drawing, x, scale, box, from_s, to_s);
  }

  close(): void {
    this.surface.close();
  }

  private follow_values(from_s: number, to_s: number): void {
    let high = this.options.top ?? 0;
    for (const { t_s, values, step_s } of this.series) {
      for (let i = Math.max(0, bisectLeft(t_s, from_s - step_s)); i < values.length && t_s[i] < to_s; ++i) if (values[i] > high) high = values[i];
    }
    const now_ms = performance.now(), passed_ms = now_ms - this.high_ms;
    this.high_ms = now_ms;
    // Half of the way down takes 60 ms.
    this.high = high >= this.high || this.high - high < high * 0.004 ? high : high + (this.high - high) * Math.pow(0.5, passed_ms / 60);
    if (this.high !== high && !this.context.live) this.context.loop.wake(80);
  }

  private draw_grid(drawing: CanvasRenderingContext2D, box: Box, scale: ReturnType<typeof scaleLinear>): void {
    const format = this.options.format ?? short;
    drawing.textBaseline = "middle";
    drawing.textAlign = "right";
    for (const tick of scale.ticks(Math.max(2, Math.min(5, Math.floor((box.bottom - box.top) / 34))))) {
      const y = Math.round(scale(tick)) + 0.5;
      drawing.strokeStyle = colours().soft;
      drawing.beginPath();
      drawing.moveTo(box.left, y);
      drawing.lineTo(box.right, y);
      drawing.stroke();
      drawing.fillStyle = colours().muted;
      drawing.fillText(format(tick), box.left - 7, y);
    }
  }

  private draw_series(drawing: CanvasRenderingContext2D, one: TimeSeries, index: number, x: (t: number) => number, scale: (v: number) => number, box: Box,
    from_s: number, to_s: number): void {
    const { t_s, values, step_s } = one;
    drawing.beginPath();
    let begun = -1, last = -1;
    for (let i = Math.max(0, bisectLeft(t_s, from_s) - 2); i < values.length && t_s[i] < to_s + step_s; ++i) {
      if (!Number.isFinite(values[i])) {
        begun = -1;
        continue;
      }
      const at = x(t_s[i] + step_s / 2), y = scale(values[i]);
      if (begun < 0) drawing.moveTo((begun = at), y);
      else drawing.lineTo(at, y);
      last = at;
    }
    const colour = series_colour(one.colour ?? index);
    drawing.strokeStyle = colour;
    drawing.lineWidth = 1.8;
    drawing.lineJoin = "round";
    drawing.setLineDash(one.dashed ? [5, 4] : []);
    drawing.stroke();
    drawing.setLineDash([]);
    if (this.options.fill && index === 0 && begun >= 0 && this.series.length <= 2) {
      drawing.lineTo(last, box.bottom);
      drawing.lineTo(begun, box.bottom);
      drawing.globalAlpha = 0.1;
      drawing.fillStyle = colour;
      drawing.fill();
      drawing.globalAlpha = 1;
    }
  }

  private draw_marks(drawing: CanvasRenderingContext2D, x: (t: number) => number, box: Box): void {
    const { at_s } = this.context.state;
    if (at_s !== null) vertical(drawing, x(at_s), box, colours().critical, 1.5);
    const { selecting } = this.gestures;
    if (!selecting) return;
    drawing.fillStyle = colours().accent;
    drawing.globalAlpha = 0.15;
    drawing.fillRect(x(selecting.from_s), box.top, x(selecting.to_s) - x(selecting.from_s), box.bottom - box.top);
    drawing.globalAlpha = 1;
  }

  // Answers have come, and none of them has a value.
  private draw_reason(drawing: CanvasRenderingContext2D, box: Box): void {
    if (!this.options.empty || this.series.length === 0 || !this.series.every(({ values }) => Number.isNaN(last_known(values)))) return;
    drawing.textBaseline = "middle";
    drawing.textAlign = "center";
    drawing.fillStyle = colours().muted;
    drawing.fillText(fitted(drawing, this.options.empty(), box.right - box.left - 16), (box.left + box.right) / 2, (box.top + box.bottom) / 2);
  }

  private draw_legend(drawing: CanvasRenderingContext2D, box: Box): void {
    drawing.textBaseline = "middle";
    drawing.textAlign = "left";
    let left = box.left;
    this.series.forEach((one, index) => {
      const text = fitted(drawing, one.name, 220);
      const width = text_width(drawing, text) + 34;
      if (left + width > box.right + 10) return;
      drawing.strokeStyle = series_colour(one.colour ?? index);
      drawing.lineWidth = 2.5;
      drawing.setLineDash(one.dashed ? [4, 3] : []);
      drawing.beginPath();
      drawing.moveTo(left, 11);
      drawing.lineTo(left + 14, 11);
      drawing.stroke();
      drawing.setLineDash([]);
      drawing.fillStyle = colours().ink;
      drawing.fillText(text, left + 19, 11);
      left += width;
    });
  }

  private draw_hover(drawing: CanvasRenderingContext2D, x: (t: number) => number, scale: (v: number) => number, box: Box, from_s: number, to_s: number): void {
    const { hover_s } = this.context;
    if (hover_s === null || hover_s < from_s || hover_s > to_s) return;
    const at = x(hover_s);
    vertical(drawing, at, box, colours().faint, 1);
    const format = this.options.format ?? short;
    const lines = this.series.map((one, index) => ({ index, one, value: value_at(one, hover_s) })).filter(({ value }) => Number.isFinite(value));
    for (const { one, index, value } of lines) {
      drawing.fillStyle = series_colour(one.colour ?? index);
      drawing.beginPath();
      drawing.arc(at, scale(value), 3, 0, 7);
      drawing.fill();
    }
    const texts = [time_at(hover_s, (to_s - from_s) / 200), ...lines.slice(0, 8).map(({ one, value }) => (lines.length > 1 ? fitted(drawing, one.name, 150) + "  " : "") + format(value))];
    draw_tip(drawing, texts, at, box);
  }
}

function draw_tip(drawing: CanvasRenderingContext2D, texts: string[], at: number, box: Box): void {
  const width = Math.max(...texts.map((text) => text_width(drawing, text))) + 16, height = texts.length * 16 + 8;
  const left = at + 10 + width > box.right ? at - 10 - width : at + 10;
  drawing.fillStyle = colours().card;
  drawing.strokeStyle = colours().line;
  drawing.lineWidth = 1;
  drawing.beginPath();
  drawing.rect(Math.round(left) + 0.5, box.top + 0.5, Math.round(width), height);
  drawing.globalAlpha = 0.94;
  drawing.fill();
  drawing.globalAlpha = 1;
  drawing.stroke();
  drawing.textAlign = "left";
  drawing.textBaseline = "top";
  texts.forEach((text, line) => {
    drawing.fillStyle = line === 0 ? colours().muted : colours().ink;
    drawing.fillText(text, left + 8, box.top + 6 + line * 16);
  });
}

export function vertical(drawing: CanvasRenderingContext2D, x: number, box: Box, colour: string, width: number): void {
  drawing.strokeStyle = colour;
  drawing.lineWidth = width;
  drawing.beginPath();
  drawing.moveTo(x, box.top);
  drawing.lineTo(x, box.bottom);
  drawing.stroke();
}

export function value_at({ t_s, values, step_s }: TimeSeries, time_s: number): number {
  const i = bisectLeft(t_s, time_s + 1e-12) - 1;
  return i >= 0 && i < values.length && time_s < t_s[i] + step_s * 1.5 ? values[i] : NaN;
}

export function last_known(values: ArrayLike<number>): number {
  for (let i = values.length - 1; i >= 0; --i) if (Number.isFinite(values[i])) return values[i];
  return NaN;
}
