import { expect, test } from "vitest";
import { z } from "zod";
import { WakeLatch } from "../../src/lib/wake-latch.ts";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { defineTool, type ToolContext } from "../../src/tools/tool.ts";
import { TeamOnWire } from "../support/team-on-wire.ts";

test("a tool of the user that throws is an error for the model, and the run continues", async () => {
  await using wire = await TeamOnWire.start({ lead: [calls("work", {}), says("It is broken.")] });
  const team = await wire.open({
    tools: [tool(async () => Promise.reject(new Error("kaput")))],
  });

  await team.prompt("Go.");
  const { result, members } = await team.quiet();

  expect(result).toBe("It is broken.");
  expect(members).toMatchObject([{ name: "lead", outcome: "done" }]);
  expect(await wire.transcriptOf("lead")).toContainEqual(
    expect.objectContaining({
      type: "tool-result",
      output: "Error: work failed: kaput",
      is_error: true,
    }),
  );
});

test("a tool of the user that rejects when it is interrupted leaves the run interrupted", async () => {
  await using wire = await TeamOnWire.start({ lead: [calls("work", {}), says("Done.")] });
  const begun = new WakeLatch();
  const team = await wire.open({
    tools: [tool((context) => untilStopped(context, () => begun.wake()))],
  });

  await team.prompt("Go.");
  await begun.next();
  team.interrupt("lead");
  const { members } = await team.quiet();

  expect(members).toMatchObject([{ name: "lead", outcome: "interrupted" }]);
  expect(wire.requestsOf("lead")).toHaveLength(1);
  expect(await wire.transcriptOf("lead")).toContainEqual(
    expect.objectContaining({ type: "tool-result", output: expect.stringContaining("stopped") }),
  );
});

test("a tool of the user that rejects when the team is closed does not end the run: it continues", async () => {
  await using wire = await TeamOnWire.start({ lead: [calls("work", {}), says("Done later.")] });
  const begun = new WakeLatch();
  const stops = tool((context) => untilStopped(context, () => begun.wake()));
  const team = await wire.open({ tools: [stops] });
  await team.prompt("Go.");
  await begun.next();
  await team.close();

  const again = await wire.open({ tools: [stops] });
  await again.prompt("Continue.");
  const { result } = await again.quiet();

  expect(result).toBe("Done later.");
  expect(wire.shownTo("lead")).toContain("work was stopped before it had finished");
});

function tool(run: (context: ToolContext) => Promise<never>) {
  return defineTool({
    name: "work",
    description: "Works.",
    input: z.object({}),
    action: () => ({ type: "coordinate" }),
    run: (_, context) => run(context),
  });
}

/** Rejects as `fetch` does when its signal is aborted. */
function untilStopped({ signal }: ToolContext, begin: () => void): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    begin();
  });
}
