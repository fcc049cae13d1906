import { z } from "zod";
import { confirmFiles } from "./files/confirm.ts";
import { GlobPattern } from "./files/glob-pattern.ts";
import type { SearchAccess } from "./files/guarded-change.ts";
import { listFiles } from "./files/list-files.ts";
import { search } from "./files/search.ts";
import { SearchText } from "./files/search-text.ts";
import { defineTool, failure, type Tool } from "./tool.ts";

const GlobInput = z.object({ pattern: SearchText, path: z.string().optional() });

export function globTool(access: SearchAccess): Tool {
  return defineTool({
    name: "glob",
    description: "List files by a glob such as src/**/*.ts, without what .gitignore leaves out.",
    input: GlobInput,
    action: ({ path = "." }) => ({ type: "read", path, isTree: true }),
    async run({ pattern, path = "." }, { signal }) {
      const glob = GlobPattern.parse(pattern);
      if (!glob) return failure("Error: The pattern is too long. Use a shorter one.");
      const { runner, workspace } = access;
      return await search<string>(access, {
        path,
        fileOf: (file) => file,
        textOf: (_, shownPath) => shownPath,
        confirm: confirmFiles,
        async find(area, onItem) {
          const message = `${path} is a file. Name a directory.`;
          if (area.file) return { type: "failed", message };
          const onFile = (file: string) => !glob.matches(file) || onItem(file);
          const excluded = workspace.closedTo(area);
          return await listFiles({ runner, directory: area.directory, excluded, signal, onFile });
        },
      });
    },
  });
}
