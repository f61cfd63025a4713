// Where the time of a process went, through all that it waited for; and what all processes run on and wait for.
import { Context } from "../frame/context";
import { el, replace } from "../dom";
import { percent } from "../format";
import { visible } from "../names";
import { figure_element, FigureData } from "../report/figures";
import { Answer } from "../source/source";
import { Feed } from "../state/feed";
import { missing } from "./parts";
import { OpenView, View } from "./view";

interface Section {
  heading: string;
  text: string;
  figures: FigureData[];
}

export const time_spent: View = {
  id: "time", title: "Time spent", purpose: "Where the time of a process went: its CPU, the queue of the CPU, disks, locks, and other processes", timeless: true,
  open: (context) => new TimeSpent(context),
};

const REDRAW_PX = 24, MARGIN_PX = 40;

class TimeSpent implements OpenView {
  readonly element: HTMLElement;
  private readonly blame: Sections;
  private readonly states: Sections;

  constructor(context: Context) {
    const chosen = () => context.state.selected[0] ?? -1;
    this.blame = new Sections(context, "blame", "Where the time went", () => ({ of: chosen() }), (answer) => [answer.section]);
    this.states = new Sections(context, "states", "States", () => ({}), (answer) => answer.sections);
    this.element = el("div", { class: "report time-spent" },
      el("p", { class: "muted" }, "Of the selected process, or of the one that was seen longest. Select one in any view, or by searching (/)."),
      this.blame.element, this.states.element);
  }

  update(): void {
    this.blame.update();
    this.states.update();
  }

  close(): void {
    this.blame.close();
    this.states.close();
  }
}

// The sections of one answer.
class Sections {
  readonly element = el("div", { class: "sections" });
  private readonly feed: Feed;
  private readonly sizes: ResizeObserver;
  private answer: Answer | null = null;
  private drawn = "";

  constructor(private readonly context: Context, request: string, private readonly heading: string, parameters: () => Record<string, unknown>, private readonly sections_of: (answer: Answer) => Section[]) {
    this.say(el("p", { class: "muted" }, "computing…"));
    this.feed = context.feed({
      request, parameters, each_ms: 3000, on_time: () => {},
      on_answer: (answer) => {
        if ("computing" in answer) return this.answer ? undefined : this.say(el("p", { class: "muted" }, `computing… ${percent(answer.computing)}`));
        this.answer = answer;
        this.drawn = "";
        this.draw();
      },
      on_refusal: (sentence) => {
        this.answer = null;
        this.say(missing(visible(sentence)));
      },
    });
    this.sizes = new ResizeObserver(() => this.draw());
    this.sizes.observe(this.element);
  }

  update(): void {
    this.feed.poke();
    this.draw();
  }

  close(): void {
    this.feed.stop();
    this.sizes.disconnect();
  }

  private say(what: HTMLElement): void {
    replace(this.element, el("section", { class: "card" }, el("h2", {}, this.heading), what));
  }

  private draw(): void {
    if (!this.answer) return;
    const width = this.element.clientWidth || innerWidth - MARGIN_PX;
    const key = [Math.round(width / REDRAW_PX), document.documentElement.dataset.theme, this.context.state.palette].join();
    if (key === this.drawn) return;
    this.drawn = key;
    replace(this.element, ...this.sections_of(this.answer).map(({ heading, text, figures }) =>
      el("section", { class: "report-section" }, el("h2", {}, visible(heading)), text ? el("p", { class: "lead" }, text) : null,
        el("div", { class: "figures" }, ...figures.map((figure) => figure_element(figure, width - MARGIN_PX, "wide"))))));
  }
}
