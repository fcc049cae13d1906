import type { PermissionMode } from "../protocol/message.ts";
import type { Place } from "../workspace/place.ts";
import type { ResolvedLine } from "./commands/resolved-line.ts";
import type { Rule } from "./rule.ts";

/** What a call would do, with its paths resolved and its command parsed. */
export type Subject =
  | { readonly type: "coordinate" }
  | {
      readonly type: "read" | "write";
      readonly path: string;
      readonly place: Place;
      /** True when everything under the path is concerned too. */
      readonly isTree: boolean;
    }
  | {
      readonly type: "command";
      readonly text: string;
      readonly line: ResolvedLine;
      /** Why it is to run outside the sandbox; undefined if it is not. */
      readonly leaving: string | undefined;
      /** Whether its tool can try it where it changes nothing. */
      readonly isTriable: boolean;
    }
  | { readonly type: "fetch"; readonly host: string; readonly port: number }
  | { readonly type: "effect"; readonly summary: string; readonly isReadOnly: boolean }
  | { readonly type: "mcp"; readonly server: string; readonly isReadOnly: boolean };

/** Everything that a decision depends on. */
export interface JudgedCall {
  readonly tool: string;
  readonly subject: Subject;
  readonly mode: PermissionMode;
  readonly rules: readonly Rule[];
  readonly directories: SpecialDirectories;
  /** Whether commands run in a sandbox, where they change nothing but the workspace. */
  readonly isConfined: boolean;
  /** Whether other members work in the same directory. */
  readonly isShared: boolean;
}

/** Directories with special rules, as real paths. */
export interface SpecialDirectories {
  /** The team directory, which only Troupe may write. */
  readonly teamDirectory: string;
  /** Directories of secrets with which somebody can act as the person. */
  readonly keyDirectories: readonly string[];
  /** Folders of the workspace in which the shell looks for programs. */
  readonly programDirectories: readonly string[];
}
