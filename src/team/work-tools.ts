import type { Permissions } from "../permissions/permissions.ts";
import type { BackgroundJobs } from "../processes/background-jobs.ts";
import type { CommandRunner } from "../processes/command-runner.ts";
import { backgroundRunTool, checkBackgroundTool } from "../tools/background.ts";
import { bashTool } from "../tools/bash.ts";
import { fileTools } from "../tools/files/file-tools.ts";
import type { Tool } from "../tools/tool.ts";
import { SeenFiles } from "../workspace/seen-files.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Equipment } from "./equipment.ts";

export interface WorkParts {
  workspace: Workspace;
  permissions: Permissions;
  runner: CommandRunner;
  background: BackgroundJobs;
}

/** The names of the tools that work on the repository. */
export const workToolNames = [
  "bash",
  "background_run",
  "check_background",
  "read_file",
  "write_file",
  "edit_file",
  "glob",
  "grep",
] as const;

/** The tools that work on the repository, and those of the library's user: all, or those named. */
export function workTools(
  { fileLocks: locks, tools: extra }: Equipment,
  { workspace, permissions, runner, background }: WorkParts,
  names: readonly string[] | undefined,
): Tool[] {
  const all = [
    bashTool({ runner, background }),
    backgroundRunTool({ background }),
    checkBackgroundTool({ background }),
    ...fileTools({
      workspace,
      mayRead: (place) => permissions.mayRead(place),
      seenFiles: new SeenFiles(),
      locks,
      runner,
    }),
    ...extra,
  ];
  return names ? all.filter(({ spec }) => names.includes(spec.name)) : all;
}
