import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

const names = [
  "chmod",
  "link",
  "mkdir",
  "open",
  "readdir",
  "readFile",
  "rename",
  "rm",
  "stat",
] as const;
type Name = (typeof names)[number];

/** Stands around every call of `node:fs/promises` until its `using` ends. */
function surround(around: (name: Name, call: () => unknown) => Promise<unknown>): Disposable {
  const originals = names.map((name) => [name, promises[name]] as const);
  const replace = (functions: object) => {
    Object.assign(promises, functions);
    syncBuiltinESMExports();
  };
  const surrounded = originals.map(([name, original]) => [
    name,
    (...args: unknown[]) => around(name, () => Reflect.apply(original, promises, args)),
  ]);
  replace(Object.fromEntries(surrounded));
  return { [Symbol.dispose]: () => replace(Object.fromEntries(originals)) };
}

export interface Failures extends Disposable {
  /** True once a call has failed. */
  readonly haveCome: boolean;
}

/** Fails the `k`-th call with `code`; after a crash every later one too, since nobody is left. */
export function failAt(k: number, { code, isCrash }: { code: string; isCrash: boolean }): Failures {
  const error = Object.assign(new Error(`${code}: injected`), { code });
  let calls = 0;
  const patch = surround(async (_name, call) => {
    calls++;
    if (calls === k || (isCrash && calls > k)) throw error;
    return call();
  });
  return {
    get haveCome() {
      return calls >= k;
    },
    [Symbol.dispose]: () => patch[Symbol.dispose](),
  };
}

export interface Hold extends Disposable {
  /** Resolves when somebody waits at the call. */
  readonly reached: Promise<void>;
  letGo(): void;
}

/** Holds the next call of `name` back, as when its process is stopped there; others pass. */
export function holdNext(name: Name): Hold {
  let isHeld = false;
  let reach = () => {};
  let letGo = () => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const patch = surround(async (called, call) => {
    if (called === name && !isHeld) {
      isHeld = true;
      reach();
      await gate;
    }
    return call();
  });
  return { reached, letGo: () => letGo(), [Symbol.dispose]: () => patch[Symbol.dispose]() };
}
