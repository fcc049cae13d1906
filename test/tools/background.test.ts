import { expect, test } from "vitest";
import { callTool } from "../../src/testing/call-tool.ts";
import { backgroundRunTool, checkBackgroundTool } from "../../src/tools/background.ts";
import { openShell } from "../processes/shell-fixture.ts";

test("a started task is named, listed, and reported with its output", async () => {
  await using fixture = await openShell();
  const ended = new Promise((resolve) => fixture.background.onEnd(resolve));

  const started = await callTool(backgroundRunTool(fixture), { command: "echo hi" });
  await ended;

  const [, id] = /^Background task (\w+) started: echo hi$/.exec(started.text) ?? [];
  const check = checkBackgroundTool(fixture);
  expect(await callTool(check, {})).toEqual({ text: `${id}: [completed] echo hi`, isError: false });
  expect((await callTool(check, { task_id: id })).text).toBe("[completed] echo hi\nhi");
});

test("a task without output yet says so", async () => {
  await using fixture = await openShell();
  await callTool(backgroundRunTool(fixture), { command: "sleep 1000" });
  const [job] = fixture.background.list();

  const { text } = await callTool(checkBackgroundTool(fixture), { task_id: job?.id });

  expect(text).toBe(`[running, pid ${job?.pid}] sleep 1000\n(no output yet)`);
});

test("an unknown task is an error that names the known ones", async () => {
  await using fixture = await openShell();
  const check = checkBackgroundTool(fixture);

  expect(await callTool(check, {})).toEqual({ text: "No background tasks.", isError: false });
  expect((await callTool(check, { task_id: "x" })).text).toContain("background tasks: none.");
  await callTool(backgroundRunTool(fixture), { command: "sleep 1000" });
  const [job] = fixture.background.list();
  expect(await callTool(check, { task_id: "x" })).toEqual({
    text: `Error: Unknown task x. Known background tasks: ${job?.id}.`,
    isError: true,
  });
});

test("a command of many lines takes one line of the list", async () => {
  await using fixture = await openShell();
  await callTool(backgroundRunTool(fixture), { command: "sleep 1000\necho second line" });
  const [job] = fixture.background.list();

  const { text } = await callTool(checkBackgroundTool(fixture), {});

  expect(text).toBe(`${job?.id}: [running, pid ${job?.pid}] sleep 1000…`);
});

test("starting is judged as a command, checking as coordination", async () => {
  await using fixture = await openShell();

  expect(backgroundRunTool(fixture).prepare({ command: "ls" })).toMatchObject({
    action: { type: "command", command: "ls" },
  });
  expect(checkBackgroundTool(fixture).prepare({})).toMatchObject({
    action: { type: "coordinate" },
  });
});

test("the tools take little space in a request", async () => {
  await using fixture = await openShell();

  for (const tool of [backgroundRunTool(fixture), checkBackgroundTool(fixture)]) {
    expect(JSON.stringify(tool.spec).length).toBeLessThanOrEqual(250);
  }
});
