import { systemClock } from "../../src/lib/clock.ts";
import type { Model } from "../../src/model/model.ts";
import { openModel } from "../../src/model/open-model.ts";
import type { ScriptedAnswer } from "../../src/testing/provider-server/answers.ts";
import type { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";

/** What a provider's environment looks like for a model that answers from `server`. */
export function providerEnvironment(server: ProviderServer): Record<string, string> {
  return {
    ANTHROPIC_API_KEY: "sk-ant-test-0123456789",
    ANTHROPIC_BASE_URL: server.url,
    OPENAI_API_KEY: "sk-test-0123456789",
    OPENAI_BASE_URL: `${server.url}/v1`,
  };
}

export function modelOnWire(server: ProviderServer, id = "anthropic/scripted"): Promise<Model> {
  return openModel(id, { env: providerEnvironment(server), clock: systemClock });
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
    const replies = body.messages.filter(({ role }) => role === "assistant").length;
    const answer = script[Math.min(replies, script.length - 1)];
    if (!answer) throw new Error("The script is empty");
    return answer();
  });
}
