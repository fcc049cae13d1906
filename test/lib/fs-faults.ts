import fs from "node:fs";
import promises from "node:fs/promises";
import { patchFs } from "../../src/testing/patched-fs.ts";

const asyncNames = ["link", "mkdir", "open", "readdir", "rename", "rm", "stat"] as const;
const syncNames = ["mkdirSync", "openSync", "readSync", "unlinkSync", "writeFileSync"] as const;
type AsyncName = (typeof asyncNames)[number];

/** Replaces each function of a file system module by what `around` makes of it. */
function surround(
  module: typeof fs | typeof promises,
  names: readonly string[],
  around: (name: string, original: (...args: unknown[]) => unknown) => unknown,
): Disposable {
  const replacements = names.map((name) => {
    const original: unknown = Reflect.get(module, name);
    if (typeof original !== "function") throw new Error(`There is no function ${name}`);
    return [name, around(name, (...args) => Reflect.apply(original, module, args))];
  });
  return patchFs(module, Object.fromEntries(replacements));
}

export interface Failures extends Disposable {
  /** True once a call has failed. */
  readonly haveCome: boolean;
}

/** Fails the `k`-th call with `code`; after a crash every later one too, since nobody is left. */
export function failAt(k: number, { code, isCrash }: { code: string; isCrash: boolean }): Failures {
  const error = Object.assign(new Error(`${code}: injected`), { code });
  let calls = 0;
  const count = () => {
    calls++;
    if (calls === k || (isCrash && calls > k)) throw error;
  };
  const patches = [
    surround(promises, asyncNames, (_name, original) => async (...args: unknown[]) => {
      count();
      return original(...args);
    }),
    surround(fs, syncNames, (_name, original) => (...args: unknown[]) => {
      count();
      return original(...args);
    }),
  ];
  return {
    get haveCome() {
      return calls >= k;
    },
    [Symbol.dispose]: () => {
      for (const patch of patches) patch[Symbol.dispose]();
    },
  };
}

export interface Hold extends Disposable {
  /** Resolves when somebody waits at the call. */
  readonly reached: Promise<void>;
  letGo(): void;
}

/** Holds the next call of `name` back, as when its process is stopped there; others pass. */
export function holdNext(name: AsyncName): Hold {
  let isHeld = false;
  let reach = () => {};
  let letGo = () => {};
  const reached = new Promise<void>((resolve) => {
    reach = resolve;
  });
  const gate = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const patch = surround(promises, [name], (_name, original) => async (...args: unknown[]) => {
    if (!isHeld) {
      isHeld = true;
      reach();
      await gate;
    }
    return original(...args);
  });
  return { reached, letGo: () => letGo(), [Symbol.dispose]: () => patch[Symbol.dispose]() };
}
