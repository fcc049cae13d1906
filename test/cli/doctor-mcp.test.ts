import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { examine } from "./examine.ts";

test("each MCP server is listed, with its file and why it is not used, and none is started", async () => {
  await using directory = await temporaryDirectory();
  const started = join(directory.path, "started");
  const server = { command: "touch", args: [started] };
  const own = { mcpServers: { files: server, tracker: { url: `https://x.example/\${TOKEN}` } } };
  await mkdir(join(directory.path, "troupe"));
  await writeFile(join(directory.path, "troupe/config.json"), JSON.stringify(own));
  const theirs = { mcpServers: { theirs: server } };
  await writeFile(join(directory.path, ".mcp.json"), JSON.stringify(theirs));

  const { about, report } = await examine(directory.path, { XDG_CONFIG_HOME: directory.path });

  expect(about("mcp")).toMatchObject([
    {
      state: "ok",
      text: expect.stringMatching(/^files \(stdio, .*config\.json\): not started yet/),
    },
    {
      state: "problem",
      text: expect.stringMatching(/^tracker \(http, .*is not used: .*not set: TOKEN/),
      remedy: expect.stringContaining("Set them"),
    },
    { state: "note", text: expect.stringMatching(/^theirs .*is not used: .*not trusted/) },
  ]);
  expect(report.ok).toBe(false);
  await expect(mkdir(started)).resolves.toBeUndefined();
});

test("without MCP servers, nothing is said of them", async () => {
  await using directory = await temporaryDirectory();

  const { about } = await examine(directory.path, { XDG_CONFIG_HOME: directory.path });

  expect(about("mcp")).toEqual([]);
});
