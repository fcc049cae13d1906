import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { hasErrno } from "../../src/errors.ts";
import { Random } from "../random.ts";
import { jobsUntold } from "./jobs.ts";
import { type Letter, mailBytes, statesOf, tallyMail } from "./letters.ts";
import { logFile } from "./parts.ts";
import { type Records, recordsChanged } from "./records.ts";
import type { RichTeam } from "./rich-team.ts";
import { type Damage, spoil } from "./spoil.ts";
import { readThrough, type Start, startHere, startProcess } from "./start.ts";
import { filesOf, isTold, isUnwitnessed, whyHarmless } from "./told.ts";

/**
 * `loss`: a message is removed without the soak's knowledge. `silence`: all warnings are ignored.
 */
export type Control = "loss" | "silence";

export interface TrialOptions {
  team: RichTeam;
  letters: readonly Letter[];
  records: Records;
  seed: number;
  /** In a process of the program; otherwise in this one, which is faster. */
  isProcess: boolean;
  control?: Control | undefined;
}

export interface TrialOutcome {
  damages: Damage[];
  start: Start;
  /** The number of undamaged messages. */
  whole: number;
  /** How many of those are missing from a conversation that reports a gap. */
  named: number;
  /** Faults, as text: `lost: …`, `twice: …`, `refused: …`, `ran: …`, `changed: …`. */
  faults: string[];
  /** Damaged files that were not reported and are not known to be harmless. */
  untold: string[];
  /** Files that could not be reported, because the records about them were damaged too. */
  unwitnessed: number;
}

/** Damages the team, starts it, gives every member a turn, and checks the result. */
export async function tryOnce(options: TrialOptions): Promise<TrialOutcome> {
  const { team, seed, isProcess, control } = options;
  await team.renew();
  const work = await textOf(team, logFile);
  const damages = await spoil(team.root, new Random(seed));
  const damagedMail = await mailBytes(team.root);
  const matter = await filesThatMatter(team, damages);
  if (control === "loss") await team.loseUnread();
  const { start, said } = await (isProcess ? startProcess(team) : startHere(team));

  const faults = team.server.refusals.map((refusal) => `refused: ${refusal}`);
  const done = (await textOf(team, logFile)).slice(work.length);
  if (done !== "") faults.push(`ran: ${done}`);
  faults.push(...faultOfStart(start, damages));
  const none = { damages, start, whole: 0, named: 0, faults, untold: [], unwitnessed: 0 };
  // With another key the origin of the mail and the records is unknown.
  const isKeyWhole = damages.every(({ path }) => !path.includes("/keys/"));
  if (start.type !== "rested" || !isKeyWhole) return none;

  const { requests } = team.server;
  const states = await statesOf(team);
  const files = damages.flatMap(filesOf);
  // If a transcript and its head are damaged, the loss cannot be detected.
  const letters = options.letters.map((letter) => {
    const transcript = `.team/transcripts/${letter.message.to}.jsonl`;
    const isDue = letter.isDue && !(files.includes(transcript) && isUnwitnessed(transcript, files));
    return { ...letter, isDue };
  });
  const mail = tallyMail({ letters, damagedMail, requests, states });
  faults.push(...mail.faults, ...(await recordsChanged(team, options.records, damages)));
  faults.push(...jobsUntold(team, damages));
  const heard = control === "silence" ? "" : said + (await readThrough(team));
  const untold = matter.filter((path) => !isTold(path, heard));
  const lone = untold.filter((path) => !isUnwitnessed(path, files));
  const unwitnessed = untold.length - lone.length;
  return { ...none, whole: mail.whole, named: mail.named, untold: lone, unwitnessed };
}

/** A start may be refused if the team cannot be recognized, with a reason. */
function faultOfStart(start: Start, damages: readonly Damage[]): string[] {
  if (start.type === "crashed") return [`crashed: ${start.reason}`];
  if (start.type === "hung") return ["hung: it did not end"];
  if (start.type === "rested") return [];
  const files = damages.flatMap(filesOf);
  const count = (part: string) => files.filter((path) => path.includes(part)).length;
  const isKeyDamaged = count("/keys/") > 0;
  const areAllRostersDamaged = count("/config.json") > 0 && count("/config.last-good.json") > 0;
  const isFenceDamaged = count("/fence/lead.json") > 0 && count("/fence/.versions/") > 0;
  const isExcused = isKeyDamaged || areAllRostersDamaged || isFenceDamaged;
  return isExcused ? [] : [`declined: ${start.reason}`];
}

async function filesThatMatter(team: RichTeam, damages: readonly Damage[]): Promise<string[]> {
  const files = [...new Set(damages.flatMap(filesOf))];
  const found: string[] = [];
  for (const path of files) {
    const before = await team.originalText(path);
    const after = await textOf(team, path);
    if (whyHarmless(path, { before, after }, files) === undefined) found.push(path);
  }
  return found;
}

/** Empty if the file no longer exists. */
async function textOf({ root }: RichTeam, path: string): Promise<string> {
  return readFile(join(root, path), "latin1").catch((error: unknown) => {
    if (hasErrno(error, "ENOENT") || hasErrno(error, "EISDIR")) return "";
    throw error;
  });
}
