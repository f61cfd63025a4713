// The bar below every view: the whole run as a strip with the shared time range in it, and the replay: play, pause, speed, jumps to a
// time or to an event. The cursor of a replay moves the range with it.
import { Context } from "./context";
import { icon } from "./icons";
import { Strip } from "./strip";
import { Search } from "./search";
import { el, set_attribute, set_text } from "../dom";
import { parse_time, seconds, time_at } from "../format";

const SPEEDS = [0.001, 0.01, 0.1, 0.5, 1, 2, 5, 10, 100];
const LASTS_S: [string, string][] = [["", "whole run"], ["10", "last 10 s"], ["60", "last minute"], ["600", "last 10 minutes"]];

export class TimeBar {
  readonly element: HTMLElement;
  playing = false;
  private readonly play = el("button", { id: "play", title: "Play or pause (Space)", onclick: () => this.toggle_play() });
  private readonly speed = el("select", { "aria-label": "Speed of the replay", title: "Speed of the replay" }, ...SPEEDS.map((speed) => el("option", { value: speed, selected: speed === 1 }, `${speed}×`)));
  private readonly time = el("input", { type: "text", class: "time", "aria-label": "Time: type one to jump there, such as 12.5, 350 ms or 1:02:03", placeholder: "jump to", spellcheck: "false", autocomplete: "off" });
  private readonly range_text = el("span", { class: "range" });
  private readonly last = el("select", { "aria-label": "Time range", title: "Time range" }, ...LASTS_S.map(([value, text]) => el("option", { value }, text)));
  private readonly strip: Strip;
  private readonly search: Search;
  private readonly message = el("span", { class: "said", role: "status" });
  private last_ms = 0;
  private shown_icon = "";

  constructor(private readonly context: Context) {
    this.strip = new Strip(context);
    this.search = new Search(context);
    this.time.addEventListener("change", () => this.jump_to_text());
    this.time.addEventListener("focus", () => this.time.select());
    this.time.addEventListener("keydown", (event) => event.key === "Enter" && this.jump_to_text());
    this.last.addEventListener("change", () => this.choose_last());
    this.element = el("footer", { class: "time-bar", "aria-label": "Time and replay" },
      el("div", { class: "transport" },
        el("button", { "aria-label": "To the beginning", title: "To the beginning (Home)", onclick: () => this.jump(0) }, icon("start")),
        el("button", { "aria-label": "Event before", title: "Event before (,)", onclick: () => this.step("before") }, icon("before")),
        this.play,
        el("button", { "aria-label": "Event after", title: "Event after (.)", onclick: () => this.step("after") }, icon("after")), this.speed, this.time),
      this.strip.element,
      el("div", { class: "ranges" }, this.range_text, this.last, this.search.element, this.message));
    this.update();
  }

  frame(now_ms: number): void {
    const passed_s = Math.min(0.25, (now_ms - this.last_ms) / 1000);
    this.last_ms = now_ms;
    if (this.playing) {
      this.advance(passed_s * Number(this.speed.value));
      this.context.loop.wake();
    }
    this.strip.draw();
    this.write();
  }

  update(): void {
    const name = this.playing ? "pause" : "play";
    if (this.shown_icon !== name) {
      this.shown_icon = name;
      this.play.replaceChildren(icon(name));
      set_attribute(this.play, "aria-label", this.playing ? "Pause the replay" : "Play");
    }
    const { span } = this.context.state;
    const value = "from_s" in span ? "fixed" : span.last_s === null ? "" : String(span.last_s);
    if (this.last.value !== value) {
      if (![...this.last.options].some((option) => option.value === value)) this.last.append(el("option", { value }, value === "fixed" ? "chosen range" : `last ${value} s`));
      this.last.value = value;
    }
  }

  toggle_play(): void {
    this.playing = !this.playing;
    const { context } = this;
    if (this.playing) {
      const { from_s, to_s } = context.range();
      const end_s = context.whole().to_s;
      const at_s = context.state.at_s;
      // From the cursor; from the beginning if there is none or it is at the end.
      const start_s = at_s !== null && at_s < end_s - 1e-9 ? at_s : from_s > 0 && to_s < end_s ? from_s : 0;
      if ("last_s" in context.state.span && context.state.span.last_s === null) this.show_around(start_s, Math.min(end_s, Math.max(end_s / 8, 1e-6)));
      context.store.change({ at_s: start_s });
    }
    this.update();
    context.loop.wake();
  }

  // Moves the cursor, and the range so that the cursor is in it.
  jump(at_s: number): void {
    const { context } = this;
    const { from_s, to_s } = context.range();
    context.store.change({ at_s });
    if (at_s < from_s || at_s > to_s) this.show_around(at_s, to_s - from_s);
    context.loop.wake();
  }

  async step(direction: "before" | "after"): Promise<void> {
    const { context } = this;
    const process = context.state.selected[0];
    if (process === undefined) return this.say("Select a process first: these keys go from event to event of it.");
    const { from_s, to_s } = context.range();
    try {
      const found = await context.source.request("event_at", { process, at_s: context.state.at_s ?? (from_s + to_s) / 2, direction });
      this.jump(found.at_s);
      this.say(`${found.type} at ${seconds(found.at_s)}`);
    } catch (error) {
      this.say((error as Error).message);
    }
  }

  follow(): void {
    const { context } = this;
    const { from_s, to_s } = context.range();
    this.playing = false;
    if ("last_s" in context.state.span) context.show({ from_s, to_s });
    else context.store.change({ span: { last_s: Math.min(to_s - from_s, Math.max(10, context.whole().to_s / 10)) }, at_s: null });
    this.update();
    context.loop.wake();
  }

  focus_search(): void {
    this.search.focus();
  }

  private advance(by_s: number): void {
    const { context } = this;
    const end_s = context.whole().to_s;
    const at_s = Math.min(end_s, (context.state.at_s ?? 0) + by_s);
    const { from_s, to_s } = context.range();
    // The cursor stays at two thirds of the range.
    const wanted = at_s - (to_s - from_s) * 0.66;
    context.store.change({ at_s, span: "from_s" in context.state.span && wanted > from_s ? { from_s: wanted, to_s: wanted + (to_s - from_s) } : context.state.span });
    if (at_s >= end_s && !context.clock.running) this.toggle_play();
  }

  private show_around(at_s: number, width_s: number): void {
    this.context.store.change({ span: { from_s: at_s - width_s * 0.33, to_s: at_s + width_s * 0.67 } });
  }

  private choose_last(): void {
    if (this.last.value === "fixed") return this.context.show(this.context.range());
    this.playing = false;
    this.context.store.change({ span: { last_s: this.last.value === "" ? null : Number(this.last.value) } });
    this.context.loop.wake();
  }

  private jump_to_text(): void {
    if (this.time.value.trim() === "") return;
    const at_s = parse_time(this.time.value);
    if (at_s === null) return this.say(`“${this.time.value}” is not a time. Write 12.5, 350 ms or 1:02:03.`);
    this.time.blur();
    this.jump(Math.min(at_s, this.context.whole().to_s));
  }

  private write(): void {
    const { from_s, to_s } = this.context.range();
    const step_s = (to_s - from_s) / 500;
    const visible_from = "last_s" in this.context.state.span ? Math.max(0, from_s) : from_s;
    set_text(this.range_text, `${time_at(visible_from, step_s)} – ${time_at(to_s, step_s)}`);
    const { at_s } = this.context.state;
    if (document.activeElement !== this.time) {
      const text = at_s === null ? "" : time_at(at_s, step_s);
      if (this.time.value !== text) this.time.value = text;
    }
  }

  private say(text: string): void {
    set_text(this.message, text);
    setTimeout(() => set_text(this.message, ""), 6000);
  }
}
