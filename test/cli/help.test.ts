import { expect, test } from "vitest";
import type { Arguments, Command } from "../../src/cli/command.ts";
import { explain, helpText } from "../../src/cli/help.ts";
import { runProgram } from "../../src/cli/program.ts";
import { registeredCommands } from "../support/registered-commands.ts";
import { noDashboards, noTerminal } from "./troupe.ts";

const commands = await registeredCommands();

test("--help shows every command in its group, examples, and where to read more", () => {
  const lines = helpText(commands).split("\n");

  const at = (beginning: string) => lines.findIndex((line) => line.startsWith(beginning));
  const order = [
    "Run without",
    "  troupe run",
    "Inspect ",
    "  troupe log",
    "Act on ",
    "  troupe stop",
  ];
  expect(order.map(at)).toEqual([...order.map(at)].sort((a, b) => a - b));
  expect(order.map(at)).not.toContain(-1);
  for (const { name } of commands) expect(at(`  troupe${name && ` ${name}`}`)).not.toBe(-1);
  expect(lines.slice(at("Examples") + 1, at("Examples") + 4).join()).toContain("troupe run");
  expect(helpText(commands)).toContain("docs/");
});

test.each([
  ["troupe --help", helpText(commands)],
  ...commands.map((command) => [`troupe ${command.name} --help`, explain(command)]),
])("%s fits 80 columns", (_call, text) => {
  expect(text.split("\n").filter((line) => line.length > 80)).toEqual([]);
});

test.each(commands.map((command) => [command.name, command] as const))(
  "the examples of `troupe %s` call it with flags that it has",
  (name, command) => {
    const calls = (command.examples ?? []).map(({ call }) => call);
    const flags = calls.flatMap((call) =>
      [...(call.split("|")[0] ?? "").matchAll(/ --([a-z][a-z-]*)/g)].map(([, flag]) => flag),
    );

    expect(calls.length).toBeGreaterThan(0);
    expect(calls.length).toBeLessThanOrEqual(3);
    expect(calls.join()).toContain("troupe");
    if (name !== "send")
      expect(Object.keys(command.options)).toEqual(expect.arrayContaining(flags));
  },
);

test("`run --help` lists the exit codes", () => {
  const run = commands.find(({ name }) => name === "run") ?? expect.fail();

  expect(explain(run)).toMatch(/Exit codes: 0 done; .*\b3 ended with\s+unfinished work/s);
});

test("the command with the empty name runs when none is given, with flags or without", async () => {
  const called: Arguments[] = [];
  const talk: Command = {
    name: "",
    group: "talk",
    summary: "Talk",
    parameters: [],
    options: { model: { takes: "<model>", summary: "which model" } },
    run: async (given) => {
      called.push(given);
      return 7;
    },
  };
  const err: string[] = [];
  const call = (...argv: string[]) =>
    runProgram({ version: "1", commands: new Map([["", async () => talk]]) }, argv, {
      out: () => undefined,
      err: (line) => err.push(line),
      signal: new AbortController().signal,
      viewTeam: () => Promise.reject(new Error("unused")),
      openTeam: () => Promise.reject(new Error("unused")),
      schedule: () => () => undefined,
      processInfo: { cwd: "/", home: "/", env: {} },
      terminal: noTerminal,
      isInputPiped: () => false,
      pipes: { input: process.stdin, output: process.stdout },
      dashboards: noDashboards,
    });

  expect([await call(), await call("--model", "x")]).toEqual([7, 7]);
  expect([await call("tlak"), await call("")]).toEqual([2, 2]);
  expect(called.map(({ values }) => values.model)).toEqual([undefined, "x"]);
  expect(err[0]).toContain("Unknown command: tlak");
});
