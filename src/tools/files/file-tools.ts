import { editFileTool } from "../edit-file.ts";
import { globTool } from "../glob.ts";
import { grepTool } from "../grep.ts";
import { readFileTool } from "../read-file.ts";
import type { Tool } from "../tool.ts";
import { writeFileTool } from "../write-file.ts";
import type { FileAccess } from "./guarded-change.ts";

/** The file tools of one member. */
export function fileTools(access: FileAccess): Tool[] {
  return [
    readFileTool(access),
    writeFileTool(access),
    editFileTool(access),
    globTool(access),
    grepTool(access),
  ];
}
