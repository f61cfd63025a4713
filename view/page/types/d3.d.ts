// What the page uses of d3. Debian packages d3 without declarations, so these are written here, and no larger than their use.
declare module "d3-selection" {
  export interface Selection<D> {
    select(selector: string): Selection<D>;
    selectAll<T = unknown>(selector: string): Selection<T>;
    data<T>(data: readonly T[], key?: (datum: T, index: number) => string | number): Selection<T>;
    join(enter: string | ((enter: Selection<D>) => Selection<D>)): Selection<D>;
    append(name: string): Selection<D>;
    attr(name: string, value: string | number | null | ((datum: D, index: number) => string | number | null)): Selection<D>;
    style(name: string, value: string | number | null | ((datum: D, index: number) => string | number | null)): Selection<D>;
    classed(names: string, value: boolean | ((datum: D, index: number) => boolean)): Selection<D>;
    text(value: string | ((datum: D, index: number) => string)): Selection<D>;
    on(type: string, listener: ((datum: D, index: number) => void) | null): Selection<D>;
    call<A extends unknown[]>(apply: (selection: Selection<D>, ...parts: A) => void, ...parts: A): Selection<D>;
    each(visit: (this: Element, datum: D, index: number) => void): Selection<D>;
    remove(): Selection<D>;
    order(): Selection<D>;
    node(): Element | null;
  }
  export function select<D = unknown>(node: Element): Selection<D>;
}

declare module "d3-scale" {
  export interface Scale {
    (value: number): number;
    domain(): number[];
    domain(values: readonly number[]): this;
    range(): number[];
    range(values: readonly number[]): this;
    nice(count?: number): this;
    ticks(count?: number): number[];
    invert(value: number): number;
    clamp(value: boolean): this;
  }
  export function scaleLinear(): Scale;
  export function scaleLog(): Scale;
}

declare module "d3-axis" {
  import { Selection } from "d3-selection";
  import { Scale } from "d3-scale";
  export interface Axis {
    (selection: Selection<unknown>): void;
    ticks(count: number): this;
    tickValues(values: readonly number[]): this;
    tickFormat(format: (value: number) => string): this;
    tickSize(size: number): this;
    tickSizeOuter(size: number): this;
    tickPadding(padding: number): this;
  }
  export function axisBottom(scale: Scale): Axis;
  export function axisLeft(scale: Scale): Axis;
}

declare module "d3-shape" {
  export interface Curve { readonly curve: unique symbol }
  export interface Line<D> {
    (data: readonly D[]): string | null;
    x(value: (datum: D) => number): this;
    y(value: (datum: D) => number): this;
    defined(value: (datum: D) => boolean): this;
    curve(curve: Curve): this;
  }
  export function line<D>(): Line<D>;
  export const curveMonotoneX: Curve;
  export const curveBasis: Curve;
  export const curveLinear: Curve;
}

declare module "d3-interpolate" {
  export function interpolateRgbBasis(colours: readonly string[]): (t: number) => string;
}

declare module "d3-scale-chromatic" {
  export function interpolateViridis(t: number): string;
}

declare module "d3-array" {
  export function bisectLeft(values: ArrayLike<number>, value: number): number;
  export function tickStep(from: number, to: number, count: number): number;
}
