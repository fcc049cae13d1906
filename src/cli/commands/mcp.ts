import { resolve } from "node:path";
import { z } from "zod";
import packageJson from "../../../package.json" with { type: "json" };
import { type Command, teamDirOption } from "../command.ts";
import { parseOptions, wrongUsage } from "../parse-arguments.ts";

const portRange = "a whole number from 1 to 65535";
const Flags = z.object({
  http: z.boolean().default(false),
  port: z.coerce
    .number(portRange)
    .int(portRange)
    .min(1, portRange)
    .max(65_535, portRange)
    .optional(),
  approvals: z.boolean().default(false),
  url: z.string().optional(),
  header: z.array(z.string()).default([]),
  env: z.array(z.string()).default([]),
  cwd: z.string().default("."),
});

export const mcp: Command = {
  name: "mcp",
  group: "look",
  summary:
    "Serve the team to another program, as an MCP server on standard input and output; or, with an action, the MCP servers that members use",
  parameters: ["[list|test|add|remove]", "[<server>]", "[-- <command>…]"],
  options: {
    http: { summary: "serve over HTTP on this machine; prints the address and a new secret" },
    port: { takes: "<n>", summary: "with --http: port to serve on (default: any free port)" },
    approvals: {
      summary: "let that program answer the requests to you, too: its model decides in your name",
    },
    url: { takes: "<url>", summary: "with add: the address of a server that is reached by HTTP" },
    header: {
      takes: "<name>=<value>",
      isRepeatable: true,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as a person types it
      summary: "with add and --url: a header; ${VAR} stays as it is, and is replaced at each start",
    },
    env: {
      takes: "<name>=<value>",
      isRepeatable: true,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: as a person types it
      summary: "with add: a variable of the server's environment; ${VAR} as for --header",
    },
    json: { summary: "with list and test: print JSON" },
    cwd: { takes: "<directory>", summary: "the workspace (default: the current directory)" },
    "team-dir": teamDirOption,
  },
  examples: [
    {
      call: "claude mcp add troupe -- troupe mcp",
      does: "Claude Code in this directory can see the team and write to it",
    },
    {
      call: "troupe mcp add files -- mcp-server-filesystem /srv/data",
      does: "adds a server to your own settings; `troupe mcp test files` tries it",
    },
    { call: "troupe mcp --http", does: "for programs that connect to a server; Ctrl-C ends it" },
  ],
  notes: [
    "The program can look at the team and write to its members as you, whether the team runs or not. Requests for approval stay with you, unless you give --approvals.",
    "Over HTTP, anyone who has the secret can act as you. It is another one at each start, unless TROUPE_MCP_TOKEN has one of at least 32 characters, which is not printed then.",
  ],

  async run({ positionals, values, json, teamDir }, io) {
    const { approvals, cwd, http, port, ...flags } = parseOptions(Flags, values, mcp);
    const [action, name, ...words] = positionals;
    if (action !== undefined) {
      const { manageServers } = await import("../mcp/manage-servers.ts");
      const workspace = resolve(io.processInfo.cwd, cwd);
      return manageServers(action, { workspace, name, words, flags, json, command: mcp }, io);
    }
    if (port !== undefined && !http) throw wrongUsage("--port is only for --http", mcp);
    if (!http && io.terminal.input.isTTY) throw startedByHand();
    const workspace = resolve(io.processInfo.cwd, cwd);
    const directory = teamDir ? resolve(io.processInfo.cwd, teamDir) : resolve(workspace, ".team");
    const { personOffer } = await import("../mcp/person-offer.ts");
    const { version } = packageJson;
    const offer = await personOffer(io, { version, workspace, teamDir: directory, approvals });
    if (http) {
      const { serveHttp } = await import("../mcp/serve-http.ts");
      await serveHttp(offer, { port, io });
    } else {
      const { serveStreams } = await import("../../mcp-server/serve-streams.ts");
      await serveStreams(offer, io.pipes, io.signal);
    }
    return 0;
  },
};

function startedByHand() {
  return wrongUsage(
    "`troupe mcp` is for a program that speaks MCP on its standard input; --http serves at an address",
    mcp,
  );
}
