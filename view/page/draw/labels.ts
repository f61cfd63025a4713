// Chooses where the labels of arcs stand, so that they cover neither each other nor boxes. Pure geometry.
import { BoxAt, Curve, Point } from "./arcs";

const CHAR_PX = 6.3, HEIGHT = 13;

interface Area {
  left: number;
  right: number;
  top: number;
  bottom: number;
}

// The first free one of each arc's places; its first place if none is free.
export function label_places(texts: string[], curves: Curve[], boxes: BoxAt[]): Point[] {
  const taken: Area[] = boxes.map(({ x, y, width, height }) => ({ left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 }));
  return texts.map((text, index) => {
    const { labels } = curves[index];
    if (text === "") return labels[0];
    const area = ({ x, y }: Point): Area => ({ left: x - (text.length * CHAR_PX) / 2, right: x + (text.length * CHAR_PX) / 2, top: y - HEIGHT + 3, bottom: y + 3 });
    const free = labels.find((place) => !taken.some((other) => overlap(area(place), other)));
    const place = free ?? labels[0];
    taken.push(area(place));
    return place;
  });
}

function overlap(a: Area, b: Area): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}
