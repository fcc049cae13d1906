import { PermissionMode } from "../../protocol/message.ts";
import type { Configuration } from "../settings/configuration.ts";
import type { PathBase } from "./claude-path.ts";
import { translateRule, type UntranslatedRule } from "./claude-rule.ts";
import type { ClaudeSettings } from "./claude-settings.ts";
import type { NotInForce, OpenSurvey, Proposal } from "./finding.ts";

interface ClaudeFile {
  readonly settings: ClaudeSettings;
  /** As it is shown. */
  readonly path: string;
  readonly base: PathBase;
  /** True for a file that only the person has. */
  readonly isPersonal: boolean;
  readonly configuration: Configuration;
}

const decisions = ["deny", "ask", "allow"] as const;
type RuleDecision = (typeof decisions)[number];

/** Adds what a settings file of Claude Code has for Troupe. */
export function addClaudeSettings(found: ClaudeFile, survey: OpenSurvey): void {
  for (const decision of decisions) {
    for (const text of found.settings.permissions[decision]) {
      addRule({ decision, text }, found, survey);
    }
  }
  addMode(found, survey);
  addHooks(found, survey);
  for (const name of found.settings.others) addOther(name, found, survey);
}

function addRule(
  { decision, text }: { decision: RuleDecision; text: string },
  found: ClaudeFile,
  survey: OpenSurvey,
): void {
  const translation = translateRule(decision, text, found.base);
  const what = `${decision} ${text}`;
  if ("reason" in translation) {
    leaveOut({ what, path: found.path, ...untranslated(decision, translation) }, survey);
    return;
  }
  const { rule, gap } = translation;
  if (gap !== undefined) {
    const reason = `only in part, as ${rule}: ${gap}`;
    leaveOut({ what, path: found.path, reason, warning: true }, survey);
  }
  propose({ setting: decision, value: rule, from: what }, found, survey);
}

function untranslated(decision: RuleDecision, { reason, isNeedless }: UntranslatedRule) {
  const warning = decision !== "allow" && isNeedless !== true;
  const effect = isNeedless ? "it is not needed" : "it is left out";
  return { reason: `${effect}: ${reason}`, warning };
}

function addMode(found: ClaudeFile, survey: OpenSurvey): void {
  const { mode: stated } = found.settings;
  if (stated === undefined || stated === "default") return;
  const what = `defaultMode ${stated}`;
  const mode = PermissionMode.safeParse(stated);
  if (mode.success && mode.data !== "bypassPermissions") {
    propose({ setting: "permission-mode", value: mode.data, from: what }, found, survey);
    return;
  }
  const reason = mode.success
    ? "no file can set this mode; start with --permission-mode bypassPermissions if you want it"
    : "Troupe has no such mode; `troupe run` denies what it would have to ask about";
  leaveOut({ what, path: found.path, reason, warning: stated === "dontAsk" }, survey);
}

function addHooks(found: ClaudeFile, survey: OpenSurvey): void {
  const { hooks: stated } = found.settings;
  if (!stated) return;
  for (const { path, reason } of stated.ignored) {
    const what = `hooks: ${path}`;
    leaveOut({ what, path: found.path, reason: `it ${reason}`, warning: true }, survey);
  }
  const events = Object.keys(stated.hooks).join(", ");
  if (events === "") return;
  const from = `hooks (${events})`;
  propose({ setting: "hooks", value: stated.hooks, from }, found, survey);
}

type Wanted = Pick<Proposal, "setting" | "value" | "from">;

/** What is the person's own is not written into a file that they share. */
function propose(wanted: Wanted, found: ClaudeFile, survey: OpenSurvey): void {
  const { path, isPersonal, configuration } = found;
  const { userFile, workspaceFile } = configuration;
  const { setting, from } = wanted;
  const isOwn = has(userFile?.stated, wanted);
  if (isOwn) survey.in_force.push({ what: from, path: `${path}, as ${shown(wanted)}` });
  if (!isPersonal) {
    const isKnown = survey.proposed.some((it) => isSame(it, wanted));
    const present = has(workspaceFile?.stated, wanted);
    if (!isKnown) survey.proposed.push({ ...wanted, path, present });
    return;
  }
  if (isOwn) return;
  const warning = setting === "deny" || setting === "ask";
  const reason = `it is yours alone: put ${shown(wanted)} into ~/.config/troupe/config.json`;
  leaveOut({ what: from, path, reason, warning }, survey);
}

function isSame(one: Wanted, { setting, value }: Wanted): boolean {
  return one.setting === setting && (one.value === value || setting === "hooks");
}

/** Whether settings have it. Their own hooks are not mixed with others. */
function has(stated: object | undefined, { setting, value }: Wanted): boolean {
  const found: unknown = stated && Reflect.get(stated, setting);
  if (setting === "hooks") return found !== undefined;
  return Array.isArray(found) ? found.includes(value) : found === value;
}

function shown({ setting, value }: Wanted): string {
  if (setting === "hooks") return "the same hooks";
  return setting === "permission-mode" ? `"${setting}": "${value}"` : `${setting}: ${value}`;
}

/** Fields that narrow what is permitted. */
const narrowing: ReadonlySet<string> = new Set([
  "disabledMcpjsonServers",
  "permissions.disableBypassPermissionsMode",
  "sandbox",
]);

const advice: Readonly<Record<string, string>> = {
  apiKeyHelper: "keys come from the environment, or from --env-file",
  disabledMcpjsonServers: 'write "disabled": true into the entry of the server in .mcp.json',
  enableAllProjectMcpServers: "`troupe trust .mcp.json` decides",
  enabledMcpjsonServers: "`troupe trust .mcp.json` decides",
  env: "variables come from the environment, or from --env-file",
  model: "choose a model with --model, or as `model`, written <provider>/<model>",
  "permissions.additionalDirectories": "file tools work in the workspace alone",
  "permissions.disableBypassPermissionsMode": "only a flag, or a person, can set that mode",
  sandbox: "Troupe has a sandbox, with settings of its own",
};

function addOther(name: string, { path }: ClaudeFile, survey: OpenSurvey): void {
  const reason = Object.hasOwn(advice, name) ? advice[name] : undefined;
  const left = { what: name, path, reason: reason ?? "Troupe has no such setting" };
  leaveOut({ ...left, warning: narrowing.has(name) }, survey);
}

function leaveOut(left: Omit<NotInForce, "broken">, survey: OpenSurvey): void {
  survey.not_in_force.push({ ...left, broken: false });
}
