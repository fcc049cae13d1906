import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { bundle } from "../../bench/lib/bundle.ts";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { memberOf } from "../../test/support/team-on-wire.ts";
import { Program } from "../processes.ts";
import type { Random } from "../random.ts";
import { answerOf, teammates } from "./five-members.ts";
import { recall } from "./said-and-done.ts";
import { verifyWork, type WorkTally } from "./verify.ts";

export interface KillOptions {
  /** Teams are started until this number of kills is reached. */
  kills: number;
  random: Random;
  /** `forgets-starts`: after every crash, the records of started calls are lost. */
  habit?: "right" | "forgets-starts";
}

export interface KillTally extends WorkTally {
  kills: number;
  teams: number;
  requests: number;
  /** Requests that the provider's API would refuse. */
  refused: number;
  /** Processes that were not killed and did not end. */
  stuck: number;
}

/** A process that is not killed takes a few seconds. */
const patienceMs = 60_000;
/** Later than this, most teams have finished. */
const latestKillMs = 2_500;

const lifeCounts = ["kills", "requests", "refused", "stuck"] as const;
const workCounts = ["unknown", "declined", "lost", "twice", "unfinished"] as const;

/** A team of five is killed at random moments and restarted until its work is done. */
export async function killTeams(options: KillOptions): Promise<KillTally & Record<string, number>> {
  const total = { kills: 0, teams: 0, requests: 0, refused: 0, stuck: 0 };
  const work = { unknown: 0, declined: 0, lost: 0, twice: 0, unfinished: 0 };
  await using programs = await temporaryDirectory();
  const pathOf = await bundle({ team: "soak/team/programs/five-members.ts" }, programs.path);
  while (total.kills < options.kills) {
    const team = await liveOnce(pathOf("team"), { ...options, kills: options.kills - total.kills });
    for (const key of lifeCounts) total[key] += team[key];
    for (const key of workCounts) work[key] += team[key];
    total.teams++;
  }
  return { ...total, ...work };
}

async function liveOnce(
  program: string,
  { kills: most, random, habit = "right" }: KillOptions,
): Promise<KillTally> {
  await using directory = await temporaryDirectory();
  await using server = await ProviderServer.start({ strict: true });
  server.replyWith((request) => answerOf(memberOf(request), recall(request)));
  let kills = 0;
  let isStuck = false;
  for (let isOver = false; !isOver; ) {
    const isFirst = kills === 0;
    const given = [directory.path, server.url, isFirst ? "Begin." : "Go on."];
    await using life = Program.command([process.execPath, program, ...given]);
    // Before its first request it is unknown whether the lead already has its prompt.
    if (isFirst) await server.until(() => server.requests.length > 0);
    const delayMs = kills < most ? random.below(latestKillMs) : patienceMs;
    isOver = await endsWithin(life, delayMs);
    if (isOver || delayMs === patienceMs) {
      isStuck = !isOver;
      break;
    }
    await life.kill();
    kills++;
    if (habit === "forgets-starts") await forgetStarts(directory.path);
  }
  const { requests, refusals } = server;
  for (const refusal of refusals) console.error(`  ${refusal}`);
  const counts = { kills, teams: 1, requests: requests.length, refused: refusals.length };
  return { ...counts, stuck: isStuck ? 1 : 0, ...(await verifyWork(directory.path)) };
}

async function endsWithin(life: Program, delayMs: number): Promise<boolean> {
  const patience = new AbortController();
  const timeUp = setTimeout(delayMs, false, { signal: patience.signal }).catch(() => false);
  const ended = life.ended().then(() => true);
  try {
    return await Promise.race([ended, timeUp]);
  } finally {
    patience.abort();
    ended.catch(() => undefined);
  }
}

/** The behaviour of a store that does not record calls before they run. */
async function forgetStarts(root: string): Promise<void> {
  for (const name of teammates) {
    const path = join(root, ".team", "transcripts", `${name}.jsonl`);
    const text = await readFile(path, "utf8").catch(() => "");
    const lines = text.split("\n").filter((line) => !line.startsWith('{"type":"tool-start"'));
    await writeFile(path, lines.join("\n"));
  }
}
