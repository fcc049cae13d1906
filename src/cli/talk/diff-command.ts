import { resolve } from "node:path";
import { workspaceDiff } from "../../team/diff/workspace-diff.ts";
import { paintFor } from "../render/paint.ts";
import { renderWorkspaceDiff } from "../render/workspace-diff.ts";
import type { Talk, TalkReply } from "./talk.ts";

/** `/diff [<path>]`: what has changed in the workspace, as a text to look through. */
export async function runDiff(path: string, { io, teamDir, workspace }: Talk): Promise<TalkReply> {
  const diff = await workspaceDiff(await io.viewTeam(teamDir), {
    workspace,
    path: path === "" ? undefined : resolve(workspace, path.replace(/^@/, "")),
  });
  if (diff.files.length === 0) {
    const format = { width: Number.POSITIVE_INFINITY, paint: paintFor(false) };
    return { type: "shown", lines: renderWorkspaceDiff(diff, format) };
  }
  return {
    type: "text",
    title: "what has changed",
    part: (format) => renderWorkspaceDiff(diff, format),
  };
}
