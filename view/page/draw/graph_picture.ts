// Boxes and arrows as SVG: hot spots, state diagrams, graphs of reports. Positions are computed when the boxes or arcs change; new values
// only change colours, widths and labels, so the picture stays calm.
import { select } from "d3-selection";
import { colours, mixed } from "./colours";
import { BoxAt, Curve, curve_between, straight_between } from "./arcs";
import { label_places } from "./labels";
import { el, replace, roving, set_attribute, svg } from "../dom";
import { layered, Placed } from "../layout/layered";

export interface PictureNode {
  key: string;
  label: string;
  note: string;
  fill: number;  // 0 to 1: how full the box is
  colour?: string;
  tip: string;
  tint?: number;  // 0 to 1: how much of its colour fills the box
  dashed?: boolean;
  group?: boolean;  // stands for several
  member?: boolean;  // of an opened group
  selected?: boolean;
}

export interface PictureArc {
  from: number;
  to: number;
  weight: number;
  share: number;  // 0 to 1: its width
  colour: string;
  label: string;
  tip: string;
  selected?: boolean;
  key?: string;  // set by the picture: indices change when boxes do
}

export interface PictureOptions {
  label: string;
  circle?: boolean;
  height?: number;  // to be filled
  click?: (node: PictureNode, event: Event) => void;
  click_arc?: (arc: PictureArc, event: Event) => void;
  layout_arcs?: (arcs: PictureArc[], nodes: PictureNode[]) => { from: number; to: number; weight: number }[];  // the direction of requests
}

const BOX_HEIGHT = 42, CHAR_PX = 7.4, LABELS_MAX = 60;

export class GraphPicture {
  readonly element: HTMLElement;
  private readonly root = svg("svg", { role: "group" });
  private readonly arc_layer = svg("g");
  private readonly node_layer = svg("g");
  private readonly label_layer = svg("g", { class: "arc-labels" });
  private shape = "";
  private placed: Placed | null = null;
  private boxes: BoxAt[] = [];
  private curves: Curve[] = [];
  private nodes: PictureNode[] = [];
  private arcs: PictureArc[] = [];
  private hovered: string | null = null;

  constructor(private readonly options: PictureOptions) {
    set_attribute(this.root, "aria-label", options.label);
    this.root.append(this.arc_layer, this.node_layer, this.label_layer);
    this.element = el("div", { class: "graph" }, this.root);
    roving(this.element, ".node");
    this.element.addEventListener("keydown", (event) => this.key(event));
  }

  set(nodes: PictureNode[], arcs: PictureArc[], width: number): void {
    this.nodes = nodes;
    this.arcs = arcs;
    for (const arc of arcs) arc.key = nodes[arc.from].key + "\n" + nodes[arc.to].key;
    const shape = JSON.stringify([nodes.map(({ key, label, member }) => [key, label.length, member]), arcs.map(({ from, to }) => [from, to]), Math.round(width / 40)]);
    if (shape !== this.shape) {
      this.shape = shape;
      this.place(width);
    }
    this.draw();
  }

  private place(width: number): void {
    const sizes = this.nodes.map(({ label, note }) => ({ width: Math.max(74, Math.min(230, Math.max([...label].length * CHAR_PX, [...note].length * 6.2) + 26)), height: BOX_HEIGHT }));
    const directions = this.options.layout_arcs?.(this.arcs, this.nodes) ?? this.arcs;
    this.placed = this.options.circle ? on_circle(sizes, width) : layered(sizes, directions, { width, height: this.options.height ?? 300 });
    const { x, y, routes } = this.placed;
    this.boxes = sizes.map((size, node) => ({ ...size, x: x[node], y: y[node] }));
    const route_of = new Map(directions.map(({ from, to }, index) => [`${from} ${to}`, routes[index] ?? []]));
    const pairs = new Set(this.arcs.map(({ from, to }) => `${from} ${to}`));
    this.curves = this.arcs.map(({ from, to }) => {
      const both = pairs.has(`${to} ${from}`) ? 1 : 0;
      if (this.options.circle && from !== to) return straight_between(this.boxes[from], this.boxes[to], both);
      const route = route_of.get(`${from} ${to}`) ?? [...(route_of.get(`${to} ${from}`) ?? [])].reverse();
      return curve_between(this.boxes[from], this.boxes[to], route, both);
    });
    // Wider than the view: drawn smaller, down to where letters can be read; then it scrolls.
    const scale = Math.max(0.62, Math.min(1, width / this.placed.width));
    set_attribute(this.root, "viewBox", `0 0 ${this.placed.width.toFixed(0)} ${this.placed.height.toFixed(0)}`);
    set_attribute(this.root, "width", (this.placed.width * scale).toFixed(0));
    set_attribute(this.root, "height", (this.placed.height * scale).toFixed(0));
  }

  private draw(): void {
    this.draw_nodes();
    this.draw_arcs();
    const tabbed = this.node_layer.querySelector<HTMLElement>('[tabindex="0"]');
    if (!tabbed) this.node_layer.querySelector(".node")?.setAttribute("tabindex", "0");
  }

  private draw_nodes(): void {
    const boxes = this.boxes;
    const groups = select(this.node_layer).selectAll<PictureNode>("g.node").data(this.nodes, (node) => node.key).join((enter) => {
      const group = enter.append("g").attr("class", "node").attr("role", "button").attr("tabindex", -1);
      for (const part of ["rect back", "rect box", "rect level", "rect filled"]) group.append("rect").attr("class", part.slice(5)).attr("rx", part === "rect level" || part === "rect filled" ? 2 : 9);
      group.append("text").attr("class", "name");
      group.append("text").attr("class", "note");
      group.append("title");
      return group;
    });
    const click = this.options.click;
    groups.each(function (node, index) {
      const box = boxes[index], group = this;
      set_attribute(group, "transform", `translate(${(box.x - box.width / 2).toFixed(1)},${(box.y - box.height / 2).toFixed(1)})`);
      set_attribute(group, "class", "node" + (node.selected ? " selected" : "") + (node.dashed ? " dashed" : "") + (node.group ? " group" : "") + (node.member ? " member" : ""));
      set_attribute(group, "aria-label", node.tip);
      set_attribute(group, "aria-pressed", node.group ? null : String(Boolean(node.selected)));
      const [back, rect, level, filled, name, note, title] = [...group.children];
      sized(back, node.group ? 5 : 0, node.group ? -5 : 0, box.width, box.height);
      sized(rect, 0, 0, box.width, box.height);
      sized(level, 10, box.height - 8, box.width - 20, 3);
      sized(filled, 10, box.height - 8, Math.max(0, (box.width - 20) * Math.min(1, node.fill)), 3);
      (filled as SVGElement).style.fill = node.colour ?? colours().work;
      (rect as SVGElement).style.fill = node.colour && !node.dashed ? mixed(node.colour, colours().card, node.tint ?? 0) : "";
      placed_text(name, box.width / 2, node.note === "" ? 25 : 16, node.label);
      placed_text(note, box.width / 2, 29, node.note);
      if (title.textContent !== node.tip) title.textContent = node.tip;
      (group as unknown as { node: PictureNode }).node = node;
    });
    for (const group of this.node_layer.children as unknown as Iterable<SVGGElement & { node: PictureNode; ready?: boolean }>) {
      if (group.ready) continue;
      group.ready = true;
      group.addEventListener("click", (event) => click?.(group.node, event));
      group.addEventListener("pointerenter", () => this.hover(group.node.key));
      group.addEventListener("pointerleave", () => this.hover(null));
      group.addEventListener("focus", () => this.hover(group.node.key));
      group.addEventListener("blur", () => this.hover(null));
    }
  }

  private draw_arcs(): void {
    const { curves } = this;
    const key = (arc: PictureArc) => arc.key!;
    const widest = [...this.arcs].sort((a, b) => b.share - a.share).slice(0, LABELS_MAX);
    const labelled = new Set(this.arcs.length <= LABELS_MAX ? this.arcs : widest);
    const groups = select(this.arc_layer).selectAll<PictureArc>("g.arc").data(this.arcs, key).join((enter) => {
      const group = enter.append("g").attr("class", "arc");
      for (const part of ["hit", "line", "head"]) group.append("path").attr("class", part);
      group.append("title");
      return group;
    });
    groups.each(function (arc, index) {
      const curve = curves[index], group = this;
      const [hit, line, head, title] = [...group.children] as SVGElement[];
      set_attribute(group, "class", "arc" + (arc.selected ? " selected" : ""));
      set_attribute(hit, "d", curve.path);
      set_attribute(line, "d", curve.path);
      line.style.stroke = arc.colour;
      line.style.strokeWidth = (1.2 + 5.3 * Math.sqrt(Math.max(0, arc.share))).toFixed(1);
      const size = 0.8 + 0.5 * Math.sqrt(Math.max(0, arc.share));
      set_attribute(head, "d", "M0,-5L10,0L0,5z");
      set_attribute(head, "transform", `translate(${curve.end.x.toFixed(1)},${curve.end.y.toFixed(1)}) rotate(${curve.angle.toFixed(0)}) scale(${size.toFixed(2)})`);
      head.style.fill = arc.colour;
      if (title.textContent !== arc.tip) title.textContent = arc.tip;
      (group as unknown as { arc: PictureArc }).arc = arc;
    });
    for (const group of this.arc_layer.children as unknown as Iterable<SVGGElement & { arc: PictureArc; ready?: boolean }>) {
      if (group.ready) continue;
      group.ready = true;
      group.addEventListener("click", (event) => this.options.click_arc?.(group.arc, event));
    }
    const places = label_places(this.arcs.map((arc) => (labelled.has(arc) || arc.selected ? arc.label : "")), curves, this.boxes, this.arcs.map((arc) => (arc.selected ? 2 : arc.share)));
    const labels = select(this.label_layer).selectAll<PictureArc>("text").data(this.arcs, key).join("text");
    labels.each(function (arc, index) {
      const place = places[index];
      if (place) placed_text(this, place.x, place.y, arc.label);
      else if (this.textContent !== "") this.textContent = "";
      set_attribute(this, "class", "arc-label" + (arc.selected ? " selected" : ""));
      (this as unknown as { arc: PictureArc }).arc = arc;
    });
    this.dim();
  }

  private hover(key: string | null): void {
    this.hovered = key;
    this.dim();
  }

  // While a box is under the pointer or has the focus, what it does not talk to steps back.
  private dim(): void {
    const at = this.hovered === null ? -1 : this.nodes.findIndex((node) => node.key === this.hovered);
    const near = new Set<number>([at]);
    [...this.arc_layer.children].forEach((group) => {
      const { arc } = group as unknown as { arc: PictureArc };
      const touches = at >= 0 && (arc.from === at || arc.to === at);
      if (touches) near.add(arc.from).add(arc.to);
      group.classList.toggle("dim", at >= 0 && !touches);
    });
    for (const label of this.label_layer.children) {
      const { arc } = label as unknown as { arc: PictureArc };
      label.classList.toggle("dim", at >= 0 && arc.from !== at && arc.to !== at);
    }
    [...this.node_layer.children].forEach((group) => {
      const { node } = group as unknown as { node: PictureNode };
      group.classList.toggle("dim", at >= 0 && !near.has(this.nodes.indexOf(node)));
    });
  }

  private key(event: KeyboardEvent): void {
    const target = event.target as { node?: PictureNode };
    if (!target.node || (event.key !== "Enter" && event.key !== " ")) return;
    event.preventDefault();
    event.stopPropagation();
    this.options.click?.(target.node, event);
  }

  clear(...children: Node[]): void {
    this.shape = "";
    replace(this.element, ...(children.length > 0 ? children : [this.root]));
  }
}

function sized(rect: Element, x: number, y: number, width: number, height: number): void {
  set_attribute(rect, "x", String(x));
  set_attribute(rect, "y", String(y));
  set_attribute(rect, "width", width.toFixed(1));
  set_attribute(rect, "height", String(height));
}

function placed_text(element: Element, x: number, y: number, text: string): void {
  set_attribute(element, "x", x.toFixed(1));
  set_attribute(element, "y", y.toFixed(1));
  if (element.textContent !== text) element.textContent = text;
}

function on_circle(sizes: { width: number; height: number }[], width: number): Placed {
  const widest = Math.max(60, ...sizes.map((size) => size.width));
  const needed = (sizes.length * (BOX_HEIGHT + 34)) / (Math.PI * 1.5);
  const rx = Math.max(120, Math.min((width - widest) / 2 - 6, Math.max(needed * 1.7, 240))), ry = Math.max(90, needed);
  const angle = (index: number) => (index / Math.max(1, sizes.length)) * 2 * Math.PI - Math.PI / 2;
  return {
    x: sizes.map((_, index) => rx + widest / 2 + 4 + rx * Math.cos(angle(index))), y: sizes.map((_, index) => ry + BOX_HEIGHT / 2 + 8 + ry * Math.sin(angle(index))),
    layer: sizes.map(() => 0), routes: [], width: 2 * rx + widest + 8, height: 2 * ry + BOX_HEIGHT + 16,
  };
}
