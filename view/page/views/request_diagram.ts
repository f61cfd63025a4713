// One request from its first message to its last: a line for each process, an arrow for each message.
import { AsOfMark } from "../frame/as_of_mark";
import { Context } from "../frame/context";
import { el, replace, svg } from "../dom";
import { bytes, counted, seconds, time_at } from "../format";
import { time_ticks } from "../draw/time_axis";
import { OneRequest } from "../source/requests";
import { Feed } from "../state/feed";
import { missing } from "./parts";

const LABELS = 150, ROW = 30;

export class RequestDiagram {
  readonly element = el("section", { class: "card", id: "one-request" });
  private readonly feed: Feed<"request">;
  private readonly mark: AsOfMark;
  private readonly number_input = el("input", { type: "number", min: 1, value: 1, "aria-label": "Number of the request", class: "request-number" });
  private readonly of = el("span", { class: "muted" });
  private readonly place = el("div", { class: "request-place" });
  private answer: OneRequest | null = null;
  private count = 0;

  constructor(private readonly context: Context) {
    const step = (by: number) => this.choose(this.number() + by);
    this.mark = context.mark();
    replace(this.element, el("h2", {}, "One request"), this.mark.element, el("div", { class: "toolbar" },
      el("button", { onclick: () => step(-1), "aria-label": "Request before" }, "‹"), this.number_input, this.of, el("button", { onclick: () => step(1), "aria-label": "Next request" }, "›"),
      el("button", { class: "quiet", onclick: () => this.show_in_lanes() }, "show in space-time")), this.place);
    this.number_input.addEventListener("change", () => this.choose(Number(this.number_input.value) - 1));
    this.feed = context.feed({
      request: "request", parameters: () => ({ number: this.number() }), each_ms: 2000, mark: this.mark, on_time: () => {},
      on_answer: (answer) => {
        if ("computing" in answer) return;
        this.answer = answer;
        this.show();
      },
      on_refusal: (sentence) => ((this.answer = null), replace(this.place, missing(sentence))),
    });
    this.number_input.value = String(this.number() + 1);
  }

  set_count(count: number): void {
    this.count = count;
    this.of.textContent = `of ${counted(count, "request")}`;
  }

  update(): void {
    this.feed.poke();
    if (document.activeElement !== this.number_input) this.number_input.value = String(this.number() + 1);
    if (this.answer) this.show();
  }

  close(): void {
    this.feed.stop();
  }

  private number(): number {
    return Math.max(0, Math.floor(Number(this.context.state.more.request ?? 0)) || 0);
  }

  private choose(number: number): void {
    this.context.store.remember("request", String(Math.max(0, this.count > 0 ? Math.min(this.count - 1, number) : number)));
  }

  private show_in_lanes(): void {
    if (!this.answer) return;
    const { from_s, to_s } = this.answer;
    const margin = Math.max(1e-6, (to_s - from_s) * 0.1);
    this.context.store.change({ view: "space-time", span: { from_s: from_s - margin, to_s: to_s + margin }, selected: this.answer.rows }, true);
  }

  private show(): void {
    const { from_s, to_s, steps, rows } = this.answer!;
    const row_of = new Map(rows.map((id, row) => [id, row]));
    const { world, state } = this.context;
    const width = Math.max(420, (this.place.clientWidth || 800) - 4), height = rows.length * ROW + 44;
    const span = Math.max(to_s - from_s, 1e-9);
    const x = (t: number) => LABELS + ((t - from_s) / span) * (width - LABELS - 24), y = (row: number) => 16 + (row + 0.5) * ROW;
    const picture = svg("svg", { width, height, role: "img", "aria-label": `A request of ${counted(steps.length, "message")} in ${seconds(span)}` });
    const { ticks, step_s } = time_ticks(0, span, Math.floor((width - LABELS) / 110));
    for (const tick of ticks) picture.append(svg("line", { class: "rule", x1: x(from_s + tick), x2: x(from_s + tick), y1: 10, y2: height - 26 }), svg("text", { class: "tick middle", x: x(from_s + tick), y: height - 10 }, time_at(tick, step_s)));
    rows.forEach((id, row) => picture.append(svg("line", { class: "axis", x1: LABELS, x2: width - 16, y1: y(row), y2: y(row) }),
      svg("text", { class: "end-text" + (state.selected.includes(id) ? " strong" : ""), x: LABELS - 10, y: y(row) + 4 }, world.name(id, 20), svg("title", {}, world.full_name(id).slice(0, 300)))));
    steps.forEach((step, index) => {
      const [x1, y1, x2, y2] = [x(step.sent_s), y(row_of.get(step.from)!), x(step.received_s), y(row_of.get(step.to)!)];
      picture.append(svg("g", { class: "step" }, svg("line", { class: "step-line", x1, y1, x2, y2 }), svg("circle", { class: "step-end", cx: x2, cy: y2, r: 3.5 }),
        svg("text", { class: "tick step-number", x: (x1 + x2) / 2 + 6, y: (y1 + y2) / 2 }, String(index + 1)),
        svg("title", {}, `${index + 1}: ${world.name(step.from, 30)} → ${world.name(step.to, 30)}, ${bytes(step.bytes)}, after ${seconds(step.sent_s - from_s)}, ${seconds(step.received_s - step.sent_s)} in transit and in the queue`)));
    });
    replace(this.place, el("p", { class: "muted small" }, `${counted(steps.length, "message")} in ${seconds(span)}, from ${time_at(from_s, span / 100)} on. An arrow ends where the message was received, so it includes the time in the queue.`), el("div", { class: "wide-table" }, picture));
  }
}
