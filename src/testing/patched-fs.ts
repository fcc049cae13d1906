import fs from "node:fs";
import promises from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";

/** Replaces functions of a file system module, for every importer, until its `using` ends. */
export function patchFs<Module extends typeof fs | typeof promises>(
  module: Module,
  replacements: Partial<Module>,
): Disposable {
  const originals = Object.entries(module).filter(([name]) => name in replacements);
  const replace = (functions: object) => {
    Object.assign(module, functions);
    syncBuiltinESMExports();
  };
  replace(replacements);
  return { [Symbol.dispose]: () => replace(Object.fromEntries(originals)) };
}

/** Calls `run` once, right before the `step`-th opening of a file or listing of a directory. */
export function beforeStep(step: number, run: () => void) {
  let calls = 0;
  const { openSync } = fs;
  const { open, readdir } = promises;
  const count = () => {
    calls++;
    if (calls === step) run();
  };
  const opening = patchFs(fs, {
    openSync: (...args) => {
      count();
      return openSync(...args);
    },
  });
  const patch = patchFs(promises, {
    open: (...args) => {
      count();
      return open(...args);
    },
    readdir: (...args: unknown[]) => {
      count();
      return Reflect.apply(readdir, promises, args);
    },
  });
  return {
    get hasRun() {
      return calls >= step;
    },
    [Symbol.dispose]: () => {
      patch[Symbol.dispose]();
      opening[Symbol.dispose]();
    },
  };
}

/** A Node error as a system call raises it. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code });
}
