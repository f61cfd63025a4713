// Any process, arc, queue or the whole run over time. Plots are pinned, so that they stay when something else is selected; one plot can
// hold several series.
import { AsOfMark } from "../frame/as_of_mark";
import { Context } from "../frame/context";
import { icon } from "../frame/icons";
import { REST_MS } from "../frame/pace";
import { TimePlot, TimeSeries } from "../draw/time_plot";
import { el, replace } from "../dom";
import { bytes, percent, short } from "../format";
import { Series, SeriesOf } from "../source/requests";
import { Feed } from "../state/feed";
import { arc_pin, machine_pin, MachineSeries, MACHINE_SERIES, parse_pin, process_pin, ProcessSeries, PROCESS_SERIES, SERIES_TITLES, unit_of } from "../state/pins";
import { missing } from "./parts";
import { OpenView, View } from "./view";

const WIDTH = 600, SERIES_MAX = 16;

export const history: View = {
  id: "history", title: "History", purpose: "How any process, edge or queue changed over time",
  keys: [["P", "pin the selection"]], open: (context) => new History(context),
};

interface Plot {
  pin: string;
  series: SeriesOf[];
  plot: TimePlot;
  feed: Feed<"series">;
  element: HTMLElement;
  mark: AsOfMark;
}

class History implements OpenView {
  readonly element = el("div", { class: "history" });
  private readonly list = el("div", { class: "plots" });
  private readonly add: HTMLElement;
  private readonly what = el("select", { "aria-label": "Series of the selected processes" }, ...PROCESS_SERIES.map((what) => el("option", { value: what }, SERIES_TITLES[what])));
  private readonly machine_what = el("select", { id: "machine-series", "aria-label": "Series of the machines" }, ...MACHINE_SERIES.map((what) => el("option", { value: what }, SERIES_TITLES[what])));
  private readonly of_machines = el("div", { class: "toolbar" }, this.machine_what, el("button", { id: "pin-machines", onclick: () => this.pin_machines() }, icon("pin"), " of the machines"));
  private readonly hint = el("p", { class: "muted" });
  private plots: Plot[] = [];
  private shown = "";

  constructor(private readonly context: Context) {
    this.add = el("div", { class: "toolbar" }, this.what,
      el("button", { id: "pin-each", onclick: () => this.pin_selected(false) }, icon("pin"), " a plot for each"), el("button", { id: "pin-together", onclick: () => this.pin_selected(true) }, icon("pin"), " in one plot"));
    this.what.addEventListener("change", () => context.store.remember("series", this.what.value));
    this.element.append(this.add, this.of_machines, this.hint, this.list);
    this.update();
  }

  update(): void {
    const { series } = this.context.state.more;
    this.what.value = (PROCESS_SERIES as readonly string[]).includes(series ?? "") ? series : "cpu";
    const wanted = this.wanted();
    const key = JSON.stringify([wanted, this.context.state.palette, this.context.world.processes.length]);
    if (key !== this.shown) {
      this.shown = key;
      this.rebuild(wanted);
    }
    const { selected } = this.context.state;
    this.add.querySelectorAll("button").forEach((button) => (button.disabled = selected.length === 0));
    this.of_machines.hidden = this.machines().length === 0;
    this.hint.hidden = selected.length > 0 || this.context.state.pins.length > 0;
    this.hint.textContent = "Select processes or edges in any view, then pin their history here (P).";
    for (const { feed } of this.plots) feed.poke();
  }

  frame(): void {
    for (const { plot } of this.plots) plot.draw();
  }

  close(): void {
    for (const { plot, feed } of this.plots) {
      plot.close();
      feed.stop();
    }
  }

  // First the pins, then what is selected, and the whole run where there is nothing else.
  private wanted(): { pin: string; pinned: boolean }[] {
    const { pins, selected, arc, quantity, more } = this.context.state;
    const what = (more.series as ProcessSeries) || "cpu";
    const list = pins.map((pin) => ({ pin, pinned: true }));
    const offered = arc ? [arc_pin(quantity, ...arc)] : [];
    if (selected.length > 0) offered.push(selected.slice(0, SERIES_MAX).map((id) => process_pin(what, id)).join(","));
    if (list.length + offered.length === 0) {
      offered.push("cpu", "messages", "queue");
      const load = this.machines().slice(0, SERIES_MAX).map((id) => machine_pin("load", id)).join(",");
      if (load !== "") offered.push(load);
    }
    return [...list, ...offered.filter((pin) => !pins.includes(pin)).map((pin) => ({ pin, pinned: false }))];
  }

  // Those that a meter has summarised.
  private machines(): number[] {
    return this.context.world.machines.filter(({ summaries }) => summaries).map(({ id }) => id);
  }

  private pin_machines(): void {
    const what = this.machine_what.value as MachineSeries;
    const pin = this.machines().slice(0, SERIES_MAX).map((id) => machine_pin(what, id)).join(",");
    this.context.store.change({ pins: [...new Set([...this.context.state.pins, pin])] });
  }

  private pin_selected(together: boolean): void {
    const what = this.what.value as ProcessSeries;
    const each = this.context.state.selected.slice(0, SERIES_MAX).map((id) => process_pin(what, id));
    const pins = together ? [each.join(",")] : each;
    this.context.store.change({ pins: [...new Set([...this.context.state.pins, ...pins])] });
  }

  private rebuild(wanted: { pin: string; pinned: boolean }[]): void {
    const kept = new Map(this.plots.map((plot) => [plot.pin, plot]));
    this.plots = wanted.map(({ pin }) => kept.get(pin) ?? this.make(pin)).filter((plot) => plot.series.length > 0);
    for (const plot of kept.values()) {
      if (this.plots.includes(plot)) continue;
      plot.plot.close();
      plot.feed.stop();
    }
    replace(this.list, ...this.plots.map((plot) => {
      const pinned = wanted.find(({ pin }) => pin === plot.pin)!.pinned;
      replace(plot.element, this.heading(plot, pinned), plot.mark.element, plot.plot.element);
      plot.element.classList.toggle("pinned", pinned);
      return plot.element;
    }));
    this.context.loop.wake();
  }

  private heading({ pin, series }: Plot, pinned: boolean): HTMLElement {
    const same = series.every(({ what }) => what === series[0].what);
    const title = same && series.length > 1 ? `${SERIES_TITLES[series[0].what]} of ${series.length} ${series[0].machine !== undefined ? "machines" : series[0].process === undefined ? "edges" : "processes"}` : series.map((one) => this.name(one)).join(", ");
    const { pins } = this.context.state;
    const at = pins.indexOf(pin);
    return el("div", { class: "plot-head" }, el("h2", {}, el("bdi", {}, title)),
      pinned && at > 0 && unit_of(series[0].what) === unit_of(parse_pin(pins[at - 1])[0]?.what ?? "") &&
        el("button", { class: "quiet", title: "Put these series into the plot above", onclick: () => this.merge(at) }, "join above"),
      el("button", { class: "quiet", "aria-pressed": String(pinned), title: pinned ? "Unpin this plot" : "Pin this plot", "aria-label": pinned ? "Unpin this plot" : "Pin this plot", onclick: () => this.context.pin(pin) }, icon("pin")));
  }

  private merge(at: number): void {
    const pins = [...this.context.state.pins];
    pins[at - 1] = [...new Set([...pins[at - 1].split(","), ...pins[at].split(",")])].slice(0, SERIES_MAX).join(",");
    pins.splice(at, 1);
    this.context.store.change({ pins });
  }

  private make(pin: string): Plot {
    const series = parse_pin(pin).slice(0, SERIES_MAX);
    const unit = series.length > 0 ? unit_of(series[0].what) : "count";
    const format = unit === "fraction" ? percent : unit === "memory" ? bytes : unit === "bytes" ? (value: number) => bytes(value) + "/s" : unit === "count" ? (value: number) => short(value) + "/s" : short;
    const plot = new TimePlot(this.context, { label: series.map((one) => this.name(one)).join(", ").slice(0, 300), format, height: 170, fill: true, legend: series.length > 1, empty: () => this.why_empty(series) });
    const element = el("section", { class: "card plot" });
    const mark = this.context.mark();
    const feed = this.context.feed({
      request: "series", parameters: () => (series.length === 0 ? null : { ...this.context.asked_range(), width: WIDTH, of: series }), each_ms: REST_MS, mark,
      on_answer: (answer) => plot.set(this.series_of(answer, series)), on_refusal: (sentence) => replace(element, missing(sentence)),
    });
    return { pin, series, plot, feed, element, mark };
  }

  private why_empty(series: SeriesOf[]): string {
    const { world, clock } = this.context;
    return series.every(({ what }) => what === "queue") ? world.why_no_queue(clock.running) : "Nothing is known of this range.";
  }

  private series_of(answer: Series, wanted: SeriesOf[]): TimeSeries[] {
    return wanted.map((one, index) => ({ name: this.name(one), t_s: answer.t_s, values: answer[`v${index}`], step_s: answer.step_s }));
  }

  private name(one: SeriesOf): string {
    const { world } = this.context;
    const title = SERIES_TITLES[one.what];
    if (one.machine !== undefined) return `${world.machine_name(one.machine)}: ${title}`;
    if (one.process !== undefined) return `${world.name(one.process, 30)}: ${title}`;
    if (one.from !== undefined) return `${world.name(one.from, 20)} → ${world.name(one.to!, 20)}: ${title}`;
    return `whole run: ${title}`;
  }
}
