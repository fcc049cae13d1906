import { dirname, resolve } from "node:path";
import { z } from "zod";
import { onAbort } from "../../lib/on-abort.ts";
import type { ServedDashboard } from "../../server/serve-dashboard.ts";
import { type Command, type Io, teamDirOption } from "../command.ts";
import { parseOptions } from "../parse-arguments.ts";
import { oneLine } from "../render/one-line.ts";
import { ownFactsFor } from "../settings/configuration.ts";

const portRange = "a whole number from 1 to 65535";
const Flags = z.object({
  port: z.coerce
    .number(portRange)
    .int(portRange)
    .min(1, portRange)
    .max(65_535, portRange)
    .optional(),
});

export const web: Command = {
  name: "web",
  group: "look",
  summary: "Serve a live dashboard of the team; prints the address to open",
  parameters: [],
  options: {
    port: {
      takes: "<n>",
      summary: "port to serve on (default: any free port)",
    },
    "team-dir": teamDirOption,
  },
  examples: [
    { call: "troupe web", does: "open the address that it prints; Ctrl-C stops the dashboard" },
    { call: "troupe web --port 8080", does: "on port 8080, or the next free one if it is in use" },
  ],
  notes: [
    "The address works once, for one browser, within an hour. That browser then has access until the dashboard stops, for a week at most. If a dashboard of the team is already running, a new address for it is printed.",
    "Only this machine can reach the dashboard. Anyone who has the address can act as you: keep it to yourself.",
  ],

  async run({ values, teamDir = ".team" }, io) {
    const { port } = parseOptions(Flags, values, web);
    const directory = resolve(io.processInfo.cwd, teamDir);
    const running = await io.dashboards.find({ teamDir: directory, port });
    if (running) {
      io.err(
        `Process ${running.pid} already serves the dashboard. This address works once, for one browser:`,
      );
      io.out(running.newAddress());
      return 0;
    }
    await using dashboard = await io.dashboards.serve({
      teamDir: directory,
      port,
      ...(await ownFactsFor(dirname(directory), io.processInfo)),
      onWarning: (message) => io.err(oneLine(`warning: ${message}`)),
    });
    tellMissedPort(dashboard, io);
    io.err(
      "Open this address within an hour; it works once, for one browser. Ctrl-C stops the dashboard.",
    );
    io.out(dashboard.newAddress());
    await aborted(io.signal);
    return 0;
  },
};

function tellMissedPort({ missedPort, port }: ServedDashboard, io: Io): void {
  if (missedPort !== undefined)
    io.err(`Port ${missedPort} is in use; the dashboard is on port ${port}.`);
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((done) => {
    onAbort(signal, done);
  });
}
