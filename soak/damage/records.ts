import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { FileTeamView } from "../../src/team/view/file-team-view.ts";
import type { RichTeam } from "./rich-team.ts";
import type { Damage } from "./spoil.ts";

/** The fields of each task, request and cron that must not change, by file name. */
export type Records = ReadonlyMap<string, string>;

/** A run changes the owner of a task, and decides requests: their subjects stay. */
export async function recordsOfTeam(team: RichTeam): Promise<Records> {
  const view = new FileTeamView(team.place({ onWarning: () => undefined }));
  const found = new Map<string, string>();
  for (const { id, subject, description, blocked_by, created_by } of await view.tasks()) {
    found.set(`tasks/${id}`, JSON.stringify({ subject, description, blocked_by, created_by }));
  }
  for (const { id, type, from, to, hash } of await view.requests()) {
    found.set(`requests/${id}`, JSON.stringify({ type, from, to, hash }));
  }
  const crons = join(team.root, ".team", "crons");
  for (const name of await readdir(crons)) {
    if (/^[0-9a-f]{8}\.json$/.test(name)) {
      found.set(`crons/${name}`, await readFile(join(crons, name), "utf8").catch(String));
    }
  }
  return found;
}

/** The records that have changed without being damaged. */
export async function recordsChanged(
  team: RichTeam,
  before: Records,
  damages: readonly Damage[],
): Promise<string[]> {
  const touched = damages.map(({ path, detail }) => `${path} ${detail}`).join(" ");
  const after = await recordsOfTeam(team);
  return [...before]
    .filter(([name, record]) => !touched.includes(idIn(name)) && after.get(name) !== record)
    .map(([name, record]) => `changed: ${name} was ${record}, is ${after.get(name)}`);
}

/** How the name shows up in the paths of its files: `tasks/1.json`, `tasks/.versions/1/2.json`. */
function idIn(name: string): string {
  const [folder = "", id = ""] = name.split("/");
  return folder === "tasks" ? `tasks/${id}.json` : id.replace(".json", "");
}
