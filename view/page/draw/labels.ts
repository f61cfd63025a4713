// Chooses where the labels of arcs stand, so that they cover neither each other nor boxes. Pure geometry.
import { BoxAt, Curve, Point } from "./arcs";

const CHAR_PX = 6.3, HEIGHT = 13;

interface Area {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

// The first free one of each arc's places, the most important arcs first. null: there is no text, or no room for it; the arc's tooltip has it.
export function label_places(texts: string[], curves: Curve[], boxes: BoxAt[], weights: number[] = texts.map(() => 0)): (Point | null)[] {
  const taken: Area[] = boxes.map(({ x, y, width, height }) => ({ left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 }));
  const places: (Point | null)[] = texts.map(() => null);
  const order = texts.map((_, index) => index).sort((a, b) => weights[b] - weights[a] || a - b);
  for (const index of order) {
    const text = texts[index], { labels } = curves[index];
    if (text === "") continue;
    const area = ({ x, y }: Point): Area => ({ left: x - (text.length * CHAR_PX) / 2, right: x + (text.length * CHAR_PX) / 2, top: y - HEIGHT + 3, bottom: y + 3 });
    const free = labels.find((place) => !taken.some((other) => overlap(area(place), other)));
    if (!free) continue;
    taken.push(area(free));
    places[index] = free;
  }
  return places;
}

function overlap(a: Area, b: Area): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
