// Lines over a common x axis. A value that is not known is a gap.
import { line } from "d3-shape";
import { scaleLinear } from "d3-scale";
import { svg } from "../dom";
import { short } from "../format";
import { chart_root, draw_axes, draw_legend, Frame, legend_height, number } from "./chart";

interface LineChart {
  title: string;
  description: string;
  x_label: string;
  y_label: string;
  series: { name: string; points: [number | null, number | null][]; dashed: boolean }[];
  x_whole: boolean;
  y_from_zero: boolean;
  marks: boolean;
  reference: { value: number; label: string } | null;
}

export function line_chart(chart: LineChart, width: number): Element {
  const names = chart.series.map(({ name }) => name);
  const legend = legend_height(names, width - 70);
  const frame: Frame = { width, height: Math.min(360, Math.max(240, width * 0.42)) + legend, left: 58, right: width - 14, top: 26 + legend, bottom: 0 };
  frame.bottom = frame.height - 46;
  const points = chart.series.map(({ points: own }) => own.map(([x, y]) => ({ x: number(x), y: number(y) })));
  const all = points.flat().filter(({ x, y }) => Number.isFinite(x) && Number.isFinite(y));
  const xs = all.map(({ x }) => x), ys = [...all.map(({ y }) => y), ...(chart.reference ? [chart.reference.value] : [])];
  const low = chart.y_from_zero ? Math.min(0, ...ys) : Math.min(...ys), high = Math.max(...ys);
  const x = scaleLinear().domain(span(Math.min(...xs), Math.max(...xs))).range([frame.left, frame.right]);
  const y = scaleLinear().domain(span(low, high)).nice(5).range([frame.bottom, frame.top]);
  const root = chart_root(width, frame.height, chart.title, chart.description);
  draw_axes(root, frame, x, y, { x_label: chart.x_label, y_label: chart.y_label, x_whole: chart.x_whole });
  draw_legend(root, names, chart.series.map(({ dashed }) => dashed), frame.left, 30, frame.right);
  if (chart.reference) {
    const at = y(chart.reference.value).toFixed(1);
    root.append(svg("line", { class: "reference", x1: frame.left, x2: frame.right, y1: at, y2: at }), svg("text", { class: "reference-text end", x: frame.right, y: Number(at) - 5 }, chart.reference.label));
  }
  const path = line<{ x: number; y: number }>().x((point) => x(point.x)).y((point) => y(point.y)).defined((point) => Number.isFinite(point.x) && Number.isFinite(point.y));
  points.forEach((own, index) => {
    root.append(svg("path", { class: `line s${index % 6}` + (chart.series[index].dashed ? " dashed" : ""), d: path(own) ?? "" }));
    if (!chart.marks) return;
    for (const point of own) {
      if (!Number.isFinite(point.x) || !Number.isFinite(point.y)) continue;
      root.append(svg("circle", { class: `mark s${index % 6}`, cx: x(point.x).toFixed(1), cy: y(point.y).toFixed(1), r: 3.6 }, svg("title", {}, `${names[index]}: ${short(point.x)}, ${short(point.y)}`)));
    }
  });
  return root;
}

function span(low: number, high: number): [number, number] {
  if (!Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  return low < high ? [low, high] : [low - (low === 0 ? 0 : Math.abs(low) * 0.5), high + (high === 0 ? 1 : Math.abs(high) * 0.5)];
}
