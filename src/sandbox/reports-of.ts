import type { ChildProcess } from "node:child_process";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import type { ConfinedProgram } from "./sandbox.ts";

/** All that a sandbox reports on its descriptors, once it has ended. */
export function reportsOf(
  { stdio }: ChildProcess,
  { inputs, reports }: Pick<ConfinedProgram, "inputs" | "reports">,
): Promise<string[]> {
  const first = 3 + inputs.length;
  const readers = stdio.slice(first, first + reports);
  return Promise.all(readers.map((reader) => (reader instanceof Readable ? text(reader) : "")));
}
