// A graph of a report, with the same picture as the views have.
import { amount_bounds, colours, ramp, share_of } from "../draw/colours";
import { GraphPicture } from "../draw/graph_picture";
import { away_from_first } from "../layout/requests";
import { shown, visible } from "../names";

interface Graph {
  title: string;
  description: string;
  layout: "layered" | "circle";
  colour: "weight" | "heat";
  nodes: { label: string; note: string; heat: number; outside: boolean; tip: string }[];
  arcs: { from: number; to: number; weight: number; label: string; tip: string }[];
}

export function graph_figure(graph: Graph, width: number): Element {
  const picture = new GraphPicture({ label: `${graph.title}. ${graph.description}`.slice(0, 4000), circle: graph.layout === "circle", layout_arcs: (arcs, nodes) => away_from_first(nodes.length, arcs) });
  const { least, most } = amount_bounds(graph.arcs.map(({ weight }) => weight));
  picture.set(graph.nodes.map(({ label, note, heat, outside, tip }, index) => ({ key: String(index), label: shown(label, 26), note: note ? visible(note) : "", fill: heat, tip: visible(tip || label), dashed: outside, colour: ramp(heat, "spectrum"), tint: 0.3 * heat })),
    graph.arcs.filter(({ from, to }) => graph.nodes[from] && graph.nodes[to]).map(({ from, to, weight, label, tip }) => ({
      from, to, weight, share: most > 0 ? Math.max(0, weight / most) : 0, colour: graph.colour === "heat" ? ramp(share_of(weight, least, most), "spectrum") : colours().accent, label, tip: visible(tip || label),
    })), width);
  return picture.element;
}
