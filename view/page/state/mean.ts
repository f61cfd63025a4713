// The mean of a curve in a time range, from its bins. Pure.

// Bins count with the part of them that is in [from_s, to_s]; those without a value do not count. NaN: no bin has a value there.
export function mean_of(t_s: ArrayLike<number>, values: ArrayLike<number>, step_s: number, from_s: number, to_s: number): number {
  let sum = 0, width_s = 0;
  for (let i = 0; i < t_s.length; ++i) {
    const part_s = Math.min(t_s[i] + step_s, to_s) - Math.max(t_s[i], from_s);
    if (!(part_s > 0) || !Number.isFinite(values[i])) continue;
    sum += values[i] * part_s;
    width_s += part_s;
  }
  return width_s > 0 ? sum / width_s : NaN;
}
