import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { hasErrno } from "../../src/errors.ts";
import { parseJson } from "../../src/lib/json.ts";
import { TranscriptEntry } from "../../src/protocol/transcript.ts";
import { FileTeamView } from "../../src/team/view/file-team-view.ts";
import { teamPlace } from "../../test/support/team.ts";
import { logFile, subjects, teammates } from "./five-members.ts";
import { isUnknown } from "./said-and-done.ts";

export interface WorkTally {
  /** Calls with an unknown outcome that are reported as such. */
  unknown: number;
  /** Refused calls, such as a message to a member that is not spawned yet. */
  declined: number;
  lost: number;
  twice: number;
  /** Tasks that are not completed, missing or duplicated. */
  unfinished: number;
}

/** The results of the work, from the members' requests and the disk. */
export async function verifyWork(root: string): Promise<WorkTally> {
  const transcripts = new Map<string, TranscriptEntry[]>();
  for (const name of ["lead", ...teammates]) {
    const path = join(root, ".team", "transcripts", `${name}.jsonl`);
    const lines = (await readOrNothing(path)).split("\n").filter(Boolean);
    transcripts.set(
      name,
      lines.map((line) => parseJson(line, TranscriptEntry, path)),
    );
  }
  const tally = {
    unknown: 0,
    declined: 0,
    lost: 0,
    twice: 0,
    unfinished: await countUnfinished(root),
  };
  const log = (await readOrNothing(join(root, logFile))).split("\n");
  for (const name of teammates) {
    const entries = transcripts.get(name) ?? [];
    for (const { tool, input, result } of callsIn(entries)) {
      if (tool === "bash") {
        const line = /\w+-line-\d/.exec(String(input.command))?.[0];
        const times = log.filter((it) => it === line).length;
        count(tally, { what: `line ${line}`, times, result });
      }
      if (tool === "send_message") {
        const mail = mailIn(transcripts.get(String(input.to)) ?? []);
        const times = mail.filter(({ content }) => content === input.content).length;
        count(tally, { what: `message ${input.content} to ${input.to}`, times, result });
      }
    }
    countReports(tally, entries, transcripts.get("lead") ?? []);
  }
  for (const entries of transcripts.values()) {
    const ids = mailIn(entries).map(({ id }) => id);
    tally.twice += ids.length - new Set(ids).size;
  }
  return tally;
}

interface Trace {
  what: string;
  /** How often it was found. */
  times: number;
  /** The result of the call that should cause it. */
  result: string;
}

function count(tally: WorkTally, { what, times, result }: Trace): void {
  if (isUnknown(result)) tally.unknown++;
  else if (result.startsWith("Error:")) tally.declined++;
  else if (times === 0) lose(tally, `${what}, though its call came to: ${result}`);
  if (times > (result.startsWith("Error:") ? 0 : 1)) tally.twice++;
}

function lose(tally: WorkTally, what: string): void {
  tally.lost++;
  console.error(`  lost: ${what}`);
}

/** The end of every run of a teammate is mail for the lead. */
function countReports(
  tally: WorkTally,
  entries: readonly TranscriptEntry[],
  leads: readonly TranscriptEntry[],
): void {
  const ids = mailIn(leads).map(({ id }) => id);
  for (const entry of entries) {
    if (entry.type !== "run-end" || entry.report_id === undefined) continue;
    if (!ids.includes(entry.report_id)) lose(tally, `report ${JSON.stringify(entry)}`);
  }
}

async function countUnfinished(root: string): Promise<number> {
  const view = new FileTeamView(teamPlace(root, { onWarning: console.error }));
  const tasks = await view.tasks();
  return subjects.filter((subject) => {
    const [task, second] = tasks.filter((it) => it.subject === subject);
    return task?.status !== "completed" || second;
  }).length;
}

export function mailIn(entries: readonly TranscriptEntry[]) {
  return entries.flatMap((entry) => {
    if (entry.type === "delivery") return [entry.message];
    if (entry.type === "tool-result") return (entry.mail ?? []).map(({ message }) => message);
    return [];
  });
}

export function callsIn(entries: readonly TranscriptEntry[]) {
  const results = new Map<string, string>();
  for (const entry of entries) {
    if (entry.type === "tool-result") results.set(entry.call_id, entry.output);
  }
  return entries.flatMap((entry) => {
    if (entry.type !== "reply") return [];
    return entry.blocks.flatMap((block) => {
      if (block.type !== "tool-call") return [];
      const input = Object(block.input);
      return [{ tool: block.name, input, result: results.get(block.call_id) ?? "" }];
    });
  });
}

async function readOrNothing(path: string): Promise<string> {
  return readFile(path, "utf8").catch((error: unknown) => {
    if (hasErrno(error, "ENOENT")) return "";
    throw error;
  });
}
