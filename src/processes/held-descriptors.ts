import { closeSync } from "node:fs";
import type { Pipe } from "./pipes.ts";

/** Descriptors that are closed at the end, unless they were before or somebody else has them then. */
export class HeldDescriptors implements Disposable {
  readonly #held = new Set<number>();

  /** Holds both ends of a pipe. */
  pipe(pipe: Pipe): Pipe {
    this.#held.add(pipe.reader).add(pipe.writer);
    return pipe;
  }

  hold(descriptor: number): number {
    this.#held.add(descriptor);
    return descriptor;
  }

  close(descriptor: number): void {
    this.release(descriptor);
    closeSync(descriptor);
  }

  /** From now on somebody else closes it. */
  release(descriptor: number): void {
    this.#held.delete(descriptor);
  }

  [Symbol.dispose](): void {
    for (const descriptor of this.#held) closeSync(descriptor);
    this.#held.clear();
  }
}
