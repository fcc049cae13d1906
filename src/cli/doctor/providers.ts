import { z } from "zod";
import { TeamError } from "../../errors.ts";
import { parseJson } from "../../lib/json.ts";
import { isNotServedHere } from "../../model/ai-sdk/error-words.ts";
import { httpFetchFor } from "../../model/ai-sdk/http.ts";
import { networkProblem } from "../../model/ai-sdk/network-problem.ts";
import { modelIds } from "../../model/model-list.ts";
import { loadProviderPackage } from "../../model/provider-code.ts";
import {
  type EnvironmentVariables,
  type FamilySettings,
  type PackageSettings,
  type ProviderConfiguration,
  type ProviderSettings,
  type ProviderVariables,
  providerSettings,
  providerVariables,
} from "../../model/provider-settings.ts";
import type { Check, Finding } from "./check.ts";

/** Checks whether each configured provider, and the chosen model's, can be reached with its key. */
export function providerChecks(
  configuration: ProviderConfiguration,
  model: string | undefined,
): Check[] {
  const { env, providers } = configuration;
  const chosen = model === undefined ? [] : modelIds(model);
  return providerVariables(providers)
    .map((it) => ({ ...it, model: chosen.find((id) => id.startsWith(`${it.name}/`)) }))
    .filter((it) => isSetUp(it, env) || it.model !== undefined)
    .map((it) => ({
      name: it.name,
      look: async (signal) => [await look(it, configuration, signal)],
    }));
}

/** A provider in the settings counts as configured. */
function isSetUp(variables: ProviderVariables, env: EnvironmentVariables): boolean {
  const { keys, baseUrl, isPackage } = variables;
  // Credentials of a cloud may be there for something else.
  if (isPackage && baseUrl !== undefined) return false;
  return baseUrl === undefined || [...keys, baseUrl].some((name) => env[name]?.trim());
}

async function look(
  variables: ProviderVariables & { model: string | undefined },
  configuration: ProviderConfiguration,
  signal: AbortSignal,
): Promise<Finding> {
  const settings = read(variables, configuration);
  if ("state" in settings) return settings;
  if (settings.family === "package") return packageFinding(settings, configuration.env);
  const key = settings.key ? `key from ${settings.key.name}` : "no key";
  const place = `${shownUrl(settings.baseUrl)}, ${key}`;
  const answer = await ask(settings, configuration.env, signal);
  if ("problem" in answer) {
    const baseUrl = variables.baseUrl ?? "its base-url in your settings";
    return {
      state: "problem",
      text: `${place}: cannot be reached (${answer.problem})`,
      remedy: answer.remedy ?? `Check the network, and ${baseUrl} if it is set.`,
    };
  }
  return unlistedModel(variables, answer) ?? judge(answer, place, settings);
}

/** Whether a provider's package can be loaded. It is not asked: each has a way of its own. */
async function packageFinding(
  settings: PackageSettings,
  env: EnvironmentVariables,
): Promise<Finding> {
  const { module, key } = settings;
  try {
    await loadProviderPackage(settings, env);
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    return { state: "problem", text: error.message, remedy: error.hint ?? "" };
  }
  const keyText = key ? `key from ${key.name}` : "no key";
  return { state: "ok", text: `${module} is installed, ${keyText}; the provider was not asked` };
}

/** The models that a provider lists, by the APIs of OpenAI, Anthropic and Google. */
const ModelList = z.object({
  data: z.array(z.object({ id: z.string() })).default([]),
  models: z.array(z.object({ name: z.string() })).default([]),
  has_more: z.boolean().optional(),
  nextPageToken: z.string().optional(),
});

/**
 * The chosen model, where the provider lists all its models and not this one. A provider may accept
 * names that it does not list, such as one without the date, so this is no problem yet.
 */
function unlistedModel(
  { name, model }: { name: string; model: string | undefined },
  { ok, text }: ProviderAnswer,
): Finding | undefined {
  const id = model?.slice(name.length + 1);
  if (id === undefined || !ok) return undefined;
  const list = parseList(text);
  if (!list || list.has_more || list.nextPageToken) return undefined;
  const ids = [
    ...list.data.map((each) => each.id),
    ...list.models.map((each) => each.name.replace(/^models\//, "")),
  ];
  if (ids.length === 0 || ids.some((each) => each === id || each.startsWith(`${id}-`))) {
    return undefined;
  }
  return {
    state: "note",
    text: `the chosen model ${id} is not among the ${ids.length} models that it lists`,
    remedy: `Check its name. Listed are ${ids.slice(0, 8).join(", ")}${ids.length > 8 ? ", …" : ""}.`,
  };
}

function parseList(text: string): z.infer<typeof ModelList> | undefined {
  try {
    return parseJson(text, ModelList, "The list of models");
  } catch (error) {
    if (error instanceof TeamError) return undefined;
    throw error;
  }
}

function read(
  { name, keys }: ProviderVariables,
  configuration: ProviderConfiguration,
): ProviderSettings | Finding {
  try {
    return providerSettings(`${name}/any`, configuration);
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    if (error.code !== "provider-key-missing") {
      return { state: "problem", text: error.message, remedy: error.hint ?? "" };
    }
    return { state: "problem", text: "no key is set", remedy: `Set ${keys.join(" or ")}.` };
  }
}

interface ProviderAnswer {
  status: number;
  ok: boolean;
  text: string;
}

interface NoAnswer {
  problem: string;
  remedy?: string;
}

/** The answer to a cheap request that needs the key, or the reason why there is none. */
async function ask(
  settings: FamilySettings,
  env: EnvironmentVariables,
  signal: AbortSignal,
): Promise<ProviderAnswer | NoAnswer> {
  const ofKey = settings.key ? settings.authHeaders(settings.key) : {};
  const headers = { ...ofKey, ...settings.headers };
  try {
    const fetch = await httpFetchFor(env);
    const response = await fetch(`${settings.baseUrl}/models`, { method: "GET", headers, signal });
    const { status, ok } = response;
    return { status, ok, text: await response.text() };
  } catch (error) {
    if (signal.aborted || !(error instanceof Error)) throw error;
    return noAnswer(error);
  }
}

function noAnswer(error: Error): NoAnswer {
  if (error instanceof TeamError) return { problem: error.message, remedy: error.hint ?? "" };
  const { kind, code, message, hint } = networkProblem(error);
  if (code.startsWith("PROXY_")) return { problem: message, remedy: hint };
  return { problem: code || message, ...(kind === "untrusted" && { remedy: hint }) };
}

function judge(
  { status, ok, text }: ProviderAnswer,
  place: string,
  { keyName }: ProviderSettings,
): Finding {
  if (status === 403 && isNotServedHere(text)) {
    return {
      state: "problem",
      text: `${place}: it does not serve this country (${status})`,
      remedy: "Use another provider, or check the proxy through which you reach this one.",
    };
  }
  // Google answers 400 to a key that it does not know.
  if (status === 401 || status === 403 || text.includes("API_KEY_INVALID")) {
    return {
      state: "problem",
      text: `${place}: the key was rejected (${status})`,
      remedy: `Set ${keyName} to a valid key.`,
    };
  }
  if (ok) return { state: "ok", text: `${place}: reachable` };
  return {
    state: "note",
    text: `${place}: reachable, but answered ${status} when asked for its models, so the key was not checked`,
  };
}

/** A URL without possible secrets: a gateway's path can contain a token. */
function shownUrl(text: string): string {
  const { origin, pathname } = new URL(text);
  const parts = pathname
    .split("/")
    .map((part) => (/^[a-z][a-z0-9.]{0,11}$/.test(part) ? part : part && "…"));
  return `${origin}${parts.join("/")}`.replace(/\/$/, "");
}
