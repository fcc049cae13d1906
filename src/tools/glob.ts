import { join, relative } from "node:path";
import { z } from "zod";
import { answer } from "./files/answer.ts";
import { ClosedFiles } from "./files/closed-files.ts";
import { confirmFiles } from "./files/confirm.ts";
import { GlobPattern } from "./files/glob-pattern.ts";
import type { SearchAccess } from "./files/guarded-change.ts";
import { listFiles } from "./files/list-files.ts";
import { SearchFindings } from "./files/search-findings.ts";
import { SearchText } from "./files/search-text.ts";
import { defineTool, failure, success, type Tool } from "./tool.ts";

const GlobInput = z.object({ pattern: SearchText, path: z.string().optional() });

export function globTool({ workspace, mayRead, runner }: SearchAccess): Tool {
  return defineTool({
    name: "glob",
    description: "List files by a glob such as src/**/*.ts, without what .gitignore leaves out.",
    input: GlobInput,
    action: ({ path = "." }) => ({ type: "read", path, isTree: true }),
    run: ({ pattern, path = "." }, { signal }) =>
      answer(path, async () => {
        const glob = GlobPattern.parse(pattern);
        if (!glob) return failure("Error: The pattern is too long. Use a shorter one.");
        const area = await workspace.openSearch(path);
        if (!area) return failure(`Error: ${path} does not exist.`);
        await using directory = area.directory;
        if (area.file) return failure(`Error: ${path} is a file. Name a directory.`);

        const shownPath = (file: string) => relative(workspace.cwd, join(directory.path, file));
        const findings = new SearchFindings<string>((file) => shownPath(file).length);
        const closed = new ClosedFiles((file) =>
          mayRead(workspace.placeAt(join(directory.path, file))),
        );
        const end = await listFiles({
          runner,
          directory,
          excluded: workspace.closedTo(area),
          signal,
          onFile: (file) => !glob.matches(file) || !closed.isOpen(file) || findings.add(file),
        });
        if (end.type === "aborted") return failure("Error: The search was stopped.");
        if (end.type === "failed") return failure(`Error: ${end.message}`);
        const files = await confirmFiles(directory, findings.shown);
        const shown = [...files.map(shownPath), ...findings.rest];
        return success([shown.join("\n") || "No matches", ...closed.note].join("\n"));
      }),
  });
}
