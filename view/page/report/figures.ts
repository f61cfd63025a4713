// A figure of a report: heading, drawing, caption; and which drawing belongs to which kind.
import { el } from "../dom";
import { bar_chart } from "./bar_chart";
import { flame_graph } from "./flame_graph";
import { graph_figure } from "./graph_figure";
import { heat_map } from "./heat_map";
import { line_chart } from "./line_chart";
import { scatter_chart } from "./scatter_chart";
import { space_time_figure } from "./space_time_figure";
import { table } from "./table";

export interface FigureData {
  heading: string;
  caption: string;
  wide: boolean;
  kind: string;
  drawing: any;
}

const DRAWINGS: Record<string, (drawing: any, width: number) => Element> = {
  table, lines: line_chart, scatter: scatter_chart, bars: bar_chart, heat_map, graph: graph_figure, space_time: space_time_figure, flame_graph,
};

export function figure_element(figure: FigureData, width: number, place: string): HTMLElement {
  const draw = Object.prototype.hasOwnProperty.call(DRAWINGS, figure.kind) ? DRAWINGS[figure.kind] : null;
  const drawing = draw ? draw(figure.drawing, Math.max(260, width)) : el("p", { class: "missing" }, `This page cannot draw a figure of the kind “${figure.kind}”.`);
  return el("figure", { class: "card " + place + " figure-" + figure.kind }, el("h3", {}, figure.heading), el("div", { class: "drawing" }, drawing), figure.caption ? el("figcaption", {}, figure.caption) : null);
}
