// Which boxes a graph of processes shows: each process, or groups of them when there are many; opened groups show their members. Pure.

export const SINGLE_MAX = 15, MEMBERS_MAX = 40, BOXES_MAX = 100;

export interface Member {
  id: number;
  group: string;
  weight: number;  // the busiest of an opened group are shown
}

export interface Box {
  key: string;  // "p12", "g:name", "r:name" (the rest of an opened group)
  members: number[];
  group: string | null;  // the name of the group that this box stands for
  of: string | null;  // the opened group that this box is a member of
}

// `grouped`: by what they are grouped has groups at all.
export function boxes_of(members: Member[], open: ReadonlySet<string>, grouped: boolean): Box[] {
  if (!grouped || members.length <= SINGLE_MAX) return singles(members, BOXES_MAX, "", null);
  const groups = new Map<string, Member[]>();
  for (const member of members) {
    const list = groups.get(member.group);
    if (list) list.push(member);
    else groups.set(member.group, [member]);
  }
  const boxes: Box[] = [];
  for (const [name, list] of groups) {
    if (list.length === 1) {
      boxes.push({ key: "p" + list[0].id, members: [list[0].id], group: null, of: null });
    } else if (!open.has(name)) {
      boxes.push({ key: "g:" + name, members: list.map(({ id }) => id), group: name, of: null });
    } else {
      boxes.push(...singles(list, MEMBERS_MAX, name, name));
    }
  }
  return boxes;
}

// A box for each; of too many the busiest, and one for the rest.
function singles(members: Member[], most: number, name: string, of: string | null): Box[] {
  const all = members.length <= most;
  const kept = all ? members : [...members].sort((a, b) => b.weight - a.weight || a.id - b.id).slice(0, most - 1);
  const boxes: Box[] = kept.map(({ id }) => ({ key: "p" + id, members: [id], group: null, of }));
  if (all) return boxes;
  const shown = new Set(kept);
  return [...boxes, { key: "r:" + name, members: members.filter((member) => !shown.has(member)).map(({ id }) => id), group: null, of }];
}

export interface SummedArc {
  from: number;  // boxes
  to: number;
  value: number;
  messages: number;
  bytes: number;
  activity: number;
}

// How the values of several pairs become one: amounts add up, mean sizes are the mean of all messages, of queues the longest counts.
export type Joining = "sum" | "mean" | "longest";

function joined(sum: SummedArc, pair: SummedArc, joining: Joining): number {
  if (joining === "sum") return sum.value + pair.value;
  if (Number.isNaN(sum.value)) return pair.value;
  if (Number.isNaN(pair.value)) return sum.value;
  if (joining === "longest") return Math.max(sum.value, pair.value);
  const messages = sum.messages + pair.messages;
  return messages > 0 ? (sum.value * sum.messages + pair.value * pair.messages) / messages : NaN;
}

// Arcs between boxes, of the pairs of their members.
export function arcs_of(boxes: Box[], pairs: SummedArc[], joining: Joining = "sum"): SummedArc[] {
  const box_of = new Map<number, number>();
  boxes.forEach((box, index) => box.members.forEach((id) => box_of.set(id, index)));
  const sums = new Map<number, SummedArc>();
  for (const pair of pairs) {
    const from = box_of.get(pair.from), to = box_of.get(pair.to);
    if (from === undefined || to === undefined) continue;
    const key = from * boxes.length + to;
    const sum = sums.get(key);
    if (sum) {
      sum.value = joined(sum, pair, joining);
      sum.messages += pair.messages;
      sum.bytes += pair.bytes;
      sum.activity += pair.activity;
    } else {
      sums.set(key, { ...pair, from, to });
    }
  }
  return [...sums.values()];
}
