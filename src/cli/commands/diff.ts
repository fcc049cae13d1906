import { join, resolve } from "node:path";
import { workspaceDiff } from "../../team/diff/workspace-diff.ts";
import { type Command, lookOptions } from "../command.ts";
import { jsonText } from "../render/json-text.ts";
import { paintFor } from "../render/paint.ts";
import { renderWorkspaceDiff } from "../render/workspace-diff.ts";

export const diff: Command = {
  name: "diff",
  group: "look",
  summary: "Show what has changed in the workspace since the last commit",
  parameters: ["[<path>]"],
  options: {
    cwd: { takes: "<directory>", summary: "the workspace (default: the current directory)" },
    ...lookOptions,
  },
  examples: [
    { call: "troupe diff", does: "all files that differ from the last commit, and new ones" },
    { call: "troupe diff src/parser.ts", does: "only this file; a directory works too" },
    {
      call: "troupe diff --json | jq -r '.files[].path'",
      does: "the names of the files, for a script",
    },
  ],
  notes: [
    "Git only reads: no program that the repository's configuration names is started. Outside of git, what the team's tools have changed since your last prompt is shown. Binary and very large files are only named.",
  ],

  async run({ positionals: [path], values, json, teamDir }, io) {
    const { cwd, env } = io.processInfo;
    const workspace = resolve(cwd, String(values.cwd ?? "."));
    const view = await io.viewTeam(teamDir ? resolve(cwd, teamDir) : join(workspace, ".team"));
    const found = await workspaceDiff(view, {
      ...{ workspace, env },
      path: path === undefined ? undefined : resolve(cwd, path),
    });
    if (json) io.out(jsonText(found, 2));
    else {
      // Long lines are not broken, so that they can be copied.
      const { hasColors } = io.terminal;
      const format = { width: 1_000_000, paint: paintFor(hasColors) };
      for (const line of renderWorkspaceDiff(found, format)) io.out(line);
    }
    return 0;
  },
};
