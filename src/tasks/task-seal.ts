import { canonicalJson } from "../lib/canonical-json.ts";
import type { Signer } from "../lib/signed-record.ts";
import type { Task } from "../protocol/task.ts";

/** The task with a signature of everything in it but its version. */
export function sealTask(task: Task, signature: Signer): Task {
  return { ...task, sig: signature.sign(sealedText(task)) };
}

/** True where `task` is as it was sealed. */
export function isSealed(task: Task, sig: unknown, signature: Signer): boolean {
  return typeof sig === "string" && signature.verify(sealedText(task), sig);
}

/** The version is the name of its file, and may be another where that cannot be read. */
function sealedText({ version: _, ...task }: Task): string {
  return `task ${canonicalJson(task)}`;
}
