// The ruler over the lanes: its times, which can be typed, and what the selected lanes did between them.
import { Context } from "../frame/context";
import { icon } from "../frame/icons";
import { el, replace, set_text } from "../dom";
import { bytes, counted, grouped, parse_time, seconds, time_at } from "../format";
import { Answer } from "../source/requests";
import { ExactRange, RangeAnswer } from "../state/exact_range";
import { causes_of, CPU_TIME, LaneSums, total_of } from "../state/range_sums";
import { near, NOTE_CHARACTERS_MAX, notes_of, notes_text, Ruler, ruler_of, ruler_text } from "../state/ruler";
import { missing } from "./parts";

// Each lane costs the server a question for each of its threads.
const LANES_MAX = 12, THREADS_MAX = 48, REST_MS = 250, LIVE_MS = 3000;

export class RulerCard {
  readonly element = el("section", { class: "card ruler-card", "aria-label": "Ruler", hidden: true });
  private readonly heading = el("h2", {});
  private readonly from = this.time_field("Start of the ruler", (ruler, time_s) => ruler_text(time_s, ruler.to_s));
  private readonly to = this.time_field("End of the ruler", (ruler, time_s) => ruler_text(ruler.from_s, time_s));
  private readonly table = el("div", { class: "wide-table", tabindex: "0", role: "region", "aria-label": "Sums of the lanes between the two times" });
  private readonly caption = el("p", { class: "muted", role: "status" });
  private readonly note = el("input", { type: "text", class: "note-text", maxlength: NOTE_CHARACTERS_MAX, placeholder: "a note at its start", "aria-label": "Note at the start of the ruler", autocomplete: "off" });
  private readonly asking: ExactRange;
  private asked = "";
  private asked_ms = -Infinity;
  private timer: number | null = null;

  constructor(private readonly context: Context, private readonly lanes: () => Answer<"spacetime"> | null) {
    this.asking = new ExactRange(context.source, (answer) => this.show(answer), (sentence) => replace(this.table, missing(sentence)));
    replace(this.element, this.heading,
      el("div", { class: "ruler-times" }, el("label", {}, "from ", this.from), el("label", {}, "to ", this.to),
        el("button", { onclick: () => this.zoom() }, "zoom to it"),
        el("span", { class: "ruler-note" }, this.note, el("button", { onclick: () => this.add_note() }, "add"))),
      this.table, this.caption,
      el("div", { class: "card-buttons" }, el("button", { class: "quiet", "aria-label": "Remove the ruler", title: "Remove the ruler (R)", onclick: () => context.store.remember("ruler", "") }, icon("close"))));
    this.note.addEventListener("keydown", (event) => event.key === "Enter" && this.add_note());
  }

  get ruler(): Ruler | null {
    return ruler_of(this.context.state.more);
  }

  update(): void {
    const { ruler } = this;
    this.element.hidden = ruler === null;
    if (!ruler) return this.forget();
    const step_s = (ruler.to_s - ruler.from_s) / 1000;
    set_text(this.heading, `${seconds(ruler.to_s - ruler.from_s)} from ${time_at(ruler.from_s, step_s)} to ${time_at(ruler.to_s, step_s)}`);
    for (const [field, time_s] of [[this.from, ruler.from_s], [this.to, ruler.to_s]] as const)
      if (document.activeElement !== field) field.value = time_at(time_s, step_s);
    this.poke();
  }

  close(): void {
    this.forget();
  }

  // Over the middle of what is shown, or away.
  toggle(): void {
    const { from_s, to_s } = this.context.range();
    const quarter = (to_s - from_s) / 4, step_s = quarter / 100;
    this.context.store.remember("ruler", this.ruler ? "" : ruler_text(near(from_s + quarter, step_s), near(to_s - quarter, step_s)));
    this.context.loop.wake();
  }

  private time_field(label: string, moved: (ruler: Ruler, time_s: number) => string): HTMLInputElement {
    const field = el("input", { type: "text", class: "time", "aria-label": label, spellcheck: "false", autocomplete: "off" });
    const take = () => {
      const time_s = parse_time(field.value);
      const { ruler } = this;
      if (time_s === null) return set_text(this.caption, `“${field.value}” is not a time. Write 12.5, 350 ms or 1:02:03.`);
      const text = ruler ? moved(ruler, time_s) : "";
      if (text !== "") this.context.store.remember("ruler", text);
    };
    field.addEventListener("keydown", (event) => event.key === "Enter" && take());
    field.addEventListener("change", take);
    return field;
  }

  private zoom(): void {
    if (this.ruler) this.context.show(this.ruler);
  }

  private add_note(): void {
    const text = this.note.value.trim();
    const { more } = this.context.state;
    if (!this.ruler || text === "") return;
    this.note.value = "";
    this.context.store.remember("notes", notes_text([...notes_of(more), { at_s: this.ruler.from_s, text }]));
  }

  private forget(): void {
    this.asking.stop();
    this.asked = "";
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    delete this.element.dataset.exact;
    for (const text of [this.heading, this.caption]) set_text(text, "");
    for (const field of [this.from, this.to, this.note]) field.value = "";
    replace(this.table);
  }

  // The selected lanes, or those that are shown, as many as can be asked for.
  private chosen(): { all: number; lanes: number[] } {
    const { world, state } = this.context;
    const rows = (this.lanes()?.rows ?? []).map(({ process }) => process);
    const chosen = state.selected.length > 0 ? state.selected : rows;
    let threads = 0;
    const lanes = chosen.slice(0, LANES_MAX).filter((id) => (threads += world.threads_of(id).length) <= THREADS_MAX);
    return { all: chosen.length, lanes };
  }

  // What a user drags is asked for when it rests.
  private poke(): void {
    const { ruler } = this;
    const { lanes } = this.chosen();
    const runs = this.context.clock.running;
    if (!ruler || lanes.length === 0) return;
    const text = JSON.stringify([ruler, lanes, runs]);
    const is_same = text === this.asked;
    if (is_same && !runs) return;
    const wait_ms = is_same ? Math.max(0, this.asked_ms + LIVE_MS - performance.now()) : REST_MS;
    if (is_same && this.timer !== null) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.asked = text;
    this.timer = window.setTimeout(() => this.ask(ruler, lanes, runs), wait_ms);
  }

  private ask(range: Ruler, lanes: number[], runs: boolean): void {
    this.timer = null;
    this.asked_ms = performance.now();
    const { world } = this.context;
    void this.asking.ask({ range, lanes, threads_of: (id) => world.threads_of(id), name_of: (id) => world.process(id)?.name }, runs);
  }

  private show({ lanes, is_exact, why_not }: RangeAnswer): void {
    const { world } = this.context;
    const causes = causes_of(lanes);
    const row = (name: string | HTMLElement, sums: Omit<LaneSums, "process">, of: string) => el("tr", { "data-lane": of }, el("th", { scope: "row" }, name),
      ...causes.map((cause) => el("td", { class: "number", "data-cause": cause, "data-value": sums.causes.get(cause) ?? 0 }, seconds(sums.causes.get(cause) ?? 0))),
      ...([["sent", grouped], ["sent_bytes", bytes], ["received", grouped], ["received_bytes", bytes]] as const).map(([key, text]) => el("td", { class: "number", "data-sum": key, "data-value": sums[key] }, text(sums[key]))));
    replace(this.table, el("table", {}, el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "lane"),
      ...[...causes.map((cause) => (cause === CPU_TIME ? "CPU time" : cause)), "sent", "bytes sent", "received", "bytes received"].map((text) => el("th", { scope: "col", class: "number" }, text)))),
      el("tbody", {}, ...lanes.map((lane) => row(el("bdi", {}, world.name(lane.process, 36)), lane, String(lane.process))), lanes.length > 1 ? row("together", total_of(lanes), "all") : null)));
    this.element.dataset.exact = String(is_exact);
    const left = this.chosen().all - lanes.length;
    set_text(this.caption, [why_not, left > 0 ? `${counted(left, "more lane")} not summed: select those of interest.` : ""].filter(Boolean).join(" "));
  }
}
