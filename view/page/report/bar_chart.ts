// Horizontal bars, so that there is room for names: several series a row, side by side.
import { scaleLinear } from "d3-scale";
import { svg } from "../dom";
import { shown } from "../names";
import { chart_root, draw_legend, form_of, legend_height, number } from "./chart";

interface BarChart {
  title: string;
  description: string;
  series: string[];
  rows: { label: string; values: (number | null)[]; tip: string }[];
  form: string;
  reference: { value: number; label: string } | null;
}

export function bar_chart(chart: BarChart, width: number): Element {
  const form = form_of(chart.form);
  const count = Math.max(1, chart.series.length);
  const legend = legend_height(chart.series, width - 30) + (chart.reference ? 18 : 0);
  const characters = Math.max(8, Math.min(34, Math.floor((width * 0.34) / 7)));
  const labels = chart.rows.map(({ label }) => shown(label, characters));
  const left = Math.min(width * 0.36, Math.max(40, ...labels.map((label) => [...label].length * 7)) + 12);
  const bar = count === 1 ? 15 : 11, row = count * bar + (count === 1 ? 9 : 12);
  const height = legend + 10 + chart.rows.length * row + 8;
  const values = chart.rows.flatMap(({ values: own }) => own.map(number)).filter(Number.isFinite);
  const low = Math.min(0, ...values), high = Math.max(0, chart.reference?.value ?? 0, ...values);
  const texts = 64;
  const x = scaleLinear().domain([low, high > low ? high : low + 1]).range([left + (low < 0 ? texts : 0), width - texts]);
  const root = chart_root(width, height, chart.title, chart.description);
  draw_legend(root, chart.series, chart.series.map(() => false), left, 12, width);
  chart.rows.forEach(({ label, values: own, tip }, index) => {
    const top = legend + 10 + index * row;
    const group = svg("g", {}, svg("title", {}, tip || `${label}: ` + own.map((value, at) => (count > 1 ? chart.series[at] + " " : "") + form(number(value))).join(", ")),
      svg("text", { class: "name end", x: left - 9, y: top + (count * bar) / 2 + 4 }, labels[index]));
    own.forEach((value, at) => {
      const own_value = number(value);
      const y = top + at * bar;
      if (!Number.isFinite(own_value)) return group.append(svg("text", { class: "tick", x: x(0) + 5, y: y + bar / 2 + 4 }, "–"));
      const [a, b] = [x(Math.min(0, own_value)), x(Math.max(0, own_value))];
      group.append(svg("rect", { class: `fill s${at % 6}`, x: a.toFixed(1), y: y + 0.5, width: Math.max(own_value === 0 ? 0 : 1, b - a).toFixed(1), height: bar - 1.5, rx: 2 }),
        svg("text", { class: "value" + (own_value < 0 ? " end" : ""), x: (own_value < 0 ? a - 5 : b + 5).toFixed(1), y: y + bar / 2 + 4 }, form(own_value)));
    });
    root.append(group);
  });
  root.append(svg("line", { class: "axis", x1: x(0), x2: x(0), y1: legend + 6, y2: height - 4 }));
  if (chart.reference) {
    const at = x(chart.reference.value);
    root.append(svg("line", { class: "reference", x1: at, x2: at, y1: legend + 2, y2: height - 2 }), svg("text", { class: "reference-text middle", x: Math.min(width - 60, Math.max(60, at)), y: legend }, chart.reference.label));
  }
  return root;
}
