import { realpath } from "node:fs/promises";
import { join } from "node:path";
import { TeamError } from "../../errors.ts";
import { createFileOnce, replaceFile } from "../../lib/files.ts";
import { workspaceSettingsPath } from "../settings/configuration.ts";
import { readObjectFile } from "../settings/settings-file.ts";
import type { Proposal, Survey } from "./finding.ts";

/**
 * Writes what is proposed into `troupe.json`. Throws `write-failed` if there is one, unless `adds`: then what it has stays.
 * Returns its path.
 */
export async function writeSettings(
  workspace: string,
  survey: Survey,
  { adds }: { adds: boolean },
): Promise<string> {
  const path = workspaceSettingsPath(workspace);
  const existing = adds ? await readObjectFile(path) : undefined;
  const settings = merged(existing?.value ?? {}, survey);
  const text = `${JSON.stringify(settings, null, 2)}\n`;
  // Through a link, a repository could have its rules written into the person's own settings.
  if (existing && existing.realPath !== join(await realpath(workspace), "troupe.json")) {
    throw new TeamError("write-failed", `${path} is a link to ${existing.realPath}`, {
      hint: "Put the file itself there.",
    });
  }
  if (adds) await replaceFile(path, text);
  else if (!(await createFileOnce(path, text))) throw alreadyThere(path);
  return path;
}

function alreadyThere(path: string): TeamError {
  return new TeamError("write-failed", `${path} already exists`, {
    hint: "Add to it with --force: what is in it stays.",
  });
}

/** Existing settings, their order too, and those that are proposed behind them. */
function merged(existing: object, { proposed, not_in_force: left }: Survey): object {
  const settings = new Map<string, unknown>(Object.entries(existing));
  if (!settings.has("$comment")) settings.set("$comment", commentOn(proposed, left));
  for (const { setting, value } of proposed) {
    const stated = settings.get(setting);
    if (setting === "hooks" || setting === "permission-mode") {
      if (stated === undefined) settings.set(setting, value);
    } else {
      const rules: unknown[] = Array.isArray(stated) ? stated : [];
      if (!rules.includes(value)) settings.set(setting, [...rules, value]);
    }
  }
  return Object.fromEntries(settings);
}

/** What a reader of the file should know. */
function commentOn(proposed: readonly Proposal[], left: Survey["not_in_force"]): string[] {
  const paths = [...new Set(proposed.map(({ path }) => path))];
  return [
    `Made by troupe init from ${paths.join(", ")}. What allows more needs the consent of each person: troupe trust.`,
    ...proposed.filter(isRewritten).map(({ value, from }) => `${value} is ${from}`),
    ...left
      .filter(({ path, warning }) => warning && path !== null && paths.includes(path))
      .map(({ what, reason }) => `NOT IN FORCE: ${what}: ${reason}`),
  ];
}

function isRewritten({ setting }: Proposal): boolean {
  return setting !== "hooks" && setting !== "permission-mode";
}
