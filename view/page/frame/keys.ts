// The keys of all views. A view is asked first. W A S D move as long as they are held, as in Perfetto.
import { Context } from "./context";
import { Help } from "./help";
import { TimeBar } from "./time_bar";
import { arc_pin, process_pin } from "../state/pins";
import { OpenView, View } from "../views/view";

const HELD: Record<string, [zoom: number, pan: number]> = { w: [-1, 0], s: [1, 0], a: [0, -1], d: [0, 1] };

export class Keys {
  private readonly held = new Set<string>();
  private speed = 0;
  private last_ms = 0;

  constructor(private readonly context: Context, private readonly views: View[], private readonly time_bar: TimeBar, private readonly help: Help,
    private readonly view: () => OpenView | null) {
    addEventListener("keydown", (event) => this.down(event));
    addEventListener("keyup", (event) => this.held.delete(event.key.toLowerCase()));
    addEventListener("blur", () => this.held.clear());
    context.loop.add((now_ms) => this.frame(now_ms));
  }

  private down(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (event.key === "Escape" && this.help.is_open) return this.help.close();
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName) && !(target as HTMLInputElement).type?.match(/range|checkbox/)) {
      if (event.key === "Escape") target.blur();
      return;
    }
    if (this.help.is_open && event.key !== "?") {
      // The focus stays in the list of keys, which has one button.
      if (event.key === "Tab") event.preventDefault();
      return;
    }
    if (this.view()?.key?.(event)) return event.preventDefault();
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (this.act(event.key, target)) event.preventDefault();
  }

  private act(key: string, target: HTMLElement): boolean {
    const { context } = this;
    const lower = key.toLowerCase();
    if (lower in HELD) {
      this.hold(lower);
    } else if (/^[1-9]$/.test(key) && this.views[Number(key) - 1]) {
      context.store.change({ view: this.views[Number(key) - 1].id }, true);
    } else if (key === " " && !/^(BUTTON|A)$/.test(target.tagName) && target.getAttribute("role") !== "button") {
      this.time_bar.toggle_play();
    } else if (key === "Home" && target === document.body) {
      this.time_bar.jump(0);
    } else if (key === "Escape") {
      context.store.change({ selected: [], arc: null, message: null });
      context.loop.wake();
    } else if (key === "?") this.help.toggle();
    else if (key === "/") this.time_bar.focus_search();
    else if (key === "0") context.show_whole();
    else if (key === ",") this.time_bar.step("before");
    else if (key === ".") this.time_bar.step("after");
    else if (lower === "f") this.time_bar.follow();
    else if (lower === "p") this.pin();
    else if (lower === "t") document.getElementById("theme")?.click();
    else if (lower === "c") document.getElementById("palette")?.click();
    else return false;
    return true;
  }

  private pin(): void {
    const { state } = this.context;
    if (state.arc) this.context.pin(arc_pin(state.quantity, ...state.arc));
    else if (state.selected.length > 0) this.context.pin(state.selected.slice(0, 8).map((id) => process_pin("cpu", id)).join(","));
  }

  private hold(key: string): void {
    if (this.held.size === 0) this.last_ms = performance.now() - 16;
    this.held.add(key);
    // A short press is a step, however long a picture takes.
    if (this.speed === 0) this.move(HELD[key], 0.06);
    this.context.loop.wake();
  }

  private frame(now_ms: number): void {
    const passed_s = Math.min(0.05, (now_ms - this.last_ms) / 1000);
    this.last_ms = now_ms;
    if (this.held.size === 0) {
      this.speed = 0;
      return;
    }
    this.speed = Math.min(1, this.speed + passed_s * 4);
    for (const key of this.held) this.move(HELD[key], passed_s * (0.4 + this.speed));
    this.context.loop.wake();
  }

  private move([zoom, pan]: [number, number], amount: number): void {
    if (zoom !== 0) this.context.zoom(Math.exp(zoom * amount * 2.2), this.context.hover_s ?? undefined);
    else this.context.pan(pan * amount * 0.9);
  }
}
