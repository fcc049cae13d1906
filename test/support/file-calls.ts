import fs from "node:fs";
import promises from "node:fs/promises";
import { patchFs } from "../../src/testing/patched-fs.ts";

const syncNames = ["openSync", "readdirSync", "statSync", "lstatSync", "existsSync"] as const;
const asyncNames = ["open", "readdir", "stat", "lstat", "readFile"] as const;

interface FileCall {
  name: string;
  path: string;
}

export interface FileCalls extends Disposable {
  /** Those since the last time that this was asked. */
  taken(): FileCall[];
}

/**
 * Notes every call that looks a path up, through the thread pool or not, until its `using` ends.
 * What is done with an open file is not counted: each has been opened first.
 */
export function noteFileCalls(): FileCalls {
  const calls: FileCall[] = [];
  const noting = (module: object, name: string) => {
    const original: unknown = Reflect.get(module, name);
    if (typeof original !== "function") throw new Error(`There is no function ${name}`);
    const noted = (...args: unknown[]) => {
      calls.push({ name, path: String(args[0]) });
      return Reflect.apply(original, module, args);
    };
    return [name, noted] as const;
  };
  const patches = [
    patchFs(fs, Object.fromEntries(syncNames.map((name) => noting(fs, name)))),
    patchFs(promises, Object.fromEntries(asyncNames.map((name) => noting(promises, name)))),
  ];
  return {
    taken: () => calls.splice(0),
    [Symbol.dispose]: () => {
      for (const patch of patches) patch[Symbol.dispose]();
    },
  };
}
