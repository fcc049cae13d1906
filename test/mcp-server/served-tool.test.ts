import { expect, test } from "vitest";
import { z } from "zod";
import { TeamError } from "../../src/errors.ts";
import { type Caller, callTool } from "../../src/mcp-server/served-tool.ts";
import { user } from "../../src/protocol/ids.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { defineTool, success, type ToolContext, type ToolOutput } from "../../src/tools/tool.ts";

/** Calls a tool that does this. */
function call(
  run: (context: ToolContext) => Promise<ToolOutput>,
  { clock = new ManualClock(), mask = (text: string) => text }: Partial<Caller> = {},
) {
  const tool = defineTool({
    ...{ name: "look", description: "Looks." },
    input: z.object({}),
    action: () => ({ type: "coordinate" }),
    run: (_, context) => run(context),
  });
  const caller = { member: user, cwd: "/", clock, mask };
  const { signal } = new AbortController();
  return callTool({ tool, title: "Look", isReadOnly: true }, {}, caller, { id: "1", signal });
}

test("a call that does not end is told to stop after 50 seconds, and answered without it soon after", async () => {
  const clock = new ManualClock();
  let context: ToolContext | undefined;
  const answer = call(
    (given) => {
      context = given;
      return new Promise(() => undefined);
    },
    { clock },
  );

  clock.advance(49_999);
  expect(context?.signal.aborted).toBe(false);
  clock.advance(1);
  expect(context?.signal.aborted).toBe(true);
  clock.advance(2_000);

  expect(await answer).toEqual({
    text: expect.stringContaining("look has not answered for 50 seconds"),
    isError: true,
  });
  expect(clock.pending).toBe(0);
});

test("a refusal is an error with its hint, and a bug rejects", async () => {
  const refused = new TeamError("member-unknown", "There is nobody", { hint: "Ask the lead." });

  expect(await call(() => Promise.reject(refused))).toEqual({
    text: "Error: There is nobody. Ask the lead.",
    isError: true,
  });
  await expect(call(() => Promise.reject(new Error("a bug")))).rejects.toThrow("a bug");
});

test("P24 P25 a result is masked before it is cut, and never longer than 50,000 characters", async () => {
  const secret = "sk-1234567890";
  const text = `${"x".repeat(49_895)}${secret}${"y".repeat(10_000)}`;
  const mask = (given: string) => given.replaceAll(secret, "[key]");

  const { text: shown } = await call(async () => success(text), { mask });

  expect(shown.length).toBeLessThanOrEqual(50_000);
  expect(shown).not.toContain("sk-");
  expect(shown).toMatch(/… \(10000 more characters are left out\)$/);
});
