// Which lanes a space-time diagram shows, and in which order: pinned ones first, those that were moved where they were put, hidden ones not
// at all. Pure.
import { Answer, Numbers, SingleEvents } from "../source/requests";

export interface LanePlaces {
  order: number[];  // processes, as far as they were moved
  pinned: number[];
  hidden: number[];
}

// In the address.
const KEYS = { order: "lanes", pinned: "pinned", hidden: "hidden" } as const;
const LANES_MAX = 512;

// From what the view remembers in the address. What does not parse is left out.
export function places_of(more: Record<string, string>): LanePlaces {
  const ids = (text: string | undefined) => [...new Set((text ?? "").split(",").filter((part) => /^\d{1,10}$/.test(part)).map(Number))].slice(0, LANES_MAX);
  return { order: ids(more[KEYS.order]), pinned: ids(more[KEYS.pinned]), hidden: ids(more[KEYS.hidden]) };
}

export function with_places(more: Record<string, string>, places: LanePlaces): Record<string, string> {
  const text = (list: number[]) => list.slice(0, LANES_MAX).join(",");
  return { ...more, [KEYS.order]: text(places.order), [KEYS.pinned]: text(places.pinned), [KEYS.hidden]: text(places.hidden) };
}

// The shown processes of `given`, in their order. A process that was not moved follows the one before it in `given`.
export function arranged(given: number[], { order, pinned, hidden }: LanePlaces): number[] {
  const there = new Set(given), away = new Set(hidden), on_top = new Set(pinned);
  const placed = order.filter((id) => there.has(id));
  const known = new Set(placed);
  given.forEach((id, index) => {
    if (known.has(id)) return;
    placed.splice(index === 0 ? 0 : placed.indexOf(given[index - 1]) + 1, 0, id);
    known.add(id);
  });
  return [...pinned.filter((id) => there.has(id)), ...placed.filter((id) => !on_top.has(id))].filter((id) => !away.has(id));
}

// One lane up (-1) or down (1) among those that are pinned, or among the others.
export function moved_lane(given: number[], places: LanePlaces, id: number, step: -1 | 1): LanePlaces {
  const shown = arranged(given, places);
  const is_pinned = places.pinned.includes(id);
  const row = shown.indexOf(id), other = shown[row + step];
  if (row < 0 || other === undefined || places.pinned.includes(other) !== is_pinned) return places;
  const list = is_pinned ? [...places.pinned] : arranged(given, { ...places, hidden: [], pinned: [] });
  const from = list.indexOf(id), to = list.indexOf(other);
  list.splice(from, 1);
  list.splice(to, 0, id);
  return is_pinned ? { ...places, pinned: list } : { ...places, order: list };
}

// All of them, or none if all are in the list already.
export function toggled(list: number[], ids: number[]): number[] {
  return ids.every((id) => list.includes(id)) ? list.filter((id) => !ids.includes(id)) : [...new Set([...list, ...ids])];
}

// The answer with these lanes alone. What belongs to a lane that is not shown is left out.
export function arranged_answer(answer: Answer<"spacetime">, places: LanePlaces): Answer<"spacetime"> {
  const given = answer.rows.map(({ process }) => process);
  const shown = arranged(given, places);
  if (shown.length === given.length && shown.every((id, row) => id === given[row])) return answer;
  const place = new Map(shown.map((id, row) => [id, row]));
  const row_of = given.map((id) => place.get(id) ?? -1);
  const rows = shown.map((id) => answer.rows[given.indexOf(id)]);
  if (!answer.exact) {
    const bins = kept([answer.bin_row], row_of), flows = kept([answer.flow_from, answer.flow_to], row_of);
    return {
      ...answer, rows, bin_row: bins.rows[0], bin_from: picked(answer.bin_from, bins.at), bin_to: picked(answer.bin_to, bins.at), bin_work: picked(answer.bin_work, bins.at), bin_wait: picked(answer.bin_wait, bins.at),
      flow_from: flows.rows[0], flow_to: flows.rows[1], flow_t: picked(answer.flow_t, flows.at), flow_messages: picked(answer.flow_messages, flows.at),
    };
  }
  const segments = kept([answer.seg_row], row_of), arcs = kept([answer.arc_from, answer.arc_to], row_of);
  return {
    ...answer, ...inside_of(answer, row_of), rows,
    seg_row: segments.rows[0], seg_kind: picked(answer.seg_kind, segments.at), seg_from: picked(answer.seg_from, segments.at), seg_to: picked(answer.seg_to, segments.at), seg_critical: picked(answer.seg_critical, segments.at),
    arc_from: arcs.rows[0], arc_to: arcs.rows[1], arc_sent: picked(answer.arc_sent, arcs.at), arc_received: picked(answer.arc_received, arcs.at), arc_bytes: picked(answer.arc_bytes, arcs.at),
    arc_kind: picked(answer.arc_kind, arcs.at), arc_critical: picked(answer.arc_critical, arcs.at), arc_id: picked(answer.arc_id, arcs.at),
  };
}

function inside_of({ inside_row, inside_event, inside_t, inside_value }: SingleEvents, row_of: number[]): Partial<SingleEvents> {
  if (!inside_row || !inside_event || !inside_t || !inside_value) return {};
  const marks = kept([inside_row], row_of);
  return { inside_row: marks.rows[0], inside_event: picked(inside_event, marks.at), inside_t: picked(inside_t, marks.at), inside_value: picked(inside_value, marks.at) };
}

// The marks all of whose rows are shown, and these rows.
function kept(in_rows: Numbers[], row_of: number[]): { at: number[]; rows: number[][] } {
  const at: number[] = [];
  for (let i = 0; i < in_rows[0].length; ++i) if (in_rows.every((rows) => row_of[rows[i]] >= 0)) at.push(i);
  return { at, rows: in_rows.map((rows) => at.map((i) => row_of[rows[i]])) };
}

function picked(values: Numbers, at: number[]): number[] {
  return at.map((i) => values[i]);
}
