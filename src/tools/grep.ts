import { z } from "zod";
import { firstCharacters } from "../lib/cut-text.ts";
import { confirmMatches } from "./files/confirm.ts";
import { GlobPattern } from "./files/glob-pattern.ts";
import type { SearchAccess } from "./files/guarded-change.ts";
import type { Match } from "./files/match-parser.ts";
import { search } from "./files/search.ts";
import { searchFiles } from "./files/search-files.ts";
import { SearchText } from "./files/search-text.ts";
import { defineTool, failure, type Tool } from "./tool.ts";

const maxLineCharacters = 500;

const GrepInput = z.object({
  pattern: SearchText,
  path: z.string().optional(),
  glob: SearchText.describe("Only such files, as *.ts").optional(),
});

export function grepTool(access: SearchAccess): Tool {
  return defineTool({
    name: "grep",
    description: "Search files for a regular expression. Gives path:line:text.",
    input: GrepInput,
    action: ({ path = "." }) => ({ type: "read", path, isTree: true }),
    async run({ pattern, path = ".", glob: wanted }, { signal }) {
      const glob = wanted === undefined ? undefined : GlobPattern.parse(wanted);
      if (wanted !== undefined && !glob)
        return failure("Error: glob is too long. Use a shorter one.");
      const { runner, workspace } = access;
      return await search<Match>(access, {
        path,
        fileOf: (match) => match.path,
        textOf: (match, shownPath) => `${shownPath}:${match.line}:${lineOf(match)}`,
        confirm: confirmMatches,
        find(area, onMatch) {
          const excluded = workspace.closedTo(area);
          return searchFiles({ runner, pattern, area, excluded, glob, signal, onMatch });
        },
      });
    },
  });
}

function lineOf({ text: bytes }: Match): string {
  const text = bytes.toString("utf8").replace(/\r$/, "");
  return text.length > maxLineCharacters ? `${firstCharacters(text, maxLineCharacters)} ...` : text;
}
