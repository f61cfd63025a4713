// Predicted against measured values: equal axes, intervals, and a diagonal on which both are equal.
import { scaleLinear } from "d3-scale";
import { svg } from "../dom";
import { short } from "../format";
import { chart_root, draw_axes, draw_legend, Frame, legend_height, number } from "./chart";

interface ScatterChart {
  title: string;
  description: string;
  x_label: string;
  y_label: string;
  series: { name: string; points: { x: number | null; y: number | null; low: number | null; high: number | null; label: string }[] }[];
}

export function scatter_chart(chart: ScatterChart, width: number): Element {
  const names = chart.series.map(({ name }) => name);
  const legend = legend_height(names, width - 70);
  const side = Math.min(width - 74, 420);
  const frame: Frame = { width: side + 74, height: side + 74 + legend, left: 58, right: 58 + side, top: 26 + legend, bottom: 26 + legend + side };
  const values = chart.series.flatMap(({ points }) => points.flatMap(({ x, y, low, high }) => [x, y, low, high])).map(number).filter(Number.isFinite);
  const most = values.length > 0 ? Math.max(...values) : 1, least = Math.min(0, ...values);
  const scale = () => scaleLinear().domain([least, most > least ? most : least + 1]).nice(5);
  const x = scale().range([frame.left, frame.right]), y = scale().range([frame.bottom, frame.top]);
  const root = chart_root(frame.width, frame.height, chart.title, chart.description);
  draw_axes(root, frame, x, y, { x_label: chart.x_label, y_label: chart.y_label });
  draw_legend(root, names, names.map(() => false), frame.left, 30, frame.right);
  const [begin, end] = x.domain();
  root.append(svg("line", { class: "diagonal", x1: x(begin), y1: y(begin), x2: x(end), y2: y(end) }));
  // The first series is on top.
  [...chart.series.keys()].reverse().forEach((index) => {
    for (const point of chart.series[index].points) {
      const at = { x: number(point.x), y: number(point.y), low: number(point.low), high: number(point.high) };
      if (!Number.isFinite(at.x) || !Number.isFinite(at.y)) continue;
      const group = svg("g", {}, svg("title", {}, `${point.label ? point.label + ": " : ""}${short(at.x)}, ${short(at.y)}` + (Number.isFinite(at.low) ? ` (${short(at.low)} to ${short(at.high)})` : "")));
      if (Number.isFinite(at.low) && Number.isFinite(at.high)) {
        const [px, low, high] = [x(at.x), y(at.low), y(at.high)];
        group.append(svg("path", { class: `line thin s${index % 6}`, d: `M${px.toFixed(1)},${low.toFixed(1)}V${high.toFixed(1)}M${(px - 4).toFixed(1)},${low.toFixed(1)}h8M${(px - 4).toFixed(1)},${high.toFixed(1)}h8` }));
      }
      group.append(sign(index, x(at.x), y(at.y)));
      root.append(group);
    }
  });
  return root;
}

// Series differ by their shape too.
function sign(index: number, x: number, y: number): SVGElement {
  const shape = index % 3, attributes = { class: `mark s${index % 6}` };
  if (shape === 0) return svg("circle", { ...attributes, cx: x.toFixed(1), cy: y.toFixed(1), r: 4.4 });
  if (shape === 1) return svg("rect", { ...attributes, x: (x - 4).toFixed(1), y: (y - 4).toFixed(1), width: 8, height: 8 });
  return svg("path", { ...attributes, d: `M${x.toFixed(1)},${(y - 5.5).toFixed(1)}l5,9h-10z` });
}
