// Boxes as wide as their share, each under the box that it is a part of. The whole is the first row.
import { svg } from "../dom";
import { FlameBox, place_of, ROW } from "../layout/flames";
import { shown } from "../names";
import { chart_root } from "./chart";

interface FlameGraph {
  title: string;
  description: string;
  boxes: FlameBox[];
}

const CHARACTER = 6.6;
const TONES = new Set(["process", "cpu", "queue", "disk", "lock", "other"]);

export function flame_graph(graph: FlameGraph, width: number): Element {
  const deepest = graph.boxes.reduce((most, box) => Math.max(most, box.depth), 0);
  const root = chart_root(width, (deepest + 1) * ROW + 4, graph.title, graph.description);
  for (const box of graph.boxes) {
    const place = place_of(box, width);
    if (!place) continue;
    const tone = TONES.has(box.tone) ? box.tone : "other";
    root.append(svg("rect", { class: "flame flame-" + tone, x: place.x.toFixed(1), y: place.y, width: Math.max(0.5, place.width - 1).toFixed(1), height: ROW - 2, rx: 2 }, svg("title", {}, box.tip)));
    const characters = Math.floor((place.width - 8) / CHARACTER);
    if (characters >= 4) root.append(svg("text", { class: "flame-text", x: (place.x + 4).toFixed(1), y: place.y + 14 }, shown(box.label, characters)));
  }
  return root;
}
