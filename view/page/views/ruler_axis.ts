// The ruler on the time axis above the lanes: a drag or two clicks lay it, and its two ends are sliders for the pointer and for keys.
import { Context } from "../frame/context";
import { el, set_attribute } from "../dom";
import { seconds, time_at } from "../format";
import { near, Ruler, ruler_of, ruler_text } from "../state/ruler";

const CLICK_PX = 4;
const STEPS: Record<string, number> = { ArrowLeft: -1, ArrowDown: -1, ArrowRight: 1, ArrowUp: 1, PageDown: -10, PageUp: 10 };

type End = "from_s" | "to_s";

export class RulerAxis {
  begun_s: number | null = null;  // by the first of two clicks
  private readonly handles: Record<End, HTMLElement> = { from_s: this.handle("from_s", "Start of the ruler"), to_s: this.handle("to_s", "End of the ruler") };
  private drag: { other_s: number; x: number; is_click: boolean } | null = null;

  constructor(private readonly context: Context, private readonly place: HTMLElement, private readonly width: () => number, private readonly say: (text: string) => void) {
    place.append(this.handles.from_s, this.handles.to_s);
    place.addEventListener("pointerdown", (event) => this.down(event));
    place.addEventListener("pointermove", (event) => this.move(event));
    place.addEventListener("pointerup", (event) => this.up(event));
    place.addEventListener("pointercancel", () => (this.drag = null));
    place.addEventListener("pointerleave", () => {
      if (!this.drag) context.hover(null);
    });
  }

  // Once a picture: the ends stay at their times.
  draw(): void {
    const ruler = ruler_of(this.context.state.more);
    const { from_s, to_s } = this.context.range();
    for (const end of ["from_s", "to_s"] as const) {
      const handle = this.handles[end];
      const x = ruler ? ((ruler[end] - from_s) / (to_s - from_s)) * this.width() : -1;
      handle.hidden = !ruler || x < 0 || x > this.width();
      if (!ruler || handle.hidden) continue;
      const left = `${x}px`;
      if (handle.style.left !== left) handle.style.left = left;
      set_attribute(handle, "aria-valuemin", "0");
      set_attribute(handle, "aria-valuemax", String(Number(this.context.whole().to_s.toPrecision(12))));
      set_attribute(handle, "aria-valuenow", String(Number(ruler[end].toPrecision(12))));
      set_attribute(handle, "aria-valuetext", `${time_at(ruler[end], (to_s - from_s) / 1000)}, of ${seconds(ruler.to_s - ruler.from_s)}`);
    }
  }

  cancel(): boolean {
    const had = this.begun_s !== null;
    this.begun_s = null;
    this.drag = null;
    if (had) this.say("");
    return had;
  }

  private handle(end: End, label: string): HTMLElement {
    const handle = el("div", { class: "ruler-end " + (end === "from_s" ? "start" : "stop"), role: "slider", tabindex: "0", "aria-label": `${label}: arrow keys move it, with Shift in small steps`, hidden: true });
    handle.addEventListener("keydown", (event) => this.key(event, end));
    return handle;
  }

  private time_at(x: number): number {
    const { from_s, to_s } = this.context.range();
    return from_s + (x / Math.max(1, this.width())) * (to_s - from_s);
  }

  private x_of(event: PointerEvent): number {
    return event.clientX - this.place.getBoundingClientRect().left;
  }

  private lay(a_s: number, b_s: number): void {
    const { from_s, to_s } = this.context.range();
    const step_s = (to_s - from_s) / Math.max(1, this.width());
    const text = ruler_text(near(a_s, step_s), near(b_s, step_s));
    if (text !== "") this.context.store.remember("ruler", text);
    this.context.loop.wake();
  }

  private down(event: PointerEvent): void {
    if (event.button !== 0) return;
    this.place.setPointerCapture(event.pointerId);
    const x = this.x_of(event);
    const ruler = ruler_of(this.context.state.more);
    const held = ruler && event.target === this.handles.from_s ? ruler.to_s : ruler && event.target === this.handles.to_s ? ruler.from_s : null;
    this.drag = { other_s: held ?? this.time_at(x), x, is_click: held === null };
  }

  private move(event: PointerEvent): void {
    const x = this.x_of(event);
    this.context.hover(this.time_at(x));
    const { drag } = this;
    if (!drag || (drag.is_click && Math.abs(x - drag.x) < CLICK_PX)) return;
    drag.is_click = false;
    this.begun_s = null;
    this.lay(drag.other_s, this.time_at(x));
  }

  private up(event: PointerEvent): void {
    const { drag } = this;
    this.drag = null;
    if (!drag?.is_click) return;
    const at_s = this.time_at(this.x_of(event));
    if (this.begun_s === null) {
      this.begun_s = at_s;
      this.say("Click the other end of the ruler, or press Esc.");
    } else {
      this.lay(this.begun_s, at_s);
      this.cancel();
    }
    this.context.loop.wake();
  }

  private key(event: KeyboardEvent, end: End): void {
    const ruler: Ruler | null = ruler_of(this.context.state.more);
    const step = STEPS[event.key];
    if (!ruler || step === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const { from_s, to_s } = this.context.range();
    const by_s = ((to_s - from_s) * step) / (event.shiftKey ? this.width() : 100);
    const moved = { ...ruler, [end]: ruler[end] + by_s };
    // An end does not pass the other one.
    if (moved.from_s < moved.to_s) this.lay(moved.from_s, moved.to_s);
    event.preventDefault();
    event.stopPropagation();
  }
}
