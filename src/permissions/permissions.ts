import { basename, dirname, join } from "node:path";
import { TeamError } from "../errors.ts";
import { firstCharacters } from "../lib/cut-text.ts";
import { mcpToolName } from "../protocol/mcp-tool-names.ts";
import type { PermissionMode } from "../protocol/message.ts";
import type { OwnRules } from "../protocol/team.ts";
import type { ToolAction } from "../protocol/tools.ts";
import type { Place } from "../workspace/place.ts";
import type { SpecialDirectories, Subject } from "./judged-call.ts";
import { narrowerMode } from "./modes.ts";
import { coversPlace, parseRule, type Rule } from "./rule.ts";
import { showHidden } from "./show-hidden.ts";
import type { Verdict } from "./verdict.ts";

export interface PermissionsOptions {
  mode: PermissionMode;
  rules: readonly Rule[];
  /** Rules for this member alone, which never change (default: none). */
  ownRules?: OwnRules | undefined;
  /** The widest mode that is permitted at the moment, whatever was set. */
  widestMode?: () => PermissionMode;
  /** The place of a path, relative to the directory the member works in. */
  locate(path: string): Promise<Place>;
  teamDirectory: string;
  /** Directories of secrets with which somebody can act as the person. */
  keyDirectories: readonly string[];
  /** True if a program decides about calls, and so may permit any that creates files. */
  isPolicyOwn?: boolean;
  /** Whether commands run in a sandbox (default: they do not). */
  isConfined?: () => Promise<boolean>;
  /** Whether other members work in the same directory (default: they do not). */
  isShared?: () => boolean;
  /** The environment of commands (default: empty). */
  environment?: Readonly<Record<string, string | undefined>>;
}

export interface CallToJudge {
  tool: string;
  action: ToolAction;
  /** True if a program allows the call, as a rule for its tool would. */
  isAllowed?: boolean;
}

/**
 * Decides what one member may do, by a mode and rules that may change. The code that judges command
 * lines is large, so it is loaded with the first call and not with the program.
 */
export class Permissions {
  readonly #options: PermissionsOptions;
  #mode: PermissionMode;
  #rules: readonly Rule[];
  #knownDirectories: Promise<SpecialDirectories> | undefined;
  #knownOwnRules: Promise<readonly Rule[]> | undefined;

  constructor(options: PermissionsOptions) {
    this.#options = options;
    this.#mode = options.mode;
    this.#rules = options.rules;
  }

  /** The mode that was set, or the widest permitted one if that is narrower. */
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

  setRules(rules: readonly Rule[]): void {
    this.#rules = rules;
  }

  /** False for a file that a search has to leave out. */
  mayRead(place: Place): boolean {
    return !this.#rules.some(
      (rule) => rule.decision === "deny" && coversPlace(rule, "reading", place),
    );
  }

  /** Resolves what the call would reach, then decides. It does not ask. */
  async judge({ tool: called, action, isAllowed = false }: CallToJudge): Promise<Verdict> {
    // Rules are about the server's tool, however it is called.
    const tool = action.type === "mcp" ? mcpToolName(action) : called;
    try {
      const directories = await this.#directories();
      const subject = await this.#subject(action, directories);
      const { decide } = await import("./decide.ts");
      const allowance = isAllowed ? [parseRule("allow", tool)] : [];
      const { ownRules: ofMember } = this.#options;
      if (ofMember) {
        const { beyondOnly, ownRules } = await import("./own-rules.ts");
        const reason = beyondOnly(ofMember, subject);
        if (reason !== undefined) return { decision: "deny", reason, isReadOnly: false };
        allowance.push(...ownRules(ofMember));
      }
      const rules = [...this.#rules, ...(await this.#ownRules()), ...allowance];
      const isConfined = (await this.#options.isConfined?.()) ?? false;
      const isShared = this.#options.isShared?.() ?? false;
      const surroundings = { rules, directories, isConfined, isShared };
      return decide({ tool, subject, mode: this.mode, ...surroundings });
    } catch (error) {
      // A path that no file can have: the model gets the reason.
      if (!(error instanceof TeamError)) throw error;
      return { decision: "deny", reason: error.message, isReadOnly: false };
    }
  }

  async #subject(action: ToolAction, { programDirectories }: SpecialDirectories): Promise<Subject> {
    switch (action.type) {
      case "coordinate":
        return action;
      case "read":
      case "write": {
        const isTree = action.type === "read" && (action.isTree ?? false);
        return { ...action, isTree, place: await this.#options.locate(action.path) };
      }
      case "command": {
        const { readLine } = await import("./commands/read-line.ts");
        const { locate, environment = {} } = this.#options;
        const isStill = await this.#isStill();
        const context = { locate, environment, programDirectories, isStill };
        const line = await readLine(action.command, context);
        const { command: text, leaving, isTriable = false } = action;
        return { type: "command", text, line, leaving, isTriable };
      }
      case "mcp":
        return { type: "mcp", server: action.server, isReadOnly: action.readOnly };
      case "fetch": {
        const { protocol, hostname, port } = new URL(action.url);
        const host = hostname.replace(/\.$/, "");
        return { type: "fetch", host, port: Number(port || (protocol === "http:" ? 80 : 443)) };
      }
      case "effect": {
        const { type, summary, isReadOnly = false } = action;
        return { type, summary: onOneLine(summary), isReadOnly };
      }
    }
  }

  /** True if no file can be created unasked, so that a pattern still finds the same files later. */
  async #isStill(): Promise<boolean> {
    if (this.#options.isPolicyOwn) return false;
    if (this.mode !== "default" && this.mode !== "plan") return false;
    const { mayMakeFiles } = await import("./commands/changing-programs.ts");
    return !this.#rules.some(mayMakeFiles);
  }

  /** If the workspace is the person's home, or contains it, reading the secrets there asks. */
  #ownRules(): Promise<readonly Rule[]> {
    this.#knownOwnRules ??= this.#findOwnRules();
    return this.#knownOwnRules;
  }

  async #findOwnRules(): Promise<readonly Rule[]> {
    const home = this.#options.environment?.HOME ?? "";
    const place = home.startsWith("/") ? await this.#locateDirectory(home) : undefined;
    if (place?.relative === undefined) return [];
    const { homeSecrets } = await import("./home-secrets.ts");
    return homeSecrets(place.relative);
  }

  /** The directories of the team and its key do not change while they are open. */
  #directories(): Promise<SpecialDirectories> {
    this.#knownDirectories ??= this.#findDirectories();
    return this.#knownDirectories;
  }

  async #findDirectories(): Promise<SpecialDirectories> {
    const { environment } = this.#options;
    const locate = (path: string) => this.#locateDirectory(path);
    const realPath = async (path: string) => (await locate(path)).real;
    const searched = (environment?.PATH ?? "/").split(":").map((path) => path || ".");
    const [teamDirectory, keyDirectories, places] = await Promise.all([
      realPath(this.#options.teamDirectory),
      Promise.all(this.#options.keyDirectories.map(realPath)),
      Promise.all(searched.map(locate)),
    ]);
    const programDirectories = places.filter(({ isInside }) => isInside).map(({ real }) => real);
    return { teamDirectory, keyDirectories, programDirectories };
  }

  /**
   * The place of a directory that no call has named. If this user cannot reach it, as with a
   * directory in the PATH of another user, its path is taken as real: that is no reason to refuse a
   * call.
   */
  async #locateDirectory(path: string): Promise<Place> {
    try {
      return await this.#options.locate(path);
    } catch (error) {
      const parent = dirname(path);
      const isUnreachable = error instanceof TeamError && error.code === "path-refused";
      if (!isUnreachable || parent === path) throw error;
      const { real, isInside, relative } = await this.#locateDirectory(parent);
      const name = basename(path);
      return {
        real: join(real, name),
        isInside,
        relative: relative === undefined ? undefined : join(relative, name),
      };
    }
  }
}

/** A longer summary, or one of several lines, could push the call itself out of sight. */
const summaryCharacters = 200;

function onOneLine(summary: string): string {
  const line = summary.replace(/\s+/g, " ").trim();
  const cut = firstCharacters(line, summaryCharacters);
  return showHidden(cut.length < line.length ? `${cut}…` : cut);
}
