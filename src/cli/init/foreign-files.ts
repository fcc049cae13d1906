/** A file of another program that Troupe does not read. */
interface ForeignFile {
  readonly below: "workspace" | "home";
  readonly path: string;
  readonly what: string;
  /** Why, and what to do. */
  readonly reason: string;
}

const instructions = "put what it says into AGENTS.md";
const settings =
  "it is not read: write rules into troupe.json, and MCP servers into .mcp.json, by hand";
const ownSettings =
  "it is not read: write rules and MCP servers into ~/.config/troupe/config.json by hand";

/** Those of the best-known programs. Only whether they exist is looked at. */
export const foreignFiles: readonly ForeignFile[] = [
  {
    ...{ below: "workspace", path: "CLAUDE.md", what: "instructions" },
    reason: "AGENTS.md in the same directory counts; write @CLAUDE.md into that one to import it",
  },
  {
    ...{ below: "workspace", path: "CLAUDE.local.md", what: "instructions" },
    reason: "put what it says into ~/.config/troupe/AGENTS.md",
  },
  ...inWorkspace("instructions", instructions, [
    ...["GEMINI.md", ".cursorrules", ".cursor/rules", ".windsurfrules", ".clinerules"],
    ".github/copilot-instructions.md",
  ]),
  ...inWorkspace("settings of Codex", settings, [".codex/config.toml"]),
  ...inWorkspace("settings of opencode", settings, ["opencode.json", "opencode.jsonc"]),
  ...inWorkspace("settings of Gemini CLI", settings, [".gemini/settings.json"]),
  {
    ...{ below: "home", path: ".claude/CLAUDE.md", what: "instructions" },
    reason: "put what it says into ~/.config/troupe/AGENTS.md, or link that file to it",
  },
  {
    ...{ below: "home", path: ".claude.json", what: "MCP servers of Claude Code" },
    reason: "it is not read: write yours into ~/.config/troupe/config.json, as mcpServers",
  },
  {
    ...{ below: "home", path: ".codex/config.toml", what: "settings of Codex" },
    reason: ownSettings,
  },
  {
    ...{ below: "home", path: ".config/opencode/opencode.json", what: "settings of opencode" },
    reason: ownSettings,
  },
];

function inWorkspace(what: string, reason: string, paths: readonly string[]): ForeignFile[] {
  return paths.map((path) => ({ below: "workspace", path, what, reason }));
}
