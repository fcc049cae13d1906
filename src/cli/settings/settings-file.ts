import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { open, realpath } from "node:fs/promises";
import { z } from "zod";
import { hasErrno, TeamError } from "../../errors.ts";
import { closing } from "../../lib/closing.ts";
import { parseJson } from "../../lib/json.ts";
import { nearest } from "../../lib/nearest.ts";
import { providerFamilies } from "../../model/built-in-providers.ts";
import { checkProvider } from "../../model/provider-definitions.ts";
import { parseRule, requireKnownTool } from "../../permissions/rule.ts";
import { readMcpServers } from "../../protocol/mcp-servers.ts";
import { SettingName, StatedSettings, shownValue, wrongValue } from "./settings.ts";

/** A settings file, as read. */
export interface SettingsFile {
  readonly kind: "settings";
  readonly path: string;
  /** The path with all links resolved. */
  readonly realPath: string;
  /** The hash of its bytes. */
  readonly sha256: string;
  readonly stated: StatedSettings;
}

/** Reads a settings file; undefined if there is none. Throws if any of it is invalid. */
export async function readSettingsFile(path: string): Promise<SettingsFile | undefined> {
  const file = await readObjectFile(path);
  if (!file) return undefined;
  const { realPath, sha256, value } = file;
  return { kind: "settings", path, realPath, sha256, stated: parse(value, path) };
}

/** Reads a file with a JSON object; undefined if there is none. Throws if it is something else. */
export async function readObjectFile(
  path: string,
): Promise<{ realPath: string; sha256: string; text: string; value: object } | undefined> {
  try {
    const bytes = await readBytes(path);
    if (!bytes) return undefined;
    const text = decode(bytes, path);
    return {
      realPath: await realpath(path),
      sha256: createHash("sha256").update(bytes).digest("hex"),
      text,
      value: parseObject(text, path),
    };
  } catch (error) {
    if (hasErrno(error, "ENOENT", "ENOTDIR")) return undefined;
    if (error instanceof TeamError || !(error instanceof Error && "errno" in error)) throw error;
    throw invalid(`${path} cannot be read: ${error.message}`, {
      cause: error,
      hint: "Check its permissions, or move it away.",
    });
  }
}

async function readBytes(path: string): Promise<Buffer | undefined> {
  // Without O_NONBLOCK, opening a pipe would wait for a writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  await using _ = closing(file);
  const stats = await file.stat();
  if (!stats.isFile()) {
    const kind = stats.isDirectory() ? "a directory" : "no file";
    throw invalid(`${path} is ${kind}, not a settings file`, {
      hint: "Move it away.",
    });
  }
  if (stats.size > maxBytes) {
    throw invalid(`${path} is larger than ${maxBytes} bytes, too large for settings`, {
      hint: "Correct it, or move it away.",
    });
  }
  return await file.readFile();
}

const maxBytes = 256 * 1024;

function decode(bytes: Buffer, path: string): string {
  try {
    // The decoder skips a byte order mark, which some editors write.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw invalid(`${path} is not UTF-8 text`, { cause: error, hint: "Save it as UTF-8." });
  }
}

function parse(value: object, path: string): StatedSettings {
  const entries = Object.entries(value).filter(([key]) => !unread.has(key));
  for (const [key] of entries) {
    if (!SettingName.safeParse(key).success) throw unknownSetting(key, path);
  }
  const settings: Record<string, unknown> = Object.fromEntries(entries);
  const parsed = StatedSettings.safeParse(settings);
  if (!parsed.success) throw wrongSetting(parsed.error, settings, path);
  checkParts(parsed.data, path);
  return parsed.data;
}

/** Keys for editors and for people. */
const unread: ReadonlySet<string> = new Set(["$schema", "$comment"]);

function parseObject(text: string, path: string): object {
  const value = parseAny(text, path);
  // Not by a schema: schemas silently drop keys such as `__proto__`.
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw invalid(`${path} is ${shownValue(value)}, but must be an object`, {
    hint: 'Put the settings in braces, as in { "permission-mode": "plan" }.',
  });
}

function parseAny(text: string, path: string): unknown {
  try {
    return parseJson(text, z.unknown(), path);
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    throw invalid(error.message, {
      cause: error,
      hint: 'Correct it. JSON allows no trailing commas, and comments only as "$comment": "…".',
    });
  }
}

function wrongSetting(
  { issues: [issue] }: z.ZodError,
  settings: Readonly<Record<string, unknown>>,
  path: string,
): TeamError {
  const [key, index, field] = issue?.path ?? [];
  const name = SettingName.parse(key);
  const found = settings[name];
  if (name === "hooks") return wrongHooks(issue?.message ?? "is wrong", path);
  if (name === "providers") return wrongProvider({ name: index, field, path });
  if (name === "models") return wrongModel({ name: index, field, path });
  const problem =
    Array.isArray(found) && typeof index === "number"
      ? `has ${shownValue(found[index])} in it, which is not a permission rule`
      : wrongValue(name, found);
  return invalid(`${path}: "${name}" ${problem}`, { hint: "Correct it." });
}

function wrongHooks(problem: string, path: string): TeamError {
  return invalid(`${path}: "hooks": ${problem}`, {
    hint: 'Hooks are { "PreToolUse": [ { "matcher": "Bash", "hooks": [ { "type": "command", "command": "…", "timeout": 60 } ] } ] }; docs/hooks.md lists the events.',
  });
}

interface PartIssue {
  name: PropertyKey | undefined;
  field: PropertyKey | undefined;
  path: string;
}

/** No value is in the message: somebody may have written a key into the file. */
function wrongProvider({ name, field, path }: PartIssue): TeamError {
  const which = field === undefined ? "" : `: "${String(field)}" is wrong`;
  const problem =
    name === undefined
      ? " must be an object with a provider under each name"
      : `: "${String(name)}" is not a provider${which}`;
  return invalid(`${path}: "providers"${problem}`, {
    hint: `A provider is { "family": …, "base-url": "https://…", "key-variable": "…", "header-variables": { "x-…": "…" } }, or has "package" for "family", and nothing else; families are ${providerFamilies.join(", ")}.`,
  });
}

function wrongModel({ name, field, path }: PartIssue): TeamError {
  const which = field === undefined ? "" : `: "${String(field)}" is wrong`;
  const problem =
    name === undefined
      ? " must be an object with the facts of a model under each id"
      : `: the entry of "${String(name)}" is wrong${which}`;
  return invalid(`${path}: "models"${problem}`, {
    hint: 'An entry is { "price": { "input": 0.1, "output": 0.4 }, "context-window": 131072, "max-output": 32768 }, each of them optional, with dollars per million tokens; a price may also have "cache-read", "cache-write", "cache-write-1h" and "long".',
  });
}

function checkParts(stated: StatedSettings, path: string): void {
  for (const decision of ["allow", "ask", "deny"] as const) {
    for (const rule of stated[decision] ?? []) {
      // The command line adds no tools of its own.
      check(decision, path, () => requireKnownTool(parseRule(decision, rule), []));
    }
  }
  const [problem] = readMcpServers(stated.mcpServers ?? {}).errors;
  if (problem) throw invalid(`${path}: ${problem}`, { hint: mcpServersHint });
  for (const [name, definition] of Object.entries(stated.providers ?? {})) {
    check("providers", path, () => checkProvider(name, definition, providerFields));
  }
}

const mcpServersHint =
  'A server is { "command": "…", "args": ["…"], "env": {…} }, or { "type": "http", "url": "https://…", "headers": {…} }. docs/mcp.md has all fields.';

/** The fields of a provider as a settings file calls them. */
const providerFields = {
  family: "family",
  package: "package",
  baseUrl: "base-url",
  keyVariable: "key-variable",
  headerVariables: "header-variables",
} as const;

function check(name: SettingName, path: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    const hint = error.hint === undefined ? {} : { hint: error.hint };
    throw invalid(`${path}: "${name}": ${error.message}`, { cause: error, ...hint });
  }
}

function invalid(message: string, options: { cause?: unknown; hint: string } | { cause: unknown }) {
  return new TeamError("config-invalid", message, options);
}

/** The error for a key that a settings file cannot have, with where it belongs. */
function unknownSetting(key: string, path: string): TeamError {
  const words = key
    .replace(/([a-z0-9])([A-Z])/g, "$1-$2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-");
  if (neverInFiles.test(words)) {
    return new TeamError("config-invalid", `${path}: "${key}" cannot be set in a file`, {
      hint: 'Keys and variables come only from the environment: set variables such as ANTHROPIC_API_KEY or ANTHROPIC_BASE_URL, or give a file of them with --env-file. Another provider is defined under "providers".',
    });
  }
  if (onlyFlags.has(words)) {
    return new TeamError(
      "config-invalid",
      `${path}: "${key}" can only be set on the command line`,
      {
        hint: `Use --${words}.`,
      },
    );
  }
  const meant = nearest(key, SettingName.options);
  return new TeamError("config-invalid", `${path}: "${key}" is not a setting`, {
    hint: `${meant ? `Did you mean "${meant}"? ` : ""}Settings: ${SettingName.options.join(", ")}.`,
  });
}

/** Settings by which a repository could send keys elsewhere or run programs. */
const neverInFiles =
  /(^|-)(api-?keys?|keys?|tokens?|secrets?|passwords?|credentials?|auth|base-?urls?|urls?|uri|endpoints?|hosts?|proxy|proxies|headers?|env|envs|env-file|environment|dotenv|hooks?|providers?|mcp|mcp-servers|shell|commands?|plugins?)(-|$)/;

const onlyFlags: ReadonlySet<string> = new Set([
  ...["cwd", "fresh", "take-over", "record", "team-dir", "output", "json", "debug", "plain"],
  ...["web", "help"],
]);
