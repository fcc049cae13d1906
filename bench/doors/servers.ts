import { resolve } from "node:path";
import type { McpServers } from "../../src/protocol/mcp-servers.ts";
import { calls, says } from "../../src/testing/scripted-model.ts";
import { TeamOnWire } from "../../test/support/team-on-wire.ts";
import { alternate } from "../lib/alternate.ts";
import { formatMs, formatNumber } from "../lib/format.ts";
import type { Section } from "../lib/report.ts";
import { median } from "../lib/statistics.ts";

const runs = 10;
const mostTimes = 1.3;
const mostBytes = 14 * 1024;

/** What five servers with 200 tools cost the first request of a team. */
export async function measureServers(): Promise<Section> {
  await using wire = await TeamOnWire.start({
    lead: [calls("mcp_search", {}), says("Done.")],
  });
  const server = resolve("test/support/faulty-mcp-server.mjs");
  const entry = { command: process.execPath, args: [server, "forty-tools"] };
  const servers = Object.fromEntries(["a", "b", "c", "d", "e"].map((name) => [name, entry]));
  // From now on it is known what they offer.
  await firstRequest(wire, servers, 0);

  const names = ["no server", "five servers with 200 tools"] as const;
  const figures = await alternate(
    names,
    (name, round) => firstRequest(wire, name === names[0] ? {} : servers, round + 1),
    runs,
  );
  const msOf = (name: (typeof names)[number]) => median(figures(name).map(({ ms }) => ms));
  const bytesOf = (name: (typeof names)[number]) => median(figures(name).map(({ bytes }) => bytes));
  const ratio = msOf(names[1]) / msOf(names[0]);
  const bytes = bytesOf(names[1]);
  return {
    title: "MCP servers",
    about: `From opening a team to its first request, ${runs} times each, by turns. Troupe has asked the servers before.`,
    table: {
      head: ["", "first request", "its body"],
      rows: names.map((name) => [name, formatMs(msOf(name)), `${bytesOf(name)} bytes`]),
    },
    targets: [
      {
        what: "the first request with servers",
        figure: `${formatNumber(ratio)} times as late`,
        target: `at most ${mostTimes} times`,
        isMet: ratio <= mostTimes,
      },
      {
        what: "its body",
        figure: `${bytes} bytes`,
        target: `at most ${mostBytes} bytes`,
        isMet: bytes <= mostBytes,
      },
    ],
  };
}

async function firstRequest(wire: TeamOnWire, servers: McpServers, round: number) {
  const before = wire.server.requests.length;
  const startMs = performance.now();
  const cwd = wire.root;
  await using team = await wire.open({ cwd, fresh: round > 0, mcp: { servers } });
  await team.prompt("Work.");
  await wire.server.until(() => wire.server.requests.length > before);
  const ms = performance.now() - startMs;
  const bytes = Buffer.byteLength(JSON.stringify(wire.server.requests[before]?.body));
  await team.quiet();
  return { ms, bytes };
}
