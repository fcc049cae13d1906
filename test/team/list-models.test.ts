import { expect, test } from "vitest";
import { listModels, systemPlace } from "../../src/index.ts";
import { MemoryTeamStore } from "../../src/team/memory-team-store.ts";

test("the models of the table are listed, with those of the program", async () => {
  const models = { "openai-compatible/qwen": { contextWindow: 1_000 } };
  const providers = { work: { family: "anthropic", keyVariable: "WORK_KEY" } } as const;

  const listed = await listModels({ env: { WORK_KEY: "k" }, models, providers });

  const known = new Map(listed.map((each) => [each.id, each]));
  expect(known.get("openai-compatible/qwen")?.facts).toMatchObject({ contextWindow: 1_000 });
  expect(known.get("work/claude-sonnet-5-5")).toMatchObject({
    ...{ isReady: true, efforts: ["low", "medium", "high", "max"] },
    facts: { price: { input: 2 }, images: true },
  });
  expect(known.get("anthropic/claude-sonnet-5-5")).toMatchObject({ isReady: false });
});

test("without options, the environment of the process decides which of them are ready", async () => {
  const ready = (await listModels()).filter(({ isReady }) => isReady).map(({ id }) => id);

  expect(ready).toContain("rehearsal");
  expect(ready.some((id) => id.startsWith("openai/"))).toBe(Boolean(process.env.OPENAI_API_KEY));
});

test.each([
  [{ models: { "a/b": { contextWindow: -1 } } }, "The models are not entries"],
  [{ providers: { openai: { family: "openai" as const } } }, 'The provider "openai" is built in'],
])("%j is refused", async (options, message) => {
  await expect(listModels(options)).rejects.toMatchObject({
    ...{ code: "config-invalid", hint: expect.any(String) },
    message: expect.stringContaining(message),
  });
});

test("a place needs only a directory, and a store in memory nothing", async () => {
  const place = systemPlace({ directory: "/repo/.team" });

  expect(() => place.onWarning("careful")).not.toThrow();
  await expect(new MemoryTeamStore().roster.read()).resolves.toMatchObject({ members: [] });
});
