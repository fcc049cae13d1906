import { readFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import type { Dashboards } from "../../../src/cli/command.ts";
import { keyHelp } from "../../../src/cli/talk/key-help.ts";
import { temporaryDirectory } from "../../../src/testing/temporary-directory.ts";
import { noDashboards, noTerminal, troupeIn } from "../troupe.ts";

interface Written {
  teamDir: string;
  path: string;
  isAborted: boolean;
}

/** A talk of these lines, with an export that says what it was told. */
async function talked(...lines: string[]) {
  await using directory = await temporaryDirectory();
  const root = directory.path;
  const written: Written[] = [];
  const dashboards: Dashboards = {
    ...noDashboards,
    export: async ({ teamDir }) => ({
      fileName: "troupe-default.html",
      pieces: () => {
        throw new Error("unused");
      },
      async writeTo(path, { signal } = {}) {
        written.push({ teamDir, path, isAborted: signal?.aborted ?? false });
        return { bytes: 12_345, members: 1, messages: 2, entries: 3, masked: 0, leftOut: [] };
      },
      [Symbol.asyncDispose]: async () => undefined,
    }),
  };
  const input = Object.assign(new PassThrough(), { setRawMode: () => undefined });
  input.end(lines.map((line) => `${line}\n`).join(""));
  const terminal = { ...noTerminal, input };
  const argv = ["--model", "rehearsal"];
  const { out, err } = await troupeIn({ root, env: {}, terminal, dashboards }, ...argv);
  return { root, written, text: out.join("\n"), err };
}

test("/export writes the file, and what it prints is the reply", async () => {
  const { root, written, text, err } = await talked("/export", "/export run.html", "/export -");

  const teamDir = join(root, ".team");
  expect(written).toEqual([
    { teamDir, path: join(root, "troupe-default.html"), isAborted: false },
    { teamDir, path: join(root, "run.html"), isAborted: false },
  ]);
  expect(text).toContain(`Wrote ${join(root, "run.html")} (12.3 kB). Members: 1`);
  expect(text).toContain("error: /export writes to a file, not to the screen");
  expect(err).toEqual([]);
});

test("/doctor prints its checks", async () => {
  const { text, err } = await talked("/doctor");

  expect(text).toMatch(/ok +node: /i);
  expect(text).toMatch(/problems?\.$/);
  expect(err).toEqual([]);
});

test("/help lists the keys, and the page about the screen has each of them", async () => {
  const { text } = await talked("/help");

  const page = readFileSync("docs/how-to/use-the-screen.md", "utf8");
  const table = page.slice(page.indexOf("## Keys"), page.indexOf("## Mention files"));
  const documented = [...table.matchAll(/^\| ([^|]+) \|/gm)].flatMap(([, keys = ""]) => {
    return keys.split(/, (?:or )?/);
  });
  expect(keyHelp.length).toBeGreaterThan(5);
  for (const { keys, does } of keyHelp) {
    expect(text).toContain(`  ${keys.padEnd(10)}`);
    expect(text.replace(/\s+/g, " ")).toContain(does);
    for (const key of keys.split(", ")) expect(documented).toContain(key);
  }
});
