// The first look: how parallel the program is and could be, CPU, messages, queues, what was lost, and what to do about it.
import { Context } from "../frame/context";
import { TimePlot, TimePlotOptions } from "../draw/time_plot";
import { el, replace, set_text } from "../dom";
import { bytes, fixed, grouped, percent, seconds, short } from "../format";
import { Answer } from "../source/source";
import { Feed } from "../state/feed";
import { ledger_element } from "./ledger";
import { missing } from "./parts";
import { OpenView, View } from "./view";

const WIDTH = 512;

export const overview: View = {
  id: "overview", title: "Overview", purpose: "How parallel the program is and could be, and what to look at first",
  open: (context) => new Overview(context),
};

class Card {
  readonly element: HTMLElement;
  private readonly value = el("div", { class: "value" });
  private readonly note = el("div", { class: "note" });

  constructor(label: string, kind = "") {
    this.element = el("div", { class: "card number-card " + kind }, el("div", { class: "label" }, label), this.value, this.note);
  }

  set(value: string, note: string): void {
    set_text(this.value, value);
    set_text(this.note, note);
  }
}

class Overview implements OpenView {
  readonly element: HTMLElement;
  private readonly feed: Feed;
  private readonly now = new Card("P in this range", "main");
  private readonly best = new Card("best P", "main");
  private readonly cpu = new Card("CPU time");
  private readonly messages = new Card("messages");
  private readonly queues = new Card("queued");
  private readonly ledger = el("div", { class: "card" });
  private readonly warnings = el("div", { class: "warnings-box" });
  private readonly method = el("p", { class: "muted small" });
  private readonly plots: Record<string, TimePlot>;
  private readonly places: Record<string, HTMLElement> = {};
  private shown = "";

  constructor(private readonly context: Context) {
    this.plots = {
      P: this.plot("P over time", { label: "P over time", format: (value) => short(value), height: 210, fill: true, legend: true }, ""),
      messages: this.plot("Messages", { label: "Messages a second", format: (value) => short(value) + "/s", fill: true }, "Messages a second, of all processes."),
      bytes: this.plot("Bytes", { label: "Bytes a second", format: (value) => bytes(value) + "/s", fill: true }, "Bytes a second, of all messages."),
      queued: this.plot("Queues", { label: "Messages waiting", fill: true }, "Messages that have arrived and wait to be received."),
    };
    this.element = el("div", { class: "overview" },
      el("div", { class: "cards" }, this.now.element, this.best.element, this.cpu.element, this.messages.element, this.queues.element),
      this.warnings, this.places.P, el("div", { class: "three" }, this.places.messages, this.places.bytes, this.places.queued), this.ledger);
    this.feed = context.feed({
      request: "overview", parameters: () => ({ ...context.asked_range(), width: WIDTH }),
      on_answer: (answer) => this.show(answer), on_refusal: (sentence) => replace(this.warnings, missing(sentence)), each_ms: 90,
    });
  }

  update(): void {
    this.feed.poke();
  }

  frame(): void {
    for (const plot of Object.values(this.plots)) plot.draw();
  }

  close(): void {
    this.feed.stop();
    for (const plot of Object.values(this.plots)) plot.close();
  }

  private plot(title: string, options: TimePlotOptions, caption: string): TimePlot {
    const plot = new TimePlot(this.context, options);
    this.places[title === "P over time" ? "P" : title === "Messages" ? "messages" : title === "Bytes" ? "bytes" : "queued"] =
      el("section", { class: "card" }, el("h2", {}, title), title === "P over time" ? this.method : el("p", { class: "muted small" }, caption), plot.element);
    return plot;
  }

  private show(answer: Answer): void {
    const running = this.context.clock.running;
    const P = answer.P_now ?? answer.P_run;
    this.now.set(fixed(P, 2), running ? `of the whole run: ${fixed(answer.P_run ?? NaN, 2)}` : "processors that worked at the same time");
    const best = answer.P_best;
    this.best.set(typeof best === "number" ? fixed(best, 2) : "–", typeof best === "number"
      ? best > 0 && P > 0 ? `${percent(P / best)} of what its messages permit is used` : "with a machine for each process"
      : "not known yet");
    this.cpu.set(seconds(answer.cpu_s ?? NaN), `${this.context.world.processes.length > 0 ? grouped(answer.processes_running ?? this.context.world.processes.length) + " processes" : ""} in ${seconds(answer.elapsed_s ?? NaN)}`);
    const elapsed = Math.max(answer.elapsed_s ?? 0, 1e-12);
    this.messages.set(short(scalar(answer.messages)), `${short(scalar(answer.messages) / elapsed)}/s · ${bytes(scalar(answer.bytes))}`);
    this.queues.set(short(scalar(answer.queued)), "messages wait now");
    set_text(this.method, ["Processors that work at the same time: as it ran, and the most that the order of messages permits.", answer.P_method ?? ""].join(" "));
    const t_s = answer.t_s ?? [];
    const step_s = t_s.length > 1 ? t_s[1] - t_s[0] : elapsed;
    const series = (name: string, values: ArrayLike<number> | undefined, colour: number, dashed = false) => (values && values.length > 0 ? [{ name, t_s, values, step_s, colour, dashed }] : []);
    const best_of: ArrayLike<number> | undefined = answer.P_best_of;
    const best_known = best_of && Array.prototype.some.call(best_of, Number.isFinite);
    this.plots.P.set([...series("as it ran", answer.P_of ?? answer.P, 0), ...(best_known ? series("best", best_of, 1, true) : [])]);
    this.plots.messages.set(series("messages", answer.messages_of, 2));
    this.plots.bytes.set(series("bytes", answer.bytes_of, 3));
    this.plots.queued.set(series("waiting", answer.queued_of, 4));
    this.show_words(answer);
  }

  private show_words(answer: Answer): void {
    const key = JSON.stringify([answer.warnings, answer.ledger]);
    if (key === this.shown) return;
    this.shown = key;
    const warnings: { text: string; advice?: string }[] = answer.warnings ?? [];
    replace(this.warnings, warnings.length > 0 && el("section", { class: "warnings", "aria-label": "Warnings" }, el("h2", {}, "Before you trust the numbers"),
      el("ul", {}, ...warnings.map(({ text, advice }) => el("li", {}, text, advice ? el("span", { class: "advice" }, " " + advice) : null)))));
    replace(this.ledger, answer.ledger && ledger_element(answer.ledger));
    this.ledger.hidden = !answer.ledger;
  }
}

function scalar(value: unknown): number {
  return typeof value === "number" ? value : NaN;
}
