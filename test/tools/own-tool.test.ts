import { expect, test } from "vitest";
import { z } from "zod";
import { TeamError } from "../../src/errors.ts";
import { type Clock, systemClock } from "../../src/lib/clock.ts";
import { interrupt, leave } from "../../src/lib/leaving.ts";
import type { ToolAction } from "../../src/protocol/tools.ts";
import { callTool } from "../../src/testing/call-tool.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { ownTool } from "../../src/tools/own-tool.ts";
import { defineTool, type ToolOutput } from "../../src/tools/tool.ts";

test.each([
  ["an error", new Error("kaput"), "kaput"],
  ["an error without a message", new RangeError(), "RangeError"],
  ["a text", "no such ticket", "no such ticket"],
  ["nothing", undefined, "undefined"],
  [
    "a rejected fetch",
    new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED 127.0.0.1:9") }),
    "fetch failed: connect ECONNREFUSED 127.0.0.1:9",
  ],
])("%s that a tool of the user throws is an error result", async (_, thrown, message) => {
  const output = await call(async () => {
    throw thrown;
  });

  expect(output).toEqual({ text: `Error: work failed: ${message}`, isError: true });
});

test("a tool of the user may throw before it returns a promise", async () => {
  const output = await call(() => {
    throw new Error("kaput");
  });

  expect(output).toEqual({ text: "Error: work failed: kaput", isError: true });
});

test("a deliberate refusal keeps its hint: the agent loop describes it", async () => {
  const refusal = new TeamError("config-invalid", "No such ticket", { hint: "Ask for 17." });

  await expect(call(async () => Promise.reject(refusal))).rejects.toBe(refusal);
});

test.each([
  ["an interruption", (controller: AbortController) => controller.abort()],
  ["the end of the process", leave],
])("a tool that throws at %s is reported as stopped", async (_, abort) => {
  const controller = new AbortController();
  const output = await call(async (signal) => {
    abort(controller);
    throw signal.reason;
  }, controller.signal);

  expect(output.text).toMatch(/^Error: work was stopped before it had finished\./);
  expect(output.isError).toBe(true);
});

test.each([
  ["nothing", undefined, "is not a schema of Zod 4"],
  ["a JSON Schema", { type: "object" }, "is not a schema of Zod 4"],
  // As those of Zod 3 are.
  ["a schema without toJSONSchema", { safeParse: () => ({}) }, "is not a schema of Zod 4"],
  ["a schema of what JSON does not have", z.object({ id: z.bigint() }), "cannot be described"],
])("%s as the input of a tool is refused", (_, input, problem) => {
  // @ts-expect-error A program in JavaScript may give anything.
  const define = () => defineTool({ name: "work", description: "Works.", input });

  expect(define).toThrow(
    expect.objectContaining({
      code: "config-invalid",
      message: expect.stringContaining(`The input of the tool work ${problem}`),
      hint: expect.any(String),
    }),
  );
});

test("a tool whose action or schema throws is an error result, and the call is not run", () => {
  const tool = defineTool({
    name: "work",
    description: "Works.",
    input: z.object({ id: z.string().transform((id) => BigInt(id)) }),
    action: ({ id }) => {
      if (id === 2n) throw new Error("no action");
      return { type: "coordinate" };
    },
    run: async () => ({ text: "done", isError: false }),
  });

  expect(["one", "2"].map((id) => ownTool(tool, systemClock).prepare({ id }))).toMatchObject([
    { type: "invalid", output: { isError: true, text: expect.stringContaining("BigInt") } },
    { type: "invalid", output: { isError: true, text: "Error: work failed: no action" } },
  ]);
});

test.each([
  ["nothing", undefined],
  ["a plain text", "done"],
  ["a text that is not one", { text: 17, isError: false }],
  ["an image that is not base64", { text: "", images: [{ media_type: "image/png", data: "?" }] }],
])("%s as output is an error result", async (_, output) => {
  const shown = await call(async () => output);

  expect(shown.text).toMatch(/^Error: work has no valid output: /);
  expect(shown.isError).toBe(true);
});

test.each([
  undefined,
  { type: "fly" },
  { type: "read" },
  { type: "effect" },
  { type: "effect", summary: "" },
])("the action %o is an error result, and the call is not run", (action) => {
  const tool = ownTool(
    {
      spec: { name: "work", description: "Works.", input_schema: {} },
      prepare: () => ({
        type: "prepared",
        action: action as ToolAction,
        run: async () => ({ text: "done", isError: false }),
      }),
    },
    systemClock,
  );

  expect(tool.prepare({})).toMatchObject({
    type: "invalid",
    output: { isError: true, text: expect.stringMatching(/^Error: work has no valid action: /) },
  });
});

test("a valid output is passed on, and mail is not: only troupe's own tools settle it", async () => {
  const images = [{ media_type: "image/png", data: "aGk=" }];

  expect(await call(async () => ({ text: "done", images, mail: [{}] }))).toEqual({
    text: "done",
    isError: false,
    images,
  });
});

test("a tool that ignores its signal is waited for half a second after an interruption, and is no failure of the run", async () => {
  const clock = new ManualClock();
  const controller = new AbortController();
  const calling = call(() => new Promise(() => undefined), controller.signal, clock);

  interrupt(controller);
  await clock.waitingFor(500);
  clock.advance(500);

  expect(await calling).toMatchObject({
    isError: true,
    text: expect.stringMatching(/^Error: work did not stop .* may still be running/),
  });
});

test("a tool that stops within that time gives its own result, and no time is left to wait for", async () => {
  const clock = new ManualClock();
  const controller = new AbortController();
  let stop = (_: unknown) => {};
  const run = () =>
    new Promise((resolve) => {
      stop = resolve;
    });
  const calling = call(run, controller.signal, clock);

  interrupt(controller);
  clock.advance(499);
  stop({ text: "half of it" });

  expect(await calling).toEqual({ text: "half of it", isError: false });
  expect(clock.pending).toBe(0);
});

test("nothing is written of a call whose tool ignores that the process leaves: its outcome is unknown", () => {
  const clock = new ManualClock();
  const controller = new AbortController();
  void call(() => new Promise(() => undefined), controller.signal, clock);

  leave(controller);

  expect(clock.pending).toBe(0);
});

/** The output of a tool of the user that does what `run` says. */
async function call(
  run: (signal: AbortSignal) => unknown,
  signal = new AbortController().signal,
  clock: Clock = systemClock,
): Promise<ToolOutput> {
  const tool = ownTool(
    {
      spec: { name: "work", description: "Works.", input_schema: {} },
      // As a tool that was written in JavaScript may be.
      prepare: () => ({
        type: "prepared",
        action: { type: "coordinate" },
        run: () => run(signal) as Promise<ToolOutput>,
      }),
    },
    clock,
  );
  return callTool(tool, {}, { signal });
}
