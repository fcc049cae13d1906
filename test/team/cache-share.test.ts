import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { AnthropicCache } from "../../src/testing/prompt-cache/anthropic-cache.ts";
import { OpenAiCache } from "../../src/testing/prompt-cache/openai-cache.ts";
import { googleCache, olderOpenAiCache } from "../../src/testing/prompt-cache/prefix-cache.ts";
import type { InputUsage, PromptCache } from "../../src/testing/prompt-cache/prompt-cache.ts";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { type Line, memberOf, TeamOnWire } from "../support/team-on-wire.ts";

const providers: [string, PromptCache][] = [
  ["anthropic/claude-sonnet-5", new AnthropicCache()],
  ["openai/gpt-6-sol", new OpenAiCache()],
  ["openai/gpt-5.4", olderOpenAiCache()],
  ["google/gemini-3.5-flash", googleCache()],
];

test.each(providers)(
  "P18 a member of %s reads nearly all of its request before from the cache, over mail and a restart",
  async (model, cache) => {
    await using wire = await TeamOnWire.start({ lead: lead(), alice: alice() });
    // Even the first request is longer than what Google caches at least.
    await writeFile(
      join(wire.root, "AGENTS.md"),
      "Work with care, and say what you did.\n".repeat(500),
    );
    const first = await wire.open({ model });
    await first.prompt("Begin.");
    await first.quiet();
    await first.close();
    const second = await wire.open({ model });
    await second.prompt("Go on.");
    await second.quiet();

    wire.server.assertDone();
    const played = wire.server.requests.map((request) => {
      return { member: memberOf(request), usage: cache.take(request.body, 0) };
    });
    for (const name of ["lead", "alice"]) {
      const own = played.flatMap(({ member, usage }) => (member === name ? usage : []));
      expect(own.length).toBeGreaterThan(6);
      for (const [index, usage] of own.slice(1).entries()) {
        const before = tokensOf(own[index]);
        expect(usage.cache_read_tokens / before).toBeGreaterThan(0.95);
      }
    }
  },
);

function lead(): Line[] {
  const work = (count: number) => Array.from({ length: count }, () => calls("task_list", {}));
  return [
    calls("spawn_teammate", { name: "alice", role: "coder", prompt: "Begin." }),
    ...work(3),
    calls("wait_for_teammates", {}),
    says("Done."),
    calls("send_message", { to: "alice", content: "Go on." }),
    ...work(2),
    calls("wait_for_teammates", {}),
    says("Done."),
  ];
}

function alice(): Line[] {
  const run = [
    reply([says("I look."), calls("bash", { command: "pwd" }), calls("task_list", {})]),
    calls("send_message", { to: "lead", content: "I look." }),
    calls("task_list", {}),
    says("Seen."),
  ];
  return [...run, ...run];
}

function tokensOf(usage: InputUsage | undefined): number {
  const { input_tokens = 0, cache_read_tokens = 0, cache_write_tokens = 0 } = usage ?? {};
  return input_tokens + cache_read_tokens + cache_write_tokens;
}
