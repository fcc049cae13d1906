import { dirname, resolve } from "node:path";
import { z } from "zod";
import { onAbort } from "../../lib/on-abort.ts";
import type { Dashboard } from "../../server/dashboard.ts";
import { type Command, type Io, teamDirOption } from "../command.ts";
import { wrongUsage } from "../parse-arguments.ts";
import { oneLine } from "../render/one-line.ts";
import { providersToMask } from "../settings/configuration.ts";

const Port = z.coerce.number().int().min(1).max(65_535).optional();

export const web: Command = {
  name: "web",
  group: "look",
  summary: "The team in your browser, live; prints the address that lets you in",
  parameters: [],
  options: {
    port: {
      takes: "<n>",
      summary: "where to serve it; default: any free port, another one at each start",
    },
    "team-dir": teamDirOption,
  },
  examples: [
    { call: "troupe web", does: "open the address that it prints; Ctrl-C ends the dashboard" },
    { call: "troupe web --port 8080", does: "on another port; the next free one if it is in use" },
  ],
  notes: [
    "The address lets one browser in, once, within an hour; the browser then stays let in until the dashboard ends, for a week at most. Where a dashboard of the team is served already, a new address for it is printed.",
    "Only this machine can reach it. What you do there counts as yours: keep the address to yourself.",
  ],

  async run({ values, teamDir = ".team" }, io) {
    const port = parsePort(values.port);
    const directory = resolve(io.surroundings.cwd, teamDir);
    const running = await io.dashboards.find({ teamDir: directory, port });
    if (running) {
      io.err(`Process ${running.pid} serves it already. This address lets one browser in:`);
      io.out(running.newAddress());
      return 0;
    }
    await using dashboard = await io.dashboards.serve({
      teamDir: directory,
      port,
      ...(await providersToMask(dirname(directory), io.surroundings)),
      onWarning: (message) => io.err(oneLine(`warning: ${message}`)),
    });
    tellMissedPort(dashboard, io);
    io.err("Open this address within an hour; it lets one browser in. Ctrl-C ends the dashboard.");
    io.out(dashboard.newAddress());
    await aborted(io.signal);
    return 0;
  },
};

function parsePort(given: unknown): number | undefined {
  const parsed = Port.safeParse(given);
  if (parsed.success) return parsed.data;
  throw wrongUsage(`--port is ${JSON.stringify(given)}, and must be from 1 to 65535`, web);
}

function tellMissedPort({ missedPort, port }: Dashboard, io: Io): void {
  if (missedPort !== undefined)
    io.err(`Port ${missedPort} is in use; the dashboard is at ${port}.`);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    onAbort(signal, done);
  });
}
