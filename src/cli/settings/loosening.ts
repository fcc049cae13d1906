import { isDeepStrictEqual } from "node:util";
import { usualOutput } from "../../model/model-facts.ts";
import type { ModelPrice } from "../../model/prices.ts";
import { isWiderMode } from "../../permissions/modes.ts";
import { isMoreEffort } from "../../protocol/effort.ts";
import { isWeakerSandbox } from "../../protocol/sandbox-mode.ts";
import { isWiderNetwork } from "../../protocol/sandbox-network.ts";
import { oneLine } from "../render/one-line.ts";
import { SettingName, type Settings, type StatedSettings, shownValue } from "./settings.ts";

/** A setting of a repository's file that needs the person's consent. */
export interface Loosening {
  readonly name: SettingName;
  /** Its values and what applies without it, one per line. */
  readonly lines: readonly string[];
}

/**
 * The settings of `theirs` that are not certain to be stricter than `own`, the person's settings
 * without it. The model is among them, although it permits nothing: it decides who reads the
 * workspace, and at what price.
 */
export function loosenings(theirs: StatedSettings, own: Settings): Loosening[] {
  return SettingName.options
    .filter((name) => isLooser[name](theirs, own))
    .map((name) => ({ name, lines: describe(name, theirs, own) }));
}

/** The settings to consent to, one per line and uncut: the person must see all of them. */
export function consentLines(loosenings: readonly Loosening[]): string[] {
  return loosenings
    .flatMap(({ lines }) => lines)
    .map((line) => oneLine(line, Number.POSITIVE_INFINITY));
}

export function withoutLoosenings(
  theirs: StatedSettings,
  loosenings: readonly Loosening[],
): StatedSettings {
  const strict = { ...theirs };
  for (const { name } of loosenings) delete strict[name];
  return strict;
}

type SettingComparison = (theirs: StatedSettings, own: Settings) => boolean;

const isLooser: Readonly<Record<SettingName, SettingComparison>> = {
  model: ({ model }, own) => model !== undefined && model !== own.model,
  // Roles of the person may permit more than the lead has without.
  agent: isOther("agent"),
  // Which model a name means decides as much as the model itself.
  "model-aliases": (theirs, own) => newAliases(theirs, own).length > 0,
  // More thinking costs more.
  effort: ({ effort }, own) =>
    effort !== undefined && (own.effort === undefined || isMoreEffort(effort, own.effort)),
  "thinking-budget": (theirs, own) =>
    (theirs["thinking-budget"] ?? 0) > (own["thinking-budget"] ?? 0),
  // Which models may answer is the person's choice or consent; this only says when.
  "fallback-after": () => false,
  "permission-mode": ({ "permission-mode": mode }, own) =>
    mode !== undefined && isWiderMode(mode, own["permission-mode"]),
  sandbox: ({ sandbox }, own) => sandbox !== undefined && isWeakerSandbox(sandbox, own.sandbox),
  "sandbox.network": (theirs, own) =>
    isWiderNetwork(theirs["sandbox.network"] ?? "off", own["sandbox.network"]),
  "sandbox.write": hasMore("sandbox.write"),
  "sandbox.deny-read": ({ "sandbox.deny-read": paths }, own) =>
    paths !== undefined && own["sandbox.deny-read"].some((path) => !paths.includes(path)),
  isolation: ({ isolation }, own) => isolation === "shared" && own.isolation === "checkout",
  // It makes commits of what the person has not committed.
  base: ({ base }, own) => base === "working" && own.base === "head",
  // Links lead to the person's own files.
  "checkout.link": hasMore("checkout.link"),
  // It runs a command.
  "checkout.setup": isOther("checkout.setup"),
  "checkouts-dir": isOther("checkouts-dir"),
  // It removes the person's files sooner.
  "checkouts-keep": (theirs, own) =>
    (theirs["checkouts-keep"] ?? own["checkouts-keep"]) < own["checkouts-keep"],
  // A branch of the person.
  target: isOther("target"),
  landing: ({ landing }, own) =>
    landing !== undefined && landing !== "never" && landing !== own.landing,
  // It runs a command.
  check: isOther("check"),
  "check-timeout": isMore("check-timeout"),
  allow: (theirs, own) => newRules(theirs, own).length > 0,
  ask: () => false,
  deny: () => false,
  "max-turns": isMore("max-turns"),
  "max-cost": isMore("max-cost"),
  "max-output": (theirs, own) => (theirs["max-output"] ?? 0) > (own["max-output"] ?? usualOutput),
  timeout: isMore("timeout"),
  // Waiting lets calls run that would be denied, and keeps a run from ending.
  approvals: (theirs, own) => theirs.approvals === "wait" && own.approvals === "deny",
  "background-wait": isMore("background-wait"),
  "plan-approval": (theirs, own) =>
    theirs["plan-approval"] === "lead" && own["plan-approval"] === "user",
  "shutdown-grace": isMore("shutdown-grace"),
  "max-teammates": isMore("max-teammates"),
  autoclaim: (theirs, own) => theirs.autoclaim === true && !own.autoclaim,
  // It is only about the person's own terminal.
  notify: () => false,
  // They run commands.
  hooks: ({ hooks }) => hooks !== undefined && Object.keys(hooks.hooks).length > 0,
  // A provider decides to whom a key and the conversation are sent.
  providers: (theirs, own) => newProviders(theirs, own).length > 0,
  mcpServers: (theirs, own) => newServers(theirs, own).length > 0,
  // A price decides when a limit of the cost is reached.
  models: (theirs, own) => newModels(theirs, own).length > 0,
};

type Limit =
  | "check-timeout"
  | "max-turns"
  | "max-cost"
  | "timeout"
  | "background-wait"
  | "shutdown-grace"
  | "max-teammates";

/** Where the person has no limit, any limit is stricter. */
function isMore(name: Limit): SettingComparison {
  return (theirs, own) => {
    const theirLimit = theirs[name];
    return theirLimit !== undefined && theirLimit > (own[name] ?? Number.POSITIVE_INFINITY);
  };
}

function isOther(
  name: "agent" | "checkout.setup" | "checkouts-dir" | "target" | "check",
): SettingComparison {
  return (theirs, own) => theirs[name] !== undefined && theirs[name] !== own[name];
}

function hasMore(name: "sandbox.write" | "checkout.link"): SettingComparison {
  return (theirs, own) => (theirs[name] ?? []).some((path) => !own[name].includes(path));
}

function newRules({ allow = [] }: StatedSettings, own: Settings): string[] {
  return allow.filter((rule) => !own.allow.includes(rule));
}

function newAliases({ "model-aliases": aliases = {} }: StatedSettings, own: Settings) {
  return Object.entries(aliases).filter(([name, id]) => own["model-aliases"][name] !== id);
}

function newProviders({ providers = {} }: StatedSettings, own: Settings) {
  return Object.entries(providers).filter(
    ([name, provider]) => !isDeepStrictEqual(provider, own.providers[name]),
  );
}

/** One of the person's own by the same name is used instead. */
function newServers({ mcpServers = {} }: StatedSettings, own: Settings) {
  return Object.entries(mcpServers).filter(([name]) => !Object.hasOwn(own.mcpServers, name));
}

function newModels({ models = {} }: StatedSettings, own: Settings) {
  return Object.entries(models).filter(([id, facts]) => !isDeepStrictEqual(facts, own.models[id]));
}

function describe(name: SettingName, theirs: StatedSettings, own: Settings): string[] {
  if (name === "allow") return newRules(theirs, own).map((rule) => `allow: ${rule}`);
  if (name === "providers") {
    return newProviders(theirs, own).map(
      ([it, { family, package: code, baseUrl, keyVariable, headerVariables = {} }]) => {
        const sent = [
          ...(keyVariable ? [`the key in ${keyVariable}`] : []),
          ...headersText(headerVariables),
        ];
        const key = sent.join(" and ") || "no key";
        const api = family ?? `your package ${code}`;
        return `providers: ${it}: ${api} at ${baseUrl ?? "its usual address"}, with ${key}`;
      },
    );
  }
  if (name === "mcpServers") {
    return newServers(theirs, own).map(
      ([it, server]) => `mcpServers: ${it}: ${JSON.stringify(server)}`,
    );
  }
  if (name === "models") {
    return newModels(theirs, own).map(([id, facts]) => `models: ${id}: ${factsText(facts)}`);
  }
  if (name === "hooks") return hookLines(theirs);
  if (name === "model-aliases") {
    return newAliases(theirs, own).map(([alias, id]) => `model-aliases: ${alias}: ${id}`);
  }
  if (name === "sandbox.network") {
    const [hosts, ours] = [theirs[name] ?? "off", own[name]].map((network) =>
      typeof network === "string" ? network : network.join(", ") || "off",
    );
    return [`${name}: ${hosts} (without it: ${ours})`];
  }
  if (name === "sandbox.write" || name === "sandbox.deny-read" || name === "checkout.link") {
    const [paths, ours] = [theirs[name] ?? [], own[name]].map((list) => list.join(", ") || "none");
    return [`${name}: ${paths} (without it: ${ours})`];
  }
  const without = own[name] === undefined ? "none" : plain(own[name]);
  return [`${name}: ${plain(theirs[name])} (without it: ${without})`];
}

function hookLines({ hooks }: StatedSettings): string[] {
  return Object.entries(hooks?.hooks ?? {}).flatMap(([event, groups]) =>
    groups.flatMap(({ matcher, hooks: commands }) =>
      commands.map(({ command }) => {
        const about = matcher ? ` (${matcher})` : "";
        return `hooks: ${event}${about}: ${command}`;
      }),
    ),
  );
}

function headersText(variables: Readonly<Record<string, string>>): string[] {
  return Object.entries(variables).map(([header, variable]) => `${header} from ${variable}`);
}

function factsText({ price, contextWindow, maxOutput }: Settings["models"][string]): string {
  const facts = [
    ...(price ? [ratesText(price)] : []),
    ...(price?.long ? [`${ratesText(price.long)} above ${price.long.above} tokens`] : []),
    ...(contextWindow ? [`context-window ${contextWindow}`] : []),
    ...(maxOutput ? [`max-output ${maxOutput}`] : []),
  ];
  return facts.join(", ");
}

function ratesText({ input, output, cacheRead, cacheWrite, cacheWrite1h }: ModelPrice): string {
  const read = cacheRead === undefined ? "" : `, cache-read $${cacheRead}`;
  const write = cacheWrite === undefined ? "" : `, cache-write $${cacheWrite}`;
  const forAnHour = cacheWrite1h === undefined ? "" : `, cache-write-1h $${cacheWrite1h}`;
  return `input $${input}, output $${output}${read}${write}${forAnHour}`;
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : shownValue(value);
}
