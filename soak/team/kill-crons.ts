import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { bundle } from "../../bench/lib/bundle.ts";
import { parseJson } from "../../src/lib/json.ts";
import { TranscriptEntry } from "../../src/protocol/transcript.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { calls, reply, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { Program } from "../processes.ts";
import type { Random } from "../random.ts";
import { isUnknown, recall } from "./said-and-done.ts";
import { callsIn, mailIn } from "./verify.ts";

export interface CronKillOptions {
  stories: number;
  random: Random;
  /** `forgets-crons`: after every crash, the schedule is lost. */
  habit?: "right" | "forgets-crons";
}

interface CronTally extends Record<string, number> {
  stories: number;
  kills: number;
  crons: number;
  /** Entries whose call was killed, so that it is unknown whether they were scheduled. */
  unknown: number;
  /** Entries that were requested after their minute had begun, and so are due next year. */
  late: number;
  lost: number;
  twice: number;
  refused: number;
}

/**
 * A lead schedules one-time prompts for the next full minute, and is killed around that time, one
 * to three times. In the end each of them must have been fired once, however late.
 */
export async function killCrons(options: CronKillOptions): Promise<CronTally> {
  const total = {
    stories: 0,
    kills: 0,
    crons: 0,
    unknown: 0,
    late: 0,
    lost: 0,
    twice: 0,
    refused: 0,
  };
  await using programs = await temporaryDirectory();
  const pathOf = await bundle({ lead: "soak/team/programs/once-lead.ts" }, programs.path);
  while (total.stories < options.stories) {
    const story = await tellOnce(pathOf("lead"), options);
    for (const key of counted) total[key] += story[key];
  }
  return total;
}

const counted = [
  "stories",
  "kills",
  "crons",
  "unknown",
  "late",
  "lost",
  "twice",
  "refused",
] as const;
const prompts = ["cron-once-1", "cron-once-2", "cron-once-3"];
const minuteMs = 60_000;

async function tellOnce(program: string, { random, habit = "right" }: CronKillOptions) {
  await using directory = await temporaryDirectory();
  await using server = await ProviderServer.start({ strict: true });
  const clock = new Ahead(join(directory.path, "clock"));
  await clock.set(0);
  let isDueMs: number | undefined;
  server.replyWith(async (request) => {
    const isScheduled = recall(request).calls.length > 0;
    if (isScheduled) return says("The lead rests.");
    // The minute is full this soon after the reply, whatever the time is.
    isDueMs ??= await clock.bringNextMinute(300 + random.below(1_000));
    const { pattern } = clock;
    return reply(
      prompts.map((prompt) => calls("schedule_cron", { cron: pattern, prompt, once: true })),
    );
  });
  const live = (until: "killed" | "quiet") =>
    Program.command([process.execPath, program, directory.path, server.url, until]);

  const kills = 1 + random.below(3);
  for (let kill = 0; kill < kills; kill++) {
    await using life = live("killed");
    const before = server.requests.length;
    await server.until(() => server.requests.length > before && isDueMs !== undefined);
    const untilDueMs = kill === 0 ? (isDueMs ?? 0) - Date.now() : 0;
    await setTimeout(Math.max(0, untilDueMs + random.below(700) - 300));
    await life.kill();
    if (habit === "forgets-crons") await forgetCrons(directory.path);
  }
  await clock.pass(2 * minuteMs);
  await using last = live("quiet");
  await last.ended();
  for (const refusal of server.refusals) console.error(`  ${refusal}`);
  const refused = server.refusals.length;
  return { stories: 1, kills, refused, ...(await verifyCrons(directory.path, clock.due)) };
}

/** How far the lead's clock is ahead. It never goes back. */
class Ahead {
  readonly #path: string;
  #ms = 0;
  #due = new Date(0);

  constructor(path: string) {
    this.#path = path;
  }

  async set(ms: number): Promise<void> {
    this.#ms = ms;
    await writeFile(this.#path, String(ms));
  }

  async pass(ms: number): Promise<void> {
    await this.set(this.#ms + ms);
  }

  /** Sets it so that its next minute begins in `delayMs`. Resolves to when that is by the machine's. */
  async bringNextMinute(delayMs: number): Promise<number> {
    const dueMs = Date.now() + delayMs;
    this.#due = new Date(Math.ceil((dueMs + this.#ms) / minuteMs) * minuteMs);
    await this.set(this.#due.getTime() - dueMs);
    return dueMs;
  }

  get due(): Date {
    return this.#due;
  }

  /** Only in that minute: an entry that misses it waits for a year. */
  get pattern(): string {
    const due = this.#due;
    return `${due.getMinutes()} ${due.getHours()} ${due.getDate()} ${due.getMonth() + 1} *`;
  }
}

async function verifyCrons(root: string, due: Date) {
  const path = join(root, ".team", "transcripts", "lead.jsonl");
  const lines = (await readFile(path, "utf8")).split("\n").filter(Boolean);
  const entries = lines.map((line) => parseJson(line, TranscriptEntry, path));
  const mail = mailIn(entries).map(({ content }) => content);
  const tally = { crons: 0, unknown: 0, late: 0, lost: 0, twice: 0 };
  for (const { input, result } of callsIn(entries)) {
    const times = mail.filter((content) => content === input.prompt).length;
    tally.crons++;
    if (isUnknown(result)) tally.unknown++;
    else if (!result.includes(due.toISOString())) tally.late++;
    else if (times === 0) {
      tally.lost++;
      console.error(`  lost: ${input.prompt}, though its call came to: ${result}`);
    }
    if (times > 1) tally.twice++;
  }
  return tally;
}

/** The behaviour of a book that is kept only in memory. */
async function forgetCrons(root: string): Promise<void> {
  const directory = join(root, ".team", "crons");
  for (const name of await readdir(directory).catch(() => [])) await rm(join(directory, name));
}
