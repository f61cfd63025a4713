// The queue of each process: how long it is, how long messages wait, and how these waits are distributed.
import { AsOfMark } from "../frame/as_of_mark";
import { Context } from "../frame/context";
import { el, replace, svg } from "../dom";
import { counted, grouped, seconds, short } from "../format";
import { shown, visible } from "../names";
import * as requests from "../source/requests";
import { Feed } from "../state/feed";
import { process_pin } from "../state/pins";
import { missing } from "./parts";

const ROWS_MAX = 12;

type Queue = requests.Queues["processes"][number];

export class Queues {
  readonly element = el("section", { class: "card" });
  private readonly feed: Feed<"queues">;
  private readonly mark: AsOfMark;
  private readonly waits = el("div", { class: "waits" });
  private answer: requests.Queues | null = null;
  private shown = "";

  constructor(private readonly context: Context) {
    this.mark = context.mark();
    replace(this.element, el("h2", {}, "Queues"), this.mark.element);
    this.feed = context.feed({
      request: "queues", parameters: () => ({}), each_ms: 2000, mark: this.mark, on_time: () => {},
      on_answer: (answer) => {
        if ("computing" in answer) return;
        this.answer = answer;
        this.show();
      },
      on_refusal: (sentence) => ((this.shown = ""), replace(this.element, el("h2", {}, "Queues"), missing(sentence))),
    });
  }

  update(): void {
    this.feed.poke();
    if (this.answer) this.show();
  }

  close(): void {
    this.feed.stop();
  }

  private show(): void {
    const { state, world } = this.context;
    const all = state.more.queues === "all";
    const key = JSON.stringify([this.answer!.processes, this.answer!.warnings, state.selected, all, world.processes.length]);
    if (key === this.shown) return;
    this.shown = key;
    const mean_of = (queue: Queue) => (queue.measured ? queue.queue_mean : -1);
    const queues = [...this.answer!.processes].sort((a, b) => mean_of(b) - mean_of(a) || b.received - a.received);
    const rows = all ? queues : queues.slice(0, ROWS_MAX);
    const longest = Math.max(1e-9, ...queues.map(mean_of)), slowest = Math.max(1e-12, ...queues.map((queue) => (queue.measured ? queue.wait_p95_s : 0)));
    const heads = ["Process", "Received", "Mean length", "Longest", "Mean wait", "Median", "95 %", "Longest wait", "Still queued"];
    const focused = document.activeElement?.closest("tr")?.dataset.process;
    const table = el("table", {}, el("thead", {}, el("tr", {}, ...heads.map((head, index) => el("th", { class: index > 0 ? "number" : null, scope: "col" }, head)))),
      el("tbody", {}, ...rows.map((queue) => this.row(queue, longest, slowest))));
    replace(this.element, el("h2", {}, "Queues"), this.mark.element, el("p", { class: "muted small" }, "Messages that have arrived and wait to be received. Bars compare the mean lengths, and the waits that 95 % of messages do not exceed."),
      el("div", { class: "wide-table" }, table), queues.length > rows.length && el("button", { class: "quiet", onclick: () => this.context.store.remember("queues", "all") }, `show ${counted(queues.length - rows.length, "more process", "more processes")}`),
      this.waits, ...this.answer!.warnings.map((text) => el("p", { class: "notice calm" }, text)));
    this.show_waits(queues);
    if (focused !== undefined) ([...this.element.querySelectorAll("tr")].find((row) => row.dataset.process === focused)?.querySelector("button") as HTMLElement | null)?.focus();
  }

  private row(queue: Queue, longest: number, slowest: number): HTMLElement {
    const id = this.context.world.id_of(queue.process);
    const selected = id !== null && this.context.state.selected.includes(id);
    const name = el("td", {}, el("button", { class: "link", title: visible(queue.process).slice(0, 300), "aria-pressed": String(selected), onclick: (event: MouseEvent) => id !== null && this.context.select([id], event.shiftKey) }, el("bdi", {}, shown(queue.process, 36))),
      id !== null && el("button", { class: "quiet tiny", title: "Pin the history of this queue", onclick: () => this.context.pin(process_pin("queue", id)) }, "history"));
    const wait = (value: number) => cell(queue.received === 0 ? "–" : seconds(value));
    const cells = queue.measured
      ? [bar_cell(short(queue.queue_mean), queue.queue_mean / longest), cell(grouped(queue.queue_max)), wait(queue.wait_mean_s), wait(queue.wait_median_s),
        bar_cell(queue.received > 0 ? seconds(queue.wait_p95_s) : "–", queue.wait_p95_s / slowest), wait(queue.wait_max_s), cell(grouped(queue.still_queued))]
      : [el("td", { class: "number muted", colspan: 7 }, "not metered")];
    return el("tr", { class: selected ? "selected" : null, "data-process": queue.process.slice(0, 100) }, name, cell(grouped(queue.received)), ...cells);
  }

  // Of the selected process, or of the longest queue.
  private show_waits(queues: Queue[]): void {
    const { world, state } = this.context;
    const chosen = state.selected.map((id) => world.process(id)?.name);
    const with_waits = queues.filter((queue): queue is requests.MeasuredQueue => queue.measured && queue.wait_distribution.length > 0);
    const queue = with_waits.find(({ process }) => chosen.includes(process)) ?? with_waits[0];
    if (!queue) return replace(this.waits);
    const buckets = queue.wait_distribution;
    const most = Math.max(...buckets.map(({ count }) => count)), total = buckets.reduce((sum, { count }) => sum + count, 0);
    const width = 640, height = 130, each = Math.min(46, width / buckets.length);
    const bars = buckets.map(({ from_s, to_s, count }, index) => {
      const tall = (count / most) * (height - 40);
      return svg("g", {}, svg("rect", { class: "fill-accent", x: (index * each + 2).toFixed(1), y: (height - 22 - tall).toFixed(1), width: (each - 4).toFixed(1), height: Math.max(count > 0 ? 1 : 0, tall).toFixed(1), rx: 2 },
        svg("title", {}, `${seconds(from_s)} to ${seconds(to_s)}: ${counted(count, "message")}`)),
      index % Math.ceil(60 / each) === 0 ? svg("text", { class: "tick", x: index * each, y: height - 6 }, seconds(from_s)) : null,
      each > 30 && count > 0 ? svg("text", { class: "tick middle", x: index * each + each / 2, y: height - 26 - tall }, `${Math.round((count / total) * 100)} %`) : null);
    });
    replace(this.waits, el("h3", {}, "Waiting times of ", el("bdi", {}, shown(queue.process, 40))),
      el("div", { class: "wide-table" }, svg("svg", { width: Math.max(each * buckets.length + 40, 200), height, role: "img", "aria-label": `Distribution of ${total} waiting times` }, ...bars)));
  }
}

function cell(text: string): HTMLElement {
  return el("td", { class: "number" }, text);
}

function bar_cell(text: string, share: number): HTMLElement {
  const bar = el("i", { class: "bar", "aria-hidden": "true" });
  bar.style.width = (Math.max(0, Math.min(1, share)) * 100).toFixed(1) + "%";
  return el("td", { class: "number bar-cell" }, bar, el("span", {}, text));
}
