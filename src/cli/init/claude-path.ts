import { join } from "node:path";
import { contains } from "../../lib/contains.ts";
import type { Rule } from "../../permissions/rule.ts";
import type { Translation } from "./claude-rule.ts";

/** What the paths of a settings file of Claude Code are relative to. */
export interface PathBase {
  /** Real paths. */
  readonly workspace: string;
  readonly home: string;
  /** True for a file outside the workspace, whose `/…` is not known to be the workspace. */
  readonly isElsewhere: boolean;
}

interface PathContext {
  decision: Rule["decision"];
  base: PathBase;
}

/** Where a pattern begins, as `.gitignore` has it. */
type Anchored =
  /** In the workspace. */
  | { readonly type: "workspace"; readonly pattern: string }
  /** In every directory of the workspace. */
  | { readonly type: "anywhere"; readonly pattern: string }
  | { readonly type: "absolute"; readonly pattern: string }
  | { readonly type: "unknown"; readonly reason: string };

/** Translates the pattern of a rule about files. */
export function pathRule(
  tool: string,
  inner: string | undefined,
  context: PathContext,
): Translation {
  if (inner === undefined) return { rule: tool };
  const problem = patternProblem(inner, context.decision);
  if (problem !== undefined) return { reason: problem };
  const { type, ...where } = anchored(inner, context.base);
  if ("reason" in where) return where;
  const { pattern } = where;
  const isAllowed = context.decision === "allow";
  if (type === "absolute" && isAllowed) {
    return { reason: "it is about files outside the workspace, which are always asked about" };
  }
  // One that allows is for fewer files instead: those at the root.
  const isEverywhere = type === "anywhere" && !isAllowed && pattern !== "**";
  return { rule: `${tool}(${isEverywhere ? `**/${pattern}` : pattern})` };
}

function patternProblem(pattern: string, decision: Rule["decision"]): string | undefined {
  if (/[[\]{}!\\]/.test(pattern)) return "Troupe's patterns have only *, ** and ?";
  if (pattern.split("/").includes("..")) return 'Troupe\'s patterns have no ".."';
  const isWithinName = /[^/]\*\*|\*\*[^/]/.test(pattern);
  if (isWithinName && decision === "allow") return "** in a part of a path means more in Troupe";
  return undefined;
}

function anchored(pattern: string, { workspace, home, isElsewhere }: PathBase): Anchored {
  if (pattern.startsWith("//")) return absolute(pattern.slice(1), workspace);
  if (pattern === "~" || pattern.startsWith("~/")) {
    return absolute(join(home, pattern.slice(1)), workspace);
  }
  if (pattern.startsWith("/")) {
    if (isElsewhere) {
      return { type: "unknown", reason: "it is relative to a file that is for all repositories" };
    }
    return { type: "workspace", pattern: pattern.slice(1) || "**" };
  }
  if (pattern.startsWith("./")) return { type: "workspace", pattern: pattern.slice(2) || "**" };
  const isFloating = !pattern.replace(/\/+$/, "").includes("/");
  return { type: isFloating ? "anywhere" : "workspace", pattern };
}

/** A rule of Troupe is about real paths, and the workspace is one. */
function absolute(path: string, workspace: string): Anchored {
  const pattern = path.replace(/\/{2,}/g, "/");
  if (!contains(workspace, pattern.replace(/\/+$/, ""))) return { type: "absolute", pattern };
  return { type: "workspace", pattern: pattern.slice(workspace.length + 1) || "**" };
}
