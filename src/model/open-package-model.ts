import { type HttpFetch, httpFetchFor } from "./ai-sdk/http.ts";
import type { ModelThinking } from "./ai-sdk/thinking.ts";
import type { Model } from "./model.ts";
import { modelFacts } from "./model-facts.ts";
import type { ModelSurroundings } from "./open-model.ts";
import { loadProviderPackage } from "./provider-code.ts";
import { type PackageSettings, secretsOf } from "./provider-settings.ts";
import { packageModel } from "./sdk-language-model.ts";

/** Opens a model of a provider package that the person has installed. */
export async function openPackageModel(
  settings: PackageSettings,
  surroundings: PackageModelSurroundings,
): Promise<Model> {
  const { id, thinking, env, clock, watchdogs, fetch, withoutSummaries } = surroundings;
  const create = await loadProviderPackage(settings, env);
  const send = fetch ?? (await httpFetchFor(env));
  const { label, keyName, baseUrl, headersMs, requestOptions, loginHint } = settings;
  return packageModel(create(settings.settings(webFetch(send))), {
    id,
    ...(thinking && { thinking }),
    ...(withoutSummaries && { withoutSummaries }),
    facts: await modelFacts(id, surroundings),
    clock,
    watchdogs: { headersMs, ...watchdogs },
    account: {
      ...{ label, keyName, loginHint, secrets: secretsOf(settings) },
      ...(baseUrl && { baseUrl }),
    },
    ...(requestOptions && { requestOptions }),
  });
}

interface PackageModelSurroundings extends ModelSurroundings {
  readonly id: string;
  readonly thinking: ModelThinking | undefined;
}

/** The web's `fetch`, for packages that may use all of it, with our proxies and certificates. */
function webFetch(send: HttpFetch): typeof fetch {
  return async (input, { method = "GET", headers, body, signal } = {}) => {
    const answer = await send(String(input), {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      // A form of a login, such as Google's, is no string.
      ...(body && { body: await new Response(body).text() }),
      signal: signal ?? new AbortController().signal,
    });
    const { status, statusText } = answer;
    const hasBody = status >= 200 && ![204, 205, 304].includes(status);
    return new Response(hasBody ? answer.body : null, {
      status,
      statusText,
      headers: [...answer.headers],
    });
  };
}
