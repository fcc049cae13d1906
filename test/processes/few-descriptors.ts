import { closeSync, openSync } from "node:fs";
import { hasErrno } from "../../src/errors.ts";

/** Leaves this process so many descriptors, until its `using` ends. */
export function fewDescriptors(left: number): Disposable {
  const taken = takeAll();
  for (const descriptor of taken.splice(0, left)) closeSync(descriptor);
  return {
    [Symbol.dispose]() {
      for (const descriptor of taken) closeSync(descriptor);
    },
  };
}

/** Opens files until there can be no more. */
function takeAll(): number[] {
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync("/dev/null", "r"));
  } catch (error) {
    if (!hasErrno(error, "EMFILE")) throw error;
    return taken;
  }
}
