// The report as a view: headlines, facts, ledger, warnings, and sections of figures. What a report is, is written in docs/live-page.md.
import { el } from "../dom";
import { visible } from "../names";
import { Context } from "../frame/context";
import { ledger_element } from "../views/ledger";
import { OpenView, View } from "../views/view";
import { figure_element, FigureData } from "./figures";

interface ReportData {
  title?: string;
  subtitle?: string;
  facts?: { label: string; value: string }[];
  headlines?: { label: string; value: string; meaning: string }[];
  ledger?: any;
  warnings?: string[];
  sections?: { heading: string; text: string; figures: FigureData[] }[];
  made_by?: string;
}

export function report_view(data: Record<string, any>): View {
  return { id: "report", title: "Report", purpose: "What was found in the trace", timeless: true, open: (context) => new Report(data, context) };
}

const COLUMN_PX = 520, REDRAW_PX = 24;

class Report implements OpenView {
  readonly element = el("div", { class: "report" });
  private readonly sizes: ResizeObserver;
  private drawn = "";

  constructor(private readonly data: ReportData, private readonly context: Context) {
    this.sizes = new ResizeObserver(() => this.draw());
    this.sizes.observe(this.element);
    this.draw();
  }

  update(): void {
    this.draw();
  }

  close(): void {
    this.sizes.disconnect();
  }

  // Charts are as wide as there is room for, so they are drawn again when that changes, or the colours do.
  private draw(): void {
    const width = this.element.clientWidth || Math.min(innerWidth - 40, 1120);
    const key = [Math.round(width / REDRAW_PX), document.documentElement.dataset.theme, this.context.state.palette, matchMedia("(prefers-color-scheme: dark)").matches].join();
    if (key === this.drawn) return;
    this.drawn = key;
    const { data } = this;
    const warnings = [...(data.ledger?.warnings ?? []), ...(data.warnings ?? [])];
    this.element.replaceChildren(...[
      data.title && el("h2", { class: "report-title" }, visible(data.title)), el("p", { class: "subtitle" }, data.subtitle ? visible(data.subtitle) : ""),
      (data.headlines ?? []).length > 0 && el("div", { class: "cards" }, ...data.headlines!.map(({ label, value, meaning }) =>
        el("div", { class: "card number-card main" }, el("div", { class: "label" }, label), el("div", { class: "value" }, value), el("div", { class: "note" }, meaning)))),
      (data.facts ?? []).length > 0 && el("dl", { class: "card facts" }, ...data.facts!.map(({ label, value }) => el("div", {}, el("dt", {}, label), el("dd", {}, visible(value))))),
      data.ledger && el("div", { class: "card" }, ledger_element(data.ledger)),
      warnings.length > 0 && el("section", { class: "warnings", "aria-label": "Warnings" }, el("h2", {}, "Before you trust the results"), el("ul", {}, ...warnings.map((text) => el("li", {}, text)))),
      ...(data.sections ?? []).filter(({ figures, text }) => figures.length > 0 || text !== "").map((section) => this.section(section, width)),
      data.made_by && el("p", { class: "made-by" }, data.made_by)].filter((part): part is HTMLElement => Boolean(part)));
  }

  // Half-width figures stand in pairs; one without a partner has its caption beside it.
  private section({ heading, text, figures }: { heading: string; text: string; figures: FigureData[] }, width: number): HTMLElement {
    const two = width >= 2 * COLUMN_PX - 120;
    const half = two ? (width - 20) / 2 : width;
    const parts: HTMLElement[] = [];
    for (let i = 0; i < figures.length; ++i) {
      const figure = figures[i];
      const has_partner = !figure.wide && i + 1 < figures.length && !figures[i + 1].wide;
      const room = (figure.wide ? width : half) - 40;
      if (figure.wide) parts.push(figure_element(figure, room, "wide"));
      else if (has_partner) parts.push(figure_element(figure, room, ""), figure_element(figures[++i], room, ""));
      else parts.push(figure_element(figure, room, two ? "alone" : ""));
    }
    return el("section", { class: "report-section" }, el("h2", {}, heading), text ? el("p", { class: "lead" }, text) : null, el("div", { class: "figures" }, ...parts));
  }
}
