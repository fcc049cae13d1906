import { expect } from "vitest";
import type { ModelPart } from "../../src/model/model.ts";
import type { ModelFailure } from "../../src/model/model-failure.ts";
import { openModel } from "../../src/model/open-model.ts";
import { collect } from "../../src/testing/conformance/model.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import type { ScriptedAnswer } from "../../src/testing/provider-server/answers.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";

export { collect, request } from "../../src/testing/conformance/model.ts";

/** The variables with which every provider is this server. */
export function serverEnvironment({ url }: Pick<ProviderServer, "url">): Record<string, string> {
  const key = "secret-key-of-the-test";
  return {
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_BASE_URL: url,
    OPENAI_API_KEY: key,
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_COMPATIBLE_API_KEY: key,
    OPENAI_COMPATIBLE_BASE_URL: `${url}/v1`,
    GOOGLE_GENERATIVE_AI_API_KEY: key,
    GOOGLE_GENERATIVE_AI_BASE_URL: `${url}/v1beta`,
  };
}

export function lastOf(parts: readonly ModelPart[]): ModelPart | undefined {
  return parts.at(-1);
}

/** What `id` makes of a server that answers like this. */
export async function failureOf(id: string, answer: ScriptedAnswer): Promise<ModelFailure> {
  await using server = await ProviderServer.start();
  server.reply(answer);
  const model = await openModel(id, { env: serverEnvironment(server), clock: new ManualClock() });
  const parts = await collect(model);
  expect(parts.filter(({ type }) => type === "finish" || type === "error")).toHaveLength(1);
  const end = lastOf(parts);
  if (end?.type !== "error") throw new Error(`No failure, but ${JSON.stringify(end)}`);
  return end.failure;
}
