// Processes and channels as a graph: where the messages are, and which processes work.
import { AsOfMark } from "../frame/as_of_mark";
import { Context } from "../frame/context";
import { REST_MS } from "../frame/pace";
import { ramp, share_of } from "../draw/colours";
import { GraphPicture, PictureArc, PictureNode } from "../draw/graph_picture";
import { el, replace, set_text } from "../dom";
import { bytes, counted, grouped, percent, short } from "../format";
import { arcs_of, Box, boxes_of, Joining, SINGLE_MAX, SummedArc } from "../layout/groups";
import { depths, PairTraffic, request_direction } from "../layout/requests";
import { shown } from "../names";
import * as requests from "../source/requests";
import { Feed } from "../state/feed";
import { Traffic, traffic_of, value_bounds, value_text, why_no_change, why_no_pairs } from "../state/traffic";
import { Quantity } from "../state/state";
import { Grouping } from "../state/world";
import { Choices, Legend, missing, ValueChoices } from "./parts";
import { OpenView, View } from "./view";

const ARCS_MAX = 160;
const JOINING: Record<Quantity, Joining> = { messages: "sum", bytes: "sum", size: "mean", queue: "longest" };

export const hot_spots: View = {
  id: "hot-spots", title: "Hot spots", purpose: "Which processes and channels have the most work and the most messages",
  keys: [["Enter", "on a group: open it; on a process: select it"], ["arrows", "from box to box"], ["Backspace", "close all groups"]],
  open: (context) => new HotSpots(context),
};

class HotSpots implements OpenView {
  readonly element: HTMLElement;
  private readonly feed: Feed<"traffic">;
  private readonly paths: Feed<"paths">;
  private readonly mark: AsOfMark;
  private readonly values: ValueChoices;
  private readonly legend: Legend;
  private readonly grouping: Choices<Grouping>;
  private readonly picture: GraphPicture;
  private readonly open_groups = el("div", { class: "open-groups" });
  private readonly caption = el("p", { class: "caption" });
  private readonly place = el("div", { class: "card graph-card" });
  private answer: requests.Traffic | null = null;
  private depth = new Map<number, number>();
  private boxes: Box[] = [];
  private summed: SummedArc[] = [];
  private seen = new Set<number>();  // processes and pairs that were shown: while the range moves with time they stay
  private seen_arcs = new Set<string>();
  private seen_range = "";
  private width = 900;
  private readonly sizes: ResizeObserver;

  constructor(private readonly context: Context) {
    this.mark = context.mark();
    this.values = new ValueChoices(context);
    this.legend = new Legend(context);
    this.grouping = new Choices<Grouping>("Groups", [{ value: "program", text: "by program" }, { value: "machine", text: "by machine" }, { value: "container", text: "by container" }, { value: "none", text: "each process" }],
      (value) => context.store.change({ more: { ...context.state.more, groups: value, open: "" } }));
    this.picture = new GraphPicture({
      label: "Processes and channels", click: (node, event) => this.click(node, event), click_arc: (arc, event) => this.click_arc(arc, event),
      layout_arcs: (arcs) => this.requests(arcs), height: 480,
    });
    this.place.append(this.picture.element);
    this.element = el("div", { class: "hot-spots" }, el("div", { class: "toolbar" }, this.values.element, this.grouping.element, this.legend.element, this.mark.element), this.open_groups, this.place, this.caption);
    this.feed = context.feed({
      request: "traffic", parameters: () => (context.state.form === "total" ? { from_s: 0, to_s: context.asked_range().to_s } : { ...context.asked_range() }),
      mark: this.mark,
      // Painting many arcs takes a processor longer than the time between two ticks.
      each_ms: () => (this.summed.length > 50 ? 2 * REST_MS : REST_MS),
      on_answer: (answer) => ((this.answer = answer), this.show()), on_refusal: (sentence) => replace(this.place, missing(sentence)),
    });
    // Requests begin at the users: the state diagram tells how far from them each process is.
    this.paths = context.feed({
      request: "paths", parameters: () => ({ most: 1 }), each_ms: 15000, mark: null, on_time: () => {}, on_refusal: () => {},
      on_answer: (answer) => "computing" in answer || (this.depth = depths(answer.states.nodes, answer.states.arcs)),
    });
    this.sizes = new ResizeObserver(() => {
      this.width = Math.max(300, this.place.clientWidth - 24);
      this.show();
    });
    this.sizes.observe(this.place);
  }

  update(): void {
    this.values.update();
    this.feed.poke();
    this.show();
  }

  close(): void {
    this.feed.stop();
    this.paths.stop();
    this.sizes.disconnect();
  }

  key(event: KeyboardEvent): boolean {
    if (event.key !== "Backspace") return false;
    this.context.store.remember("open", "");
    return true;
  }

  private opened(): Set<string> {
    return new Set((this.context.state.more.open ?? "").split("\n").filter(Boolean));
  }

  private set_opened(open: Set<string>): void {
    this.context.store.remember("open", [...open].join("\n"));
  }

  private show(): void {
    if (!this.answer || !this.context.world.described) return;
    const { state, world } = this.context;
    const traffic = traffic_of(this.answer, state.quantity, state.form);
    const grouping = (state.more.groups as Grouping) || "program";
    this.grouping.show(grouping);
    this.forget_if_elsewhere();
    const ids = world.processes.map(({ id }) => id).filter((id) => this.seen.has(id) || is_shown(traffic, id));
    for (const id of ids) this.seen.add(id);
    const many = ids.length > SINGLE_MAX;
    this.grouping.element.hidden = !many;
    this.boxes = boxes_of(ids.map((id) => ({ id, group: world.group_of(id, grouping), weight: weight_of(traffic, id) })), this.opened(), grouping !== "none");
    const sums = arcs_of(this.boxes, traffic.pairs, JOINING[state.quantity]).filter((arc) => arc.activity > 0 || this.seen_arcs.has(this.arc_key(arc)));
    // The box of all others would be joined to everything.
    const is_rest = (box: number) => this.boxes[box].key.startsWith("r:") && this.boxes[box].of === null;
    const all = sums.filter(({ from, to }) => !is_rest(from) && !is_rest(to));
    const strength = (arc: SummedArc) => (Number.isFinite(arc.value) ? Math.abs(arc.value) : 0);
    // Which arcs stand there must not depend on which is a little stronger just now.
    const kept = all.length <= ARCS_MAX ? all : [...all].sort((a, b) => b.activity - a.activity).slice(0, ARCS_MAX);
    this.summed = kept.sort((a, b) => a.from - b.from || a.to - b.to);
    for (const arc of this.summed) this.seen_arcs.add(this.arc_key(arc));
    const { least, most } = value_bounds(this.summed.map(({ value }) => value), state.form);
    const largest = Math.max(...this.summed.map(strength), 1e-300);
    const arcs: PictureArc[] = this.summed.map((arc) => ({
      from: arc.from, to: arc.to, weight: arc.activity, share: strength(arc) / largest,
      colour: ramp(Number.isFinite(arc.value) ? share_of(arc.value, least, most) : 0, state.palette),
      label: Number.isFinite(arc.value) ? value_text(arc.value, state.quantity, state.form) : "", selected: this.is_selected(arc),
      tip: `${this.box_name(arc.from)} → ${this.box_name(arc.to)}: ${counted(arc.messages, "message")}, ${bytes(arc.bytes)}`,
    }));
    const nodes = this.boxes.map((box) => this.node(box, traffic));
    this.picture.set(nodes, arcs, this.width);
    this.legend.element.hidden = why_no_change(this.answer, state.form, state.quantity) !== "";
    this.legend.update(value_text(least, state.quantity, state.form), value_text(most, state.quantity, state.form), "Arcs");
    this.show_groups();
    this.write_caption(traffic, sums.length, nodes.length, many);
  }

  private arc_key({ from, to }: SummedArc): string {
    return `${this.boxes[from].key} ${this.boxes[to].key}`;
  }

  // A graph that follows the present must not be laid out again because a process is quiet for a second. Another range is another graph.
  private forget_if_elsewhere(): void {
    const { span, form } = this.context.state;
    const range = JSON.stringify(["last_s" in span ? span : this.context.state.at_s === null ? span : "replay", form]);
    if (range === this.seen_range) return;
    this.seen_range = range;
    this.seen.clear();
    this.seen_arcs.clear();
  }

  private node(box: Box, traffic: Traffic): PictureNode {
    const { world, state } = this.context;
    const cpu = box.members.reduce((sum, id) => sum + (traffic.loads.get(id)?.cpu ?? 0), 0);
    // Shares are those of dpm statistics: of the computation's CPU time, which users and disks have no part in.
    const inside = box.members.reduce((sum, id) => sum + (world.process(id)?.in_computation ? traffic.loads.get(id)?.cpu ?? 0 : 0), 0);
    const total = this.computation_cpu(traffic), share = total > 0 ? inside / total : 0;
    const process = box.members.length === 1 ? world.process(box.members[0]) : undefined;
    const outside = box.members.every((id) => world.process(id)?.outside);
    const label = box.group !== null ? `${short_name(box.group)} ×${box.members.length}` : box.key.startsWith("r:") ? `${box.members.length} more` : world.name(box.members[0], 26);
    const queue = process ? traffic.loads.get(process.id)?.queue ?? NaN : NaN;
    const note = outside ? "not metered" : `${percent(cpu)} busy` + (queue >= 1 ? `, queue ${short(queue)}` : "");
    const name = box.group !== null ? `${box.group}, ${box.members.length} processes` : box.members.length > 1 ? label : world.full_name(box.members[0]).slice(0, 300);
    return {
      key: box.key, label, note, fill: Math.min(1, box.members.length === 1 ? cpu : cpu / box.members.length), colour: ramp(Math.sqrt(share), state.palette), tint: 0.1 + 0.3 * Math.sqrt(share),
      tip: `${name}: ${short(cpu)} cores busy${inside > 0 ? `, ${percent(share)} of the computation's CPU time` : ""}` + (box.group !== null ? ". Click to open." : process ? ` on ${world.machine_name(process.machine)}` : ""),
      dashed: outside, group: box.group !== null, member: box.of !== null, selected: box.members.some((id) => state.selected.includes(id)),
    };
  }

  private computation_cpu({ loads }: Traffic): number {
    let sum = 0;
    for (const { id, in_computation } of this.context.world.processes) if (in_computation) sum += loads.get(id)?.cpu ?? 0;
    return sum;
  }

  private is_selected(arc: SummedArc): boolean {
    const chosen = this.context.state.arc;
    return chosen !== null && this.boxes[arc.from].members.includes(chosen[0]) && this.boxes[arc.to].members.includes(chosen[1]);
  }

  private box_name(index: number): string {
    const box = this.boxes[index];
    return box.group ?? (box.members.length > 1 ? `${box.members.length} more${box.of === null ? "" : " of " + box.of}` : this.context.world.name(box.members[0]));
  }

  private requests(arcs: PictureArc[]): { from: number; to: number; weight: number }[] {
    const { world } = this.context;
    const by_pair = new Map<string, PairTraffic>(this.summed.map((arc) => [`${arc.from} ${arc.to}`, arc]));
    const depth = (box: number) => {
      const known = this.boxes[box].members.map((id) => this.depth.get(id)).filter((value): value is number => value !== undefined);
      return known.length > 0 ? known.reduce((a, b) => a + b, 0) / known.length : undefined;
    };
    const outside = (box: number) => this.boxes[box].members.every((id) => world.process(id)?.outside || world.process(id)?.in_computation === false);
    return arcs.filter(({ from, to }) => from !== to).flatMap(({ from, to, weight }) => {
      const there = by_pair.get(`${from} ${to}`)!;
      return request_direction(there, by_pair.get(`${to} ${from}`), depth, outside) > 0 ? [{ from, to, weight }] : by_pair.has(`${to} ${from}`) ? [] : [{ from: to, to: from, weight }];
    });
  }

  private click(node: PictureNode, event: Event): void {
    const box = this.boxes.find(({ key }) => key === node.key);
    if (!box) return;
    if (box.group !== null) this.set_opened(this.opened().add(box.group));
    else this.context.select(box.members, (event as MouseEvent).shiftKey);
  }

  private click_arc(arc: PictureArc, _event: Event): void {
    const [from, to] = [this.boxes[arc.from], this.boxes[arc.to]];
    if (from.members.length === 1 && to.members.length === 1) this.context.select_arc(from.members[0], to.members[0]);
    else this.context.select([...from.members, ...to.members]);
  }

  private show_groups(): void {
    const open = [...this.opened()];
    if (this.open_groups.dataset.open === open.join("\n")) return;
    this.open_groups.dataset.open = open.join("\n");
    replace(this.open_groups, ...open.map((name) => el("button", { class: "chip", title: "Close this group", onclick: () => {
      const rest = this.opened();
      rest.delete(name);
      this.set_opened(rest);
    } }, el("bdi", {}, short_name(name)), " ×")));
  }

  private write_caption(traffic: Traffic, arcs: number, boxes: number, many: boolean): void {
    const left = arcs - this.summed.length;
    const processes = this.context.world.processes.length;
    const quiet = processes - this.boxes.reduce((sum, box) => sum + box.members.length, 0);
    set_text(this.caption, [
      this.answer ? why_no_change(this.answer, this.context.state.form, this.context.state.quantity) : "",
      "Requests lead from left to right. An edge's width and colour show its value; a box has a bar for how busy its process is, and the colour of its share of the computation's CPU time.",
      many && boxes < processes ? `${grouped(processes)} processes are shown as ${boxes} boxes: click a group to open it.` : "",
      left > 0 ? `${grouped(left)} edges with fewer messages are left out.` : "",
      quiet > 0 ? `${counted(quiet, "process", "processes")} without messages and CPU time in this range ${quiet === 1 ? "is" : "are"} left out.` : "",
      this.context.clock.running && traffic.pairs.some(({ from, to }) => [from, to].some((id) => this.context.world.process(id)?.outside)) ? "“outside” stands for all programs that are not metered; when the program has ended, each has its own box." : "",
      traffic.pairs.length === 0 ? why_no_pairs(this.context.clock.running) : "",
    ].filter(Boolean).join(" "));
  }
}

function is_shown(traffic: Traffic, id: number): boolean {
  const load = traffic.loads.get(id);
  return load !== undefined && (load.activity > 0 || load.cpu > 0);
}

function weight_of(traffic: Traffic, id: number): number {
  const load = traffic.loads.get(id);
  return load ? load.activity + load.cpu * 1e-6 : 0;
}

function short_name(name: string): string {
  return shown(name, 26);
}
