// What the pointer does on anything whose x axis is the shared time: the wheel zooms around the pointer (with Shift it moves), a drag
// selects a range or moves it, two fingers zoom and move, a double click shows the whole run, and the time under the pointer is shown in all plots.
import { Context } from "../frame/context";

export interface Gestures {
  element: HTMLElement;
  left: () => number;  // of the plot within the element, in pixels
  right: () => number;
  drag: "select" | "move";
  on_click?: (x: number, y: number) => void;
  on_move?: (x: number, y: number) => void;
  on_leave?: () => void;
}

export interface Selecting {
  from_s: number;
  to_s: number;
}

const CLICK_PX = 4;

export class TimeGestures {
  selecting: Selecting | null = null;
  private readonly fingers = new Map<number, { x: number; y: number }>();
  private pinch: { a: number; b: number } | null = null;  // the times that two fingers hold
  private start: { x: number; y: number; from_s: number; to_s: number; moved: boolean } | null = null;

  constructor(private readonly context: Context, private readonly options: Gestures) {
    const { element } = options;
    element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    element.addEventListener("pointerdown", (event) => this.down(event));
    element.addEventListener("pointermove", (event) => this.move(event));
    element.addEventListener("pointerup", (event) => this.up(event));
    element.addEventListener("pointercancel", (event) => this.cancel(event));
    element.addEventListener("pointerleave", () => {
      if (!this.start) context.hover(null);
      options.on_leave?.();
    });
    element.addEventListener("dblclick", () => context.show_whole());
  }

  private time_at(x: number): number {
    const { from_s, to_s } = this.context.range();
    return from_s + ((x - this.options.left()) / (this.options.right() - this.options.left())) * (to_s - from_s);
  }

  private place(event: PointerEvent | WheelEvent): { x: number; y: number } {
    const box = this.options.element.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }

  private wheel(event: WheelEvent): void {
    // Without Ctrl the page scrolls where it has somewhere to scroll; over a plot that takes the whole view it zooms.
    if (this.options.drag === "select" && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey) return;
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : event.deltaMode === 2 ? 200 : 1;
    const sideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    const amount = (sideways ? event.deltaX || event.deltaY : event.deltaY) * lines;
    if (sideways) this.context.pan(amount / 1000);
    else this.context.zoom(Math.pow(2, Math.max(-200, Math.min(200, amount)) / 240), this.time_at(this.place(event).x));
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.options.element.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, this.place(event));
    if (this.fingers.size > 1) return this.begin_pinch();
    this.start = { ...this.place(event), ...this.context.range(), moved: false };
  }

  private move(event: PointerEvent): void {
    const { x, y } = this.place(event);
    if (this.fingers.has(event.pointerId)) this.fingers.set(event.pointerId, { x, y });
    if (this.pinch) return this.follow_pinch(this.pinch);
    this.context.hover(this.time_at(x));
    const { start } = this;
    if (!start) return this.options.on_move?.(x, y);
    if (!start.moved && Math.abs(x - start.x) < CLICK_PX) return;
    start.moved = true;
    if ((this.options.drag === "move") !== event.shiftKey) {
      const by = ((start.x - x) / (this.options.right() - this.options.left())) * (start.to_s - start.from_s);
      this.context.show({ from_s: start.from_s + by, to_s: start.to_s + by });
    } else {
      const [a, b] = [this.time_at(start.x), this.time_at(x)];
      this.selecting = { from_s: Math.min(a, b), to_s: Math.max(a, b) };
      this.context.loop.wake();
    }
  }

  private up(event: PointerEvent): void {
    const { start, selecting } = this;
    this.cancel(event);
    if (!start) return;
    const { x, y } = this.place(event);
    if (!start.moved && Math.abs(y - start.y) < CLICK_PX * 3) this.options.on_click?.(x, y);
    if (selecting && selecting.to_s > selecting.from_s) this.context.show(selecting);
  }

  // What is under each finger stays under it.
  private begin_pinch(): void {
    this.start = null;
    this.selecting = null;
    const [first, second] = this.fingers.values();
    this.pinch = { a: this.time_at(first.x), b: this.time_at(second.x) };
  }

  private follow_pinch({ a, b }: { a: number; b: number }): void {
    const [first, second] = this.fingers.values();
    const left = this.options.left(), right = this.options.right();
    const s_per_px = (b - a) / (second.x - first.x);
    if (!(s_per_px > 0) || !Number.isFinite(s_per_px)) return;
    const from_s = a - (first.x - left) * s_per_px;
    this.context.show({ from_s, to_s: from_s + (right - left) * s_per_px });
  }

  private cancel(event: PointerEvent): void {
    this.fingers.delete(event.pointerId);
    if (this.fingers.size < 2) this.pinch = null;
    this.start = null;
    this.selecting = null;
  }
}
