import { backgroundRunTool, checkBackgroundTool } from "./background.ts";
import { type BashParts, bashTool } from "./bash.ts";
import { editFileTool } from "./edit-file.ts";
import type { FileAccess } from "./files/guarded-change.ts";
import { globTool } from "./glob.ts";
import { grepTool } from "./grep.ts";
import { readFileTool } from "./read-file.ts";
import type { Tool } from "./tool.ts";
import { type WebAccess, webFetchTool } from "./web-fetch.ts";
import { writeFileTool } from "./write-file.ts";

export type WorkToolParts = FileAccess & BashParts & { web: WebAccess };

const fileToolMakers = {
  read_file: readFileTool,
  write_file: writeFileTool,
  edit_file: editFileTool,
  glob: globTool,
  grep: grepTool,
} satisfies Record<string, (access: FileAccess) => Tool>;

/** The tools that work on the repository, in the order in which a model gets them. */
const makers = {
  bash: bashTool,
  background_run: backgroundRunTool,
  check_background: checkBackgroundTool,
  ...fileToolMakers,
  web_fetch: webFetchTool,
} satisfies Record<string, (parts: WorkToolParts) => Tool>;

export const workToolNames = Object.keys(makers);

/** Makes the tools that work on files, for one member. */
export function fileTools(access: FileAccess): Tool[] {
  return Object.values(fileToolMakers).map((make) => make(access));
}

/** Makes the tools that work on the repository, for one member. */
export function workTools(parts: WorkToolParts): Tool[] {
  return Object.values(makers).map((make) => make(parts));
}
