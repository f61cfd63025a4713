// What the unit tests use of node: the page itself knows nothing of it.
declare module "node:test" {
  export function test(name: string, body: () => void | Promise<void>): void;
}
declare module "node:assert/strict" {
  const assert: {
    (value: unknown, message?: string): void;
    equal(actual: unknown, expected: unknown, message?: string): void;
    deepEqual(actual: unknown, expected: unknown, message?: string): void;
    ok(value: unknown, message?: string): void;
    notEqual(actual: unknown, expected: unknown, message?: string): void;
    throws(body: () => unknown, expected?: RegExp, message?: string): void;
    match(text: string, expected: RegExp): void;
    rejects(promise: Promise<unknown>, expected?: RegExp, message?: string): Promise<void>;
  };
  export default assert;
}
