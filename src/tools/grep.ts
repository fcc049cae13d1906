import { join, relative } from "node:path";
import { z } from "zod";
import { firstCharacters } from "../lib/cut-text.ts";
import { answer } from "./files/answer.ts";
import { ClosedFiles } from "./files/closed-files.ts";
import { confirmMatches } from "./files/confirm.ts";
import { GlobPattern } from "./files/glob-pattern.ts";
import type { SearchAccess } from "./files/guarded-change.ts";
import type { Match } from "./files/match-parser.ts";
import { searchFiles } from "./files/search-files.ts";
import { SearchFindings } from "./files/search-findings.ts";
import { SearchText } from "./files/search-text.ts";
import { defineTool, failure, success, type Tool } from "./tool.ts";

const maxLineCharacters = 500;

const GrepInput = z.object({
  pattern: SearchText,
  path: z.string().optional(),
  glob: SearchText.describe("Only such files, as *.ts").optional(),
});

export function grepTool({ workspace, mayRead, runner }: SearchAccess): Tool {
  return defineTool({
    name: "grep",
    description: "Search files for a regular expression. Gives path:line:text.",
    input: GrepInput,
    action: ({ path = "." }) => ({ type: "read", path, isTree: true }),
    run: ({ pattern, path = ".", glob: wanted }, { signal }) =>
      answer(path, async () => {
        const glob = wanted === undefined ? undefined : GlobPattern.parse(wanted);
        if (wanted !== undefined && !glob)
          return failure("Error: glob is too long. Use a shorter one.");
        const area = await workspace.openSearch(path);
        if (!area) return failure(`Error: ${path} does not exist.`);
        await using directory = area.directory;

        const show = (match: Match) =>
          `${relative(workspace.cwd, join(directory.path, match.path))}:${match.line}:${textOf(match)}`;
        const findings = new SearchFindings<Match>((match) => show(match).length);
        const closed = new ClosedFiles((file) =>
          mayRead(workspace.placeAt(join(directory.path, file))),
        );
        const end = await searchFiles({
          runner,
          pattern,
          area,
          excluded: workspace.closedTo(area),
          glob,
          signal,
          onMatch: (match) => !closed.isOpen(match.path) || findings.add(match),
        });
        if (end.type === "aborted") return failure("Error: The search was stopped.");
        if (end.type === "failed") return failure(`Error: ${end.message}`);
        const matches = await confirmMatches(directory, findings.shown);
        const shown = [...matches.map(show), ...findings.rest];
        return success([shown.join("\n") || "No matches", ...closed.note].join("\n"));
      }),
  });
}

function textOf({ text: bytes }: Match): string {
  const text = bytes.toString("utf8").replace(/\r$/, "");
  return text.length > maxLineCharacters ? `${firstCharacters(text, maxLineCharacters)} ...` : text;
}
