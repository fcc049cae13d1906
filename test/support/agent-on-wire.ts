import { systemClock } from "../../src/lib/clock.ts";
import type { Model } from "../../src/model/model.ts";
import { openModel } from "../../src/model/open-model.ts";
import type { ScriptedAnswer } from "../../src/testing/provider-server/answers.ts";
import type { ProviderRequest } from "../../src/testing/provider-server/provider-api.ts";
import type { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";

/** What a provider's environment looks like for a model that answers from `server`. */
export function providerEnvironment(server: Pick<ProviderServer, "url">): Record<string, string> {
  return {
    ANTHROPIC_API_KEY: "sk-ant-test-0123456789",
    ANTHROPIC_BASE_URL: server.url,
    OPENAI_API_KEY: "sk-test-0123456789",
    OPENAI_BASE_URL: `${server.url}/v1`,
    GOOGLE_GENERATIVE_AI_API_KEY: "google-test-0123456789",
    GOOGLE_GENERATIVE_AI_BASE_URL: `${server.url}/v1beta`,
  };
}

export function modelOnWire(server: ProviderServer, id = "anthropic/scripted"): Promise<Model> {
  return openModel(id, { env: providerEnvironment(server), clock: systemClock });
}

/** How many replies of the model a request has. In the Responses API, one may be several items. */
function repliesIn({ messages, input = [] }: ProviderRequest["body"]): number {
  const isReply = (item: { type?: string | undefined; role?: unknown } | undefined) =>
    item?.role === "assistant" || item?.type === "function_call" || item?.type === "reasoning";
  const items = [...messages, ...input];
  return items.filter((item, index) => isReply(item) && !isReply(items[index - 1])).length;
}

/**
 * Answers by how many replies the request already has in it, so that a member that was stopped and
 * started again finds its model where it left it.
 */
export function followScript(
  server: ProviderServer,
  script: readonly (() => ScriptedAnswer)[],
): void {
  server.replyWith(({ body }) => {
    const answer = script[Math.min(repliesIn(body), script.length - 1)];
    if (!answer) throw new Error("The script is empty");
    return answer();
  });
}
