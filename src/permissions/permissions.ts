import { TeamError } from "../errors.ts";
import type { PermissionMode } from "../protocol/message.ts";
import type { Action } from "../protocol/tools.ts";
import type { Place } from "../workspace/place.ts";
import type { Subject, Surroundings } from "./case.ts";
import { narrowerMode } from "./modes.ts";
import type { Rule } from "./rule.ts";
import type { Verdict } from "./verdict.ts";

export interface PermissionsOptions {
  mode: PermissionMode;
  rules: readonly Rule[];
  /** The widest mode that is permitted at the moment, whatever was set. */
  widestMode?: () => PermissionMode;
  /** Where a path leads, relative to the directory the member works in. */
  locate(path: string): Promise<Place>;
  teamDirectory: string;
  /** Where secrets lie by which somebody can act as the person. */
  keyDirectories: readonly string[];
}

/**
 * What one member may do: a mode and rules that may change, and a judge of calls. The code that reads
 * and judges command lines is large, so it is loaded with the first call and not with the program.
 */
export class Permissions {
  readonly #options: PermissionsOptions;
  #mode: PermissionMode;
  #rules: readonly Rule[];
  #knownSurroundings: Promise<Surroundings> | undefined;

  constructor(options: PermissionsOptions) {
    this.#options = options;
    this.#mode = options.mode;
    this.#rules = options.rules;
  }

  /** What was set, or what is the widest at the moment where that is narrower. */
  get mode(): PermissionMode {
    const widest = this.#options.widestMode?.();
    return widest ? narrowerMode(this.#mode, widest) : this.#mode;
  }

  get rules(): readonly Rule[] {
    return this.#rules;
  }

  setMode(mode: PermissionMode): void {
    this.#mode = mode;
  }

  addRule(rule: Rule): void {
    this.#rules = [...this.#rules, rule];
  }

  /** Looks at what the call would reach, then decides. It asks nobody. */
  async judge({ tool, action }: { tool: string; action: Action }): Promise<Verdict> {
    try {
      const subject = await this.#subject(action);
      const surroundings = await this.#surroundings();
      const { decide } = await import("./decide.ts");
      return decide({ tool, subject, mode: this.mode, rules: this.#rules, surroundings });
    } catch (error) {
      // A path that no file can have: the model is told so.
      if (!(error instanceof TeamError)) throw error;
      return { decision: "deny", reason: error.message, isReadOnly: false };
    }
  }

  async #subject(action: Action): Promise<Subject> {
    switch (action.type) {
      case "coordinate":
        return action;
      case "read":
      case "write":
        return { ...action, place: await this.#options.locate(action.path) };
      case "command": {
        const { readLine } = await import("./commands/read-line.ts");
        const line = await readLine(action.command, this.#options.locate);
        return { type: "command", text: action.command, line };
      }
    }
  }

  /** Where the team and its key lie does not change while they are open. */
  #surroundings(): Promise<Surroundings> {
    this.#knownSurroundings ??= this.#findSurroundings();
    return this.#knownSurroundings;
  }

  async #findSurroundings(): Promise<Surroundings> {
    const realPath = async (path: string) => (await this.#options.locate(path)).real;
    const [teamDirectory, keyDirectories] = await Promise.all([
      realPath(this.#options.teamDirectory),
      Promise.all(this.#options.keyDirectories.map(realPath)),
    ]);
    return { teamDirectory, keyDirectories };
  }
}
