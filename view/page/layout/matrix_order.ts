// The order of a matrix's rows and columns. It follows the messages, but not each little change of them: then rows would jump. Pure.
import { clustered_order } from "./order";

export const PROCESSES_MAX = 1000;

interface Exchange {
  from: number;
  to: number;
  activity: number;
}

export class MatrixOrder {
  ids: number[] = [];
  at = new Map<number, number>();  // the place of each
  private how = "";

  // True: the order is another one now.
  follow(pairs: Exchange[], how: string, machine_of: (id: number) => number): boolean {
    const activity = new Map<number, number>();
    for (const { from, to, activity: count } of pairs) {
      activity.set(from, (activity.get(from) ?? 0) + count);
      activity.set(to, (activity.get(to) ?? 0) + count);
    }
    const active = [...activity].filter(([, count]) => count > 0).sort((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, PROCESSES_MAX).map(([id]) => id);
    const known = this.how === how && active.every((id) => this.at.has(id)) && this.ids.length < active.length * 1.3 + 4;
    if (known) return false;
    this.how = how;
    const ids = [...active].sort((a, b) => a - b);
    if (how === "machine") this.ids = ids.sort((a, b) => machine_of(a) - machine_of(b) || a - b);
    else if (how === "traffic") this.ids = active;
    else {
      const place = new Map(ids.map((id, index) => [id, index]));
      const links = pairs.filter(({ from, to }) => place.has(from) && place.has(to)).map(({ from, to, activity: weight }) => ({ a: place.get(from)!, b: place.get(to)!, weight }));
      this.ids = clustered_order(ids.length, links).map((index) => ids[index]);
    }
    this.at = new Map(this.ids.map((id, index) => [id, index]));
    return true;
  }
}
