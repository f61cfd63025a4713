// The first look: how parallel the program is and could be, CPU, messages, queues, what was lost, and what to do about it.
import { AsOfMark } from "../frame/as_of_mark";
import { Context, Range } from "../frame/context";
import { REST_MS } from "../frame/pace";
import { TimePlot, TimePlotOptions } from "../draw/time_plot";
import { el, replace, set_attribute, set_text } from "../dom";
import { bytes, counted, fixed, grouped, percent, seconds, short } from "../format";
import { Answer } from "../source/requests";
import * as requests from "../source/requests";
import { same_version } from "../state/as_of";
import { Feed } from "../state/feed";
import { mean_of } from "../state/mean";
import { ledger_element } from "./ledger";
import { missing } from "./parts";
import { schedule_element } from "./schedule";
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

  // `exact`: the number without rounding, for a tooltip.
  set(value: string, note: string, exact = ""): void {
    set_text(this.value, value);
    set_attribute(this.value, "title", exact || null);
    set_text(this.note, note);
  }
}

class Overview implements OpenView {
  readonly element: HTMLElement;
  private readonly feed: Feed<"overview">;
  private readonly mark: AsOfMark;
  private readonly now = new Card("P as it ran", "main");
  private readonly best = new Card("P at best", "main");
  private readonly cpu = new Card("CPU time");
  private readonly messages = new Card("messages");
  private readonly queues = new Card("queued");
  private readonly ledger = el("div", { class: "card" });
  private readonly schedule = el("section", { class: "card" });
  private readonly warnings = el("div", { class: "warnings-box" });
  private readonly method = el("p", { class: "muted small" });
  private readonly plots: Record<string, TimePlot>;
  private readonly places: Record<string, HTMLElement> = {};
  private shown = "";

  constructor(private readonly context: Context) {
    this.plots = {
      P: this.plot("P over time", { label: "P over time", format: (value) => short(value), height: 210, fill: true, legend: true }, ""),
      messages: this.plot("Messages", { label: "Messages a second", format: (value) => short(value) + "/s", fill: true }, "Messages a second, each counted once: where it was sent, or received if its sender is not metered."),
      bytes: this.plot("Bytes", { label: "Bytes a second", format: (value) => bytes(value) + "/s", fill: true }, "Bytes a second, of all messages."),
      queued: this.plot("Queues", { label: "Messages waiting", fill: true, empty: () => context.world.why_no_queue(context.clock.running) }, "Messages that have arrived and wait to be received."),
    };
    this.mark = context.mark();
    this.element = el("div", { class: "overview" }, this.mark.element,
      el("div", { class: "cards" }, this.now.element, this.best.element, this.cpu.element, this.messages.element, this.queues.element),
      this.warnings, this.places.P, el("div", { class: "three" }, this.places.messages, this.places.bytes, this.places.queued), this.schedule, this.ledger);
    this.schedule.hidden = true;
    this.feed = context.feed({
      request: "overview", parameters: () => ({ ...context.asked_range(), width: WIDTH }),
      on_answer: (answer) => this.show(answer), on_refusal: (sentence) => replace(this.warnings, missing(sentence)), each_ms: REST_MS, mark: this.mark,
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

  private show(answer: Answer<"overview">): void {
    const running = this.context.clock.running;
    const P = this.P_of_range(answer), run = scalar(answer.P_run), best = scalar(answer.P_best);
    this.now.set(fixed(P, 2), running ? `now ${fixed(scalar(answer.P_now), 2)}, whole run ${fixed(run, 2)}` : "processors that worked at the same time", exact(P));
    this.best.set(fixed(best, 2), this.best_note(answer, run, best), exact(best));
    const metered = this.context.world.processes.filter(({ outside }) => !outside);
    const computing = metered.filter(({ in_computation }) => in_computation).length;
    const { from_s, to_s } = this.known_range();
    const elapsed = Math.max(to_s - from_s, 1e-12);
    const others = computing < metered.length ? ` of the computation; all ${grouped(metered.length)} used ${seconds(answer.cpu_all_s)}` : "";
    this.cpu.set(seconds(scalar(answer.cpu_s)), `${counted(computing, "process", "processes")} in ${seconds(elapsed)}${others}`, exact(answer.cpu_s, " s"));
    this.messages.set(short(scalar(answer.messages)), `${short(scalar(answer.messages) / elapsed)}/s · ${bytes(scalar(answer.bytes))}`, `${counted(scalar(answer.messages), "message")}, ${grouped(scalar(answer.bytes))} bytes`);
    const queued = scalar(answer.queued);
    this.queues.set(short(queued), Number.isFinite(queued) ? (running ? "messages wait now" : "messages waited at the end") : running ? "known when the program has ended" : "not known: see Queues & paths");
    set_text(this.method, ["Processors that work at the same time: as it ran, and at best.", answer.P_method].join(" "));
    const { t_s, step_s } = answer;
    const series = (name: string, values: requests.Numbers, colour: number, dashed = false) => (values.length > 0 ? [{ name, t_s, values, step_s, colour, dashed }] : []);
    const best_known = Array.prototype.some.call(answer.P_best_of, Number.isFinite);
    this.plots.P.set([...series("as it ran", answer.P_of, 0), ...(best_known ? series("at best", answer.P_best_of, 1, true) : [])]);
    this.plots.messages.set(series("messages", answer.messages_of, 2));
    this.plots.bytes.set(series("bytes", answer.bytes_of, 3));
    this.plots.queued.set(series("waiting", answer.queued_of, 4));
    this.show_words(answer);
  }

  private best_note(answer: Answer<"overview">, run: number, best: number): string {
    const version = answer.P_best_as_of;
    if (!Number.isFinite(best)) return answer.as_of.is_final ? "not known" : "not known yet";
    if (version && !same_version(version, answer.as_of) && !version.is_final) return `as of ${seconds(version.to_s)}`;
    return best > 0 && run > 0 ? `the whole run uses ${percent(run / best)} of what its messages permit` : "with a machine for each process";
  }

  // The part of the range that has been recorded.
  private known_range(): Range {
    const { from_s, to_s } = this.context.asked_range();
    return { from_s: Math.max(0, from_s), to_s: Math.min(to_s, this.context.clock.known_s) };
  }

  // Of the range that is shown; of the whole run, what the analysis says.
  private P_of_range(answer: requests.Overview): number {
    const { from_s, to_s } = this.known_range();
    if (from_s <= 0 && to_s >= this.context.clock.known_s) return scalar(answer.P_run);
    return mean_of(answer.t_s, answer.P_of, answer.step_s, from_s, to_s);
  }

  private show_words(answer: requests.Overview): void {
    const key = JSON.stringify([answer.warnings, answer.ledger, answer.schedule]);
    if (key === this.shown) return;
    this.shown = key;
    const { warnings } = answer;
    replace(this.warnings, warnings.length > 0 && el("section", { class: "warnings", "aria-label": "Warnings" }, el("h2", {}, "Read this first"),
      el("ul", {}, ...warnings.map(({ text, advice }) => el("li", {}, text, advice ? el("span", { class: "advice" }, " " + advice) : null)))));
    replace(this.ledger, ledger_element(answer.ledger));
    replace(this.schedule, ...(answer.schedule ? schedule_element(answer.schedule) : []));
    this.schedule.hidden = !answer.schedule;
  }
}

function exact(value: unknown, unit = ""): string {
  return typeof value === "number" && Number.isFinite(value) ? value + unit : "";
}

function scalar(value: unknown): number {
  return typeof value === "number" ? value : NaN;
}
