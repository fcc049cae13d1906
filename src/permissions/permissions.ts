import { TeamError } from "../errors.ts";
import type { PermissionMode } from "../protocol/message.ts";
import type { Action } from "../protocol/tools.ts";
import type { Place } from "../workspace/place.ts";
import type { Subject, Surroundings } from "./case.ts";
import { findCommands } from "./commands/find-commands.ts";
import type { Line } from "./commands/line.ts";
import { parseLine } from "./commands/parse-line.ts";
import { resolveLine } from "./commands/resolve-line.ts";
import { decide } from "./decide.ts";
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
  keyDirectory: string;
}

/** What one member may do: a mode and rules that may change, and a judge of calls. */
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
        const line = await resolveLine(readLine(action.command), this.#options.locate);
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
    const [team, keys] = await Promise.all([
      this.#options.locate(this.#options.teamDirectory),
      this.#options.locate(this.#options.keyDirectory),
    ]);
    return { teamDirectory: team.real, keyDirectory: keys.real };
  }
}

function readLine(command: string): Line {
  try {
    const parsed = parseLine(command);
    if (parsed.type === "parsed") return findCommands(parsed.script);
    return unreadable(parsed.reason);
  } catch (error) {
    // The parser meets whatever a model writes. Where it gives up, a person has to look.
    const reason = error instanceof Error ? error.message : String(error);
    return unreadable(`it cannot be parsed as bash (${reason})`);
  }
}

function unreadable(reason: string): Line {
  return { commands: [], doubts: [reason], isWhole: false, untold: undefined };
}
