import { resolve } from "node:path";
import { z } from "zod";
import packageJson from "../../../package.json" with { type: "json" };
import { type Command, teamDirOption } from "../command.ts";
import { parseOptions, wrongUsage } from "../parse-arguments.ts";

const Flags = z.object({
  approvals: z.boolean().default(false),
  cwd: z.string().default("."),
});

export const mcp: Command = {
  name: "mcp",
  group: "look",
  summary: "Serve the team to another program, as an MCP server on standard input and output",
  parameters: [],
  options: {
    approvals: {
      summary: "let that program answer the requests to you, too: its model decides in your name",
    },
    cwd: { takes: "<directory>", summary: "the workspace (default: the current directory)" },
    "team-dir": teamDirOption,
  },
  examples: [
    {
      call: "claude mcp add troupe -- troupe mcp",
      does: "Claude Code in this directory can see the team and write to it",
    },
    {
      call: "troupe mcp --cwd ~/project",
      does: "the team of another directory; a program starts this, not you",
    },
  ],
  notes: [
    "The program can look at the team and write to its members as you, whether the team runs or not. Requests for approval stay with you, unless you give --approvals.",
  ],

  async run({ values, teamDir }, io) {
    const { approvals, cwd } = parseOptions(Flags, values, mcp);
    if (io.terminal.input.isTTY) throw startedByHand();
    const workspace = resolve(io.processInfo.cwd, cwd);
    const directory = teamDir ? resolve(io.processInfo.cwd, teamDir) : resolve(workspace, ".team");
    const { personOffer } = await import("../mcp/person-offer.ts");
    const { serveStreams } = await import("../../mcp-server/serve-streams.ts");
    const { version } = packageJson;
    const offer = await personOffer(io, { version, workspace, teamDir: directory, approvals });
    await serveStreams(offer, io.pipes, io.signal);
    return 0;
  },
};

function startedByHand() {
  return wrongUsage("`troupe mcp` is for a program that speaks MCP on its standard input", mcp);
}
