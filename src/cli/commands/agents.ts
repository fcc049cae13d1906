import { isAbsolute, relative, resolve } from "node:path";
import { TeamError } from "../../errors.ts";
import { contains } from "../../lib/contains.ts";
import { nearest } from "../../lib/nearest.ts";
import type { FoundRoles } from "../../roles/role.ts";
import type { RoleFile } from "../../roles/role-files.ts";
import { type RoleTerms, roleTerms } from "../../team/roles/role-terms.ts";
import { toolNamesOf } from "../../team/team-options.ts";
import type { Command, Io } from "../command.ts";
import { columns } from "../render/columns.ts";
import { jsonText } from "../render/json-text.ts";
import { oneLine } from "../render/one-line.ts";
import { resolveSettings } from "../settings/resolve-settings.ts";
import { roleFiles } from "../settings/role-source.ts";

export const agents: Command = {
  name: "agents",
  group: "look",
  summary: "Show the roles that teammates and the lead can have, and what of each is in force",
  parameters: ["[<name>]"],
  options: {
    cwd: { takes: "<directory>", summary: "the workspace (default: the current directory)" },
    json: { summary: "print JSON" },
  },
  examples: [
    { call: "troupe agents", does: "all roles, from where each is, and files that are broken" },
    { call: "troupe agents reviewer", does: "what of one role is in force, and what is not" },
  ],
  notes: [
    "Roles are read from .troupe/agents, .claude/agents, .opencode/agent and .opencode/agents of the workspace, then from agents in your own settings' directory and ~/.claude/agents. Of several with one name, the first counts.",
  ],

  async run({ positionals: [name], values, json }, io) {
    const settings = await resolveSettings(agents, values, io);
    const workspace = resolve(io.processInfo.cwd, settings.cwd ?? ".");
    const place = { workspace, processInfo: io.processInfo };
    const { roles, broken, hidden } = await roleFiles(place).find();
    const surroundings = {
      toolNames: toolNamesOf({}),
      aliases: settings["model-aliases"],
      leadsModel: settings.model,
    };
    const known = roles.map((file): KnownRole => ({ file, ...termsOf(file, surroundings) }));
    const shown = name === undefined ? known : [named(name, known)];
    if (json) {
      io.out(jsonText({ roles: shown.map(asJson), broken, hidden }, 2));
      return 0;
    }
    const pathOf = (path: string) => shownPath(path, workspace, io);
    if (name !== undefined)
      for (const line of shown.flatMap((it) => details(it, pathOf))) io.out(line);
    else for (const line of listLines({ known, broken, hidden }, pathOf)) io.out(line);
    return 0;
  },
};

/** A role, and what it comes to; or why it cannot be used. */
interface KnownRole {
  file: RoleFile;
  terms: RoleTerms | undefined;
  refusal: TeamError | undefined;
}

function termsOf(
  file: RoleFile,
  surroundings: Parameters<typeof roleTerms>[1],
): Omit<KnownRole, "file"> {
  try {
    return { terms: roleTerms(file, surroundings), refusal: undefined };
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    return { terms: undefined, refusal: error };
  }
}

function named(name: string, known: readonly KnownRole[]): KnownRole {
  const wanted = name.trim().toLowerCase();
  const found = known.find(({ file }) => file.role.name.toLowerCase() === wanted);
  if (found) return found;
  const names = known.map(({ file }) => file.role.name);
  const meant = nearest(name, names);
  const advice = meant === undefined ? "" : `Did you mean ${meant}? `;
  throw new TeamError("usage-wrong", `No role is named '${name}'`, {
    hint: `${advice}\`troupe agents\` lists those that are found, and files that are broken.`,
  });
}

/** What a role sets, each by the name that its field has in the file. */
function inForce({ asks, record, initialPrompt }: RoleTerms): [string, unknown][] {
  const { own_rules: rules = {}, mcp_servers: servers } = record;
  const only = rules.only ?? [];
  // A command's tools are named whole beside the patterns that are all of them that is permitted.
  const tools = asks.tools && [...asks.tools, ...only];
  const disallowed = [...(record.disallowed_tools ?? []), ...(rules.deny ?? [])];
  const all: [string, unknown][] = [
    ["tools", tools],
    ["disallowedTools", disallowed.length > 0 ? disallowed : undefined],
    ["permission", rules.ask && { ask: rules.ask }],
    ["model", asks.model],
    ["permissionMode", record.asks_nobody ? "dontAsk" : asks.mode],
    ["effort", asks.effort],
    ["maxTurns", record.max_turns],
    ["max-cost", record.max_cost],
    ["color", record.color],
    ["isolation", asks.isolation],
    ["sandbox", asks.sandbox],
    ["network", record.network],
    ["plan_required", asks.planRequired],
    ["initialPrompt", initialPrompt],
    ["skills", record.skills],
    ["hooks", record.hooks],
    ["mcpServers", servers && [...servers.names, ...Object.keys(servers.own)]],
    ["text", asks.instructions && `${asks.instructions.length} characters in the system prompt`],
  ];
  return all.filter(([, value]) => value !== undefined);
}

function asJson({ file, terms, refusal }: KnownRole): object {
  const { role, path, sha256, problems, ignored, needs, withheld } = file;
  return {
    name: role.name,
    description: role.description,
    ...{ path, sha256, usable: refusal === undefined },
    ...(refusal && { reason: refusal.message }),
    in_force: terms ? Object.fromEntries(inForce(terms)) : {},
    ...{ problems, ignored },
    needs_consent: needs.map(({ field }) => field),
    trusted: withheld.length === 0,
  };
}

function details({ file, terms, refusal }: KnownRole, pathOf: (path: string) => string): string[] {
  const { role, path, sha256, ignored } = file;
  const rows = terms ? inForce(terms) : [];
  const width = Math.max(0, ...rows.map(([name]) => name.length));
  return [
    oneLine(role.name),
    indented(role.description.replace(/\s+/g, " "), 300),
    indented(`${pathOf(path)} (SHA-256 ${sha256})`),
    ...(refusal ? ["Not usable:", indented(refusal.message, 2_000)] : []),
    ...(refusal?.hint ? [indented(refusal.hint, 2_000)] : []),
    ...(rows.length > 0 ? ["In force:"] : []),
    ...rows.flatMap(([name, value]) => columns(name, oneLine(valueText(value), 500), width)),
    ...(ignored.length > 0 ? ["Without effect:"] : []),
    ...ignored.map(({ field, text }) => indented(`${field} ${text}`)),
    ...(terms?.notes.slice(ignored.length) ?? []).map((note) => indented(note)),
  ];
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.length > 0 ? value.join(", ") : "none";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

function listLines(
  {
    known,
    broken,
    hidden,
  }: Pick<FoundRoles, "broken" | "hidden"> & { known: readonly KnownRole[] },
  pathOf: (path: string) => string,
): string[] {
  if (known.length + broken.length === 0) return ["There are no role files."];
  return [
    ...known.flatMap(({ file, refusal }) => [
      oneLine(`${file.role.name}: ${file.role.description.replace(/\s+/g, " ")}`, 100),
      indented(pathOf(file.path)),
      ...(refusal ? [indented(`not usable: ${refusal.message}`, 1_000)] : []),
    ]),
    ...broken.map(({ path, problem }) => oneLine(`broken: ${pathOf(path)}: ${problem}`, 1_000)),
    ...hidden.map(({ name, path, by }) =>
      oneLine(`hidden: ${pathOf(path)}: ${name} is in ${pathOf(by)}, too`, 1_000),
    ),
  ];
}

function shownPath(
  path: string,
  workspace: string,
  { processInfo }: Pick<Io, "processInfo">,
): string {
  if (contains(workspace, path)) return relative(workspace, path);
  const fromHome = relative(processInfo.home, path);
  return fromHome.startsWith("..") || isAbsolute(fromHome) ? path : `~/${fromHome}`;
}

function indented(text: string, most?: number): string {
  return `  ${oneLine(text, most)}`;
}
