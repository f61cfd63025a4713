// The whole run in one line: messages a second, the shared range as a window that can be dragged and resized, the replay's cursor.
import { Context } from "./context";
import { el, set_attribute } from "../dom";
import { seconds } from "../format";
import { colours, theme_number } from "../draw/colours";
import { Surface } from "../draw/surface";
import { vertical } from "../draw/time_plot";
import { Series } from "../source/requests";

const BINS = 300, EDGE_PX = 7;

export class Strip {
  readonly element = el("div", { class: "strip", role: "slider", tabindex: "0", "aria-label": "Time range: arrow keys move it, plus and minus change its width", "aria-valuemin": "0" });
  private readonly surface: Surface;
  private answer: Series | null = null;
  private answers = 0;  // that have come
  private drag: { x: number; from_s: number; to_s: number; how: "move" | "left" | "right" | "new" } | null = null;

  constructor(private readonly context: Context) {
    this.surface = new Surface(this.element, () => context.loop.wake());
    context.feed({
      request: "series", parameters: () => ({ from_s: 0, to_s: context.clock.known_s || undefined, width: BINS, of: [{ what: "messages" }] }), each_ms: 1000, is_aside: true, mark: null,
      on_answer: (answer) => {
        this.answer = answer;
        ++this.answers;
      },
      on_time: () => {},
    });
    this.element.addEventListener("pointerdown", (event) => this.down(event));
    this.element.addEventListener("pointermove", (event) => this.move(event));
    this.element.addEventListener("pointerup", () => (this.drag = null));
    this.element.addEventListener("dblclick", () => context.show_whole());
    this.element.addEventListener("keydown", (event) => this.key(event));
  }

  draw(): void {
    const { width, height } = this.surface;
    const to_s = this.context.whole().to_s;
    const x = (t: number) => (t / to_s) * width;
    const range = this.context.range();
    const { at_s } = this.context.state;
    const left = Math.max(0, x(range.from_s)), right = Math.min(width, Math.max(left + 2, x(range.to_s)));
    // As long as nothing moves by a pixel, it is the same picture.
    const places = [left, right, at_s === null ? -1 : x(at_s), this.answer ? x(this.context.clock.known_s) : -1].map(Math.round);
    const drawing = this.surface.begin([...places, this.answers, theme_number()].join());
    if (!drawing) return;
    this.draw_values(drawing, x, height);
    drawing.fillStyle = colours().page;
    drawing.globalAlpha = 0.6;
    drawing.fillRect(0, 0, left, height);
    drawing.fillRect(right, 0, width - right, height);
    drawing.globalAlpha = 1;
    drawing.strokeStyle = colours().accent;
    drawing.lineWidth = 1.5;
    drawing.strokeRect(left + 0.75, 0.75, right - left - 1.5, height - 1.5);
    if (at_s !== null) vertical(drawing, x(at_s), { left: 0, top: 0, right: width, bottom: height }, colours().critical, 2);
    set_attribute(this.element, "aria-valuemax", to_s.toPrecision(4));
    set_attribute(this.element, "aria-valuenow", Math.max(0, range.from_s).toPrecision(4));
    set_attribute(this.element, "aria-valuetext", `${seconds(Math.max(0, range.from_s))} to ${seconds(range.to_s)}`);
  }

  private draw_values(drawing: CanvasRenderingContext2D, x: (t: number) => number, height: number): void {
    if (!this.answer) return;
    const { t_s, v0, step_s } = this.answer;
    let most = 0;
    for (const value of v0) if (value > most) most = value;
    if (most <= 0) return;
    drawing.fillStyle = colours().faint;
    for (let i = 0; i < t_s.length; ++i) {
      if (!(v0[i] > 0)) continue;
      const tall = Math.max(1, (v0[i] / most) * (height - 6));
      const left = x(t_s[i]);
      drawing.fillRect(left, height - tall - 1, Math.max(1, x(t_s[i] + step_s) - left), tall);
    }
  }

  private time_of(event: PointerEvent): { x: number; time_s: number } {
    const x = event.clientX - this.element.getBoundingClientRect().left;
    return { x, time_s: (x / this.surface.width) * this.context.whole().to_s };
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.element.setPointerCapture(event.pointerId);
    const { x, time_s } = this.time_of(event);
    const range = this.context.range();
    const pixel = this.surface.width / this.context.whole().to_s;
    const left = range.from_s * pixel, right = range.to_s * pixel;
    const whole = right - left > this.surface.width * 0.97;
    const how = whole ? "new" : Math.abs(x - left) < EDGE_PX ? "left" : Math.abs(x - right) < EDGE_PX ? "right" : x > left && x < right ? "move" : "new";
    this.drag = { x, from_s: how === "new" ? time_s : range.from_s, to_s: range.to_s, how };
  }

  private move(event: PointerEvent): void {
    if (!this.drag) return;
    const { x, time_s } = this.time_of(event);
    const { from_s, to_s, how } = this.drag;
    if (Math.abs(x - this.drag.x) < 3) return;
    const by_s = ((x - this.drag.x) / this.surface.width) * this.context.whole().to_s;
    const [a, b] = how === "move" ? [from_s + by_s, to_s + by_s] : how === "right" ? [from_s, time_s] : how === "left" ? [time_s, to_s] : [from_s, time_s];
    if (a !== b) this.context.show({ from_s: Math.min(a, b), to_s: Math.max(a, b) });
  }

  private key(event: KeyboardEvent): void {
    const { context } = this;
    if (event.key === "ArrowLeft") context.pan(-0.1);
    else if (event.key === "ArrowRight") context.pan(0.1);
    else if (event.key === "+" || event.key === "ArrowUp") context.zoom(0.8);
    else if (event.key === "-" || event.key === "ArrowDown") context.zoom(1.25);
    else if (event.key === "Home") context.show_whole();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
