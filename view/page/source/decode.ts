// Decodes a binary frame of the server: the size of a JSON text, the text, and after it the arrays that it describes, each at a multiple
// of eight bytes. Pure. The arrays are views into the frame: nothing is copied.
interface Described {
  name: string;
  type: string;
  count: number;
}

export interface Frame {
  id?: number;
  answer?: Record<string, unknown>;
  error?: string;
  tick?: unknown;
}

const SIZES: Record<string, number> = { f64: 8, f32: 4, u32: 4, u8: 1 };

export function decode_frame(data: ArrayBuffer): Frame {
  const size = new DataView(data).getUint32(0, true);
  if (4 + size > data.byteLength) throw new Error(`a frame of ${data.byteLength} bytes with a text of ${size}`);
  const { arrays = [], ...frame } = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, size))) as Frame & { arrays?: Described[] };
  const answer = frame.answer ?? {};
  let at = padded(4 + size);
  for (const { name, type, count } of arrays) {
    const bytes = (SIZES[type] ?? NaN) * count;
    if (!(at + bytes <= data.byteLength)) throw new Error(`the array ${name} is cut off`);
    answer[name] = array_of(type, data, at, count);
    at = padded(at + bytes);
  }
  return { ...frame, answer };
}

function padded(bytes: number): number {
  return (bytes + 7) & ~7;
}

function array_of(type: string, data: ArrayBuffer, at: number, count: number): ArrayLike<number> {
  if (type === "f64") return new Float64Array(data, at, count);
  if (type === "f32") return new Float32Array(data, at, count);
  if (type === "u32") return new Uint32Array(data, at, count);
  return new Uint8Array(data, at, count);
}
