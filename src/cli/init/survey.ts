import { realpath } from "node:fs/promises";
import { isAbsolute, join, relative } from "node:path";
import { onErrno, TeamError } from "../../errors.ts";
import { findInstructions } from "../../instructions/instructions.ts";
import { contains } from "../../lib/contains.ts";
import { isThere } from "../../lib/is-there.ts";
import { listSkills } from "../commands/skills.ts";
import {
  type Configuration,
  readConfiguration,
  workspaceSettings,
} from "../settings/configuration.ts";
import { mcpSettings } from "../settings/mcp-file.ts";
import { type RepositoryPlace, repositoryFiles } from "../settings/repository-files.ts";
import { roleFiles } from "../settings/role-source.ts";
import { userGuidance } from "../settings/standard-places.ts";
import { addClaudeSettings } from "./claude-findings.ts";
import { readClaudeSettings } from "./claude-settings.ts";
import type { OpenSurvey, Survey } from "./finding.ts";
import { foreignFiles } from "./foreign-files.ts";

/** Looks at everything in a workspace and in the person's home that is for coding agents. It changes and runs nothing. */
export async function surveyOf(place: RepositoryPlace): Promise<Survey> {
  const survey: OpenSurvey = { in_force: [], not_in_force: [], proposed: [] };
  const workspace = await realpath(place.workspace).catch(onErrno(place.workspace, "ENOENT"));
  const surveyor = new Surveyor({ ...place, workspace }, survey);
  await surveyor.lookAtGuidance();
  await surveyor.lookAtRoles();
  const configuration = await surveyor.lookAtConfiguration();
  await surveyor.lookAtClaudeSettings(configuration);
  await surveyor.lookAtOthers();
  return survey;
}

class Surveyor {
  readonly #place: RepositoryPlace;
  readonly #survey: OpenSurvey;

  constructor(place: RepositoryPlace, survey: OpenSurvey) {
    this.#place = place;
    this.#survey = survey;
  }

  /** Instructions, skills and commands. */
  async lookAtGuidance(): Promise<void> {
    const { workspace, processInfo } = this.#place;
    const { instructions: personal } = userGuidance(processInfo);
    const told = await findInstructions(workspace, { home: processInfo.home, personal });
    for (const { name, importedBy } of told.files) {
      const by = importedBy === undefined ? "" : `, imported by ${importedBy}`;
      this.#survey.in_force.push({ what: "instructions", path: `${this.#shown(name)}${by}` });
    }
    for (const warning of told.warnings) this.#leaveOut("instructions", null, warning);
    const { skills, commands, unused } = await listSkills(workspace, { processInfo });
    for (const [kind, files] of Object.entries({ skill: skills, command: commands })) {
      for (const { name, path, no_effect: fields } of files) {
        const without = fields.length > 0 ? ` (no effect: ${fields.join(", ")})` : "";
        this.#survey.in_force.push({ what: `${kind} ${name}${without}`, path: this.#shown(path) });
      }
    }
    for (const { path, reason } of unused) this.#leaveOut("skill or command", path, reason);
  }

  /** Those that need trust are among the files of the repository that do. */
  async lookAtRoles(): Promise<void> {
    const { roles, broken, hidden } = await roleFiles(this.#place).find();
    for (const { role, path, problems, withheld, ignored } of roles) {
      const fields = ignored.map(({ field }) => field);
      const without = fields.length > 0 ? ` (no effect: ${fields.join(", ")})` : "";
      const [problem] = problems;
      if (problem) this.#leaveOut(`role ${role.name}`, path, `${problem.field} ${problem.text}`);
      else if (withheld.length === 0) {
        this.#survey.in_force.push({
          what: `role ${role.name}${without}`,
          path: this.#shown(path),
        });
      }
    }
    for (const { path, problem } of broken) this.#leaveOut("role", path, problem);
    for (const { path, by } of hidden) {
      this.#leaveOut("role", path, `${this.#shown(by)} has the same name, and counts`);
    }
  }

  /** Troupe's own settings, and files of the repository that need trust. */
  async lookAtConfiguration(): Promise<Configuration> {
    const { workspace, processInfo } = this.#place;
    try {
      const configuration = await readConfiguration(workspace, processInfo);
      this.#addSettings(configuration);
      for (const { path, answer, wording } of await repositoryFiles(this.#place, configuration)) {
        if (answer === "trusted") {
          this.#survey.in_force.push({ what: "trusted", path: this.#shown(path) });
        } else {
          const reason = `${wording.withheld}; \`troupe trust --show\` shows them, \`troupe trust\` applies them`;
          this.#leaveOut("not trusted", path, reason);
        }
      }
      const { notes } = await mcpSettings(configuration, undefined, undefined, this.#place);
      for (const note of notes) this.#leaveOut("MCP server", null, note);
      return configuration;
    } catch (error) {
      if (!(error instanceof TeamError)) throw error;
      this.#leaveOut("settings", null, `${error.message}. ${error.hint ?? ""}`, true);
      return { userFile: undefined, workspaceFile: undefined, loosenings: [], answer: undefined };
    }
  }

  #addSettings(configuration: Configuration): void {
    const files = [
      { path: configuration.userFile?.path, stated: configuration.userFile?.stated },
      { path: configuration.workspaceFile?.path, stated: workspaceSettings(configuration) },
    ];
    for (const { path, stated = {} } of files) {
      const names = Object.keys(stated).join(", ");
      if (path === undefined || names === "") continue;
      this.#survey.in_force.push({ what: `settings: ${names}`, path: this.#shown(path) });
    }
  }

  async lookAtClaudeSettings(configuration: Configuration): Promise<void> {
    const { workspace, processInfo } = this.#place;
    const home = await realpath(processInfo.home).catch(onErrno(processInfo.home, "ENOENT"));
    const files = [
      { path: join(workspace, ".claude", "settings.json"), isPersonal: false },
      { path: join(workspace, ".claude", "settings.local.json"), isPersonal: true },
      { path: join(home, ".claude", "settings.json"), isPersonal: true },
    ];
    const own = new Set<string>();
    for (const { path, isPersonal } of files) {
      if (own.has(path)) continue;
      own.add(path);
      const within = contains(workspace, path) ? workspace : undefined;
      try {
        const settings = await readClaudeSettings(path, within);
        const shown = this.#shown(path);
        // Both files of the workspace are relative to it.
        const base = { workspace, home, isElsewhere: within === undefined };
        const found = { path: shown, base, isPersonal, configuration };
        if (settings) addClaudeSettings({ settings, ...found }, this.#survey);
      } catch (error) {
        if (!(error instanceof TeamError)) throw error;
        const reason = `${error.message}. ${error.hint ?? ""}`.trim();
        this.#leaveOut("settings of Claude Code", path, reason, true);
      }
    }
  }

  /** Files of other programs, of which only the names are looked at. */
  async lookAtOthers(): Promise<void> {
    const { workspace, processInfo } = this.#place;
    const used = new Set(this.#survey.in_force.map(({ path }) => path));
    for (const { below, path, what, reason } of foreignFiles) {
      const whole = join(below === "home" ? processInfo.home : workspace, path);
      if (used.has(this.#shown(whole)) || !(await isThere(whole))) continue;
      this.#leaveOut(what, whole, reason);
    }
  }

  #leaveOut(what: string, path: string | null, reason: string, broken = false): void {
    const shown = path === null ? null : this.#shown(path);
    // It may have had rules that deny.
    this.#survey.not_in_force.push({ what, path: shown, reason, warning: broken, broken });
  }

  #shown(path: string): string {
    const { workspace, processInfo } = this.#place;
    if (!isAbsolute(path)) return path;
    if (contains(workspace, path)) return relative(workspace, path);
    const fromHome = relative(processInfo.home, path);
    return fromHome.startsWith("..") ? path : `~/${fromHome}`;
  }
}
