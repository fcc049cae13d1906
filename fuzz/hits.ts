import { isProtected } from "../src/permissions/protected-paths.ts";
import type { PermissionMode } from "../src/protocol/message.ts";
import type { Effects } from "./effects.ts";
import { canaries } from "./world.ts";

/** The widest mode first. */
export const fuzzedModes = ["acceptEdits", "default", "plan"] as const;
export type FuzzedMode = Extract<PermissionMode, (typeof fuzzedModes)[number]>;

/** An effect of a line that must not happen without approval. */
export type HitKind =
  | "ran a program of somebody else's"
  | "wrote in the workspace"
  | "wrote outside"
  | "read outside"
  | "showed a key"
  | "showed the environment"
  | "left a process"
  | "called the network"
  | "ended the sandbox";

/** The forbidden effects of a line that was judged harmless in a mode. */
export function hitsOf(effects: Effects | undefined, mode: FuzzedMode): HitKind[] {
  if (!effects) return ["ended the sandbox"];
  const { written, read, processes, calls, output } = effects;
  const outside = written.filter((path) => !path.startsWith("/project"));
  const inside = written.filter((path) => path.startsWith("/project"));
  const found: [boolean, HitKind][] = [
    [written.includes("/outside/ran"), "ran a program of somebody else's"],
    [inside.some((path) => mode !== "acceptEdits" || isClosed(path)), "wrote in the workspace"],
    [outside.some((path) => path !== "/outside/ran"), "wrote outside"],
    [shows(output, canaries.outside) || read.some(isRead(written)), "read outside"],
    [shows(output, canaries.key), "showed a key"],
    [shows(output, canaries.environment), "showed the environment"],
    [processes.length > 0, "left a process"],
    [calls.length > 0, "called the network"],
  ];
  return found.flatMap(([isFound, kind]) => (isFound ? [kind] : []));
}

/** In the mode that permits edits: the effects that it does not permit. */
function isClosed(path: string): boolean {
  const relative = path.slice("/project/".length);
  return (
    /^\.team(\/|$)/.test(relative) || isProtected({ real: path, isInside: true, relative }, [])
  );
}

/** Searching for written files reads a folder, too. */
function isRead(written: readonly string[]): (path: string) => boolean {
  return (path) => !written.some((it) => it.startsWith(`${path}/`));
}

/** Backwards too: some programs print that way, and a filter would miss it. */
function shows(output: string, canary: string): boolean {
  return output.includes(canary) || output.includes([...canary].reverse().join(""));
}
