import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { hasErrno, TeamError } from "../../src/errors.ts";
import type { AgentEvent } from "../../src/protocol/events.ts";
import { Team } from "../../src/team/team.ts";
import { Random } from "../random.ts";
import { type Letter, mailBytes, statesOf, tallyMail } from "./letters.ts";
import { logFile } from "./parts.ts";
import { type Records, recordsChanged } from "./records.ts";
import { allow, type RichTeam } from "./rich-team.ts";
import { type Damage, spoil } from "./spoil.ts";
import { isHarmless, isTold } from "./told.ts";

export interface TrialOptions {
  team: RichTeam;
  letters: readonly Letter[];
  records: Records;
  seed: number;
  /** In a process of the program; otherwise in this one, which is quicker. */
  isProcess: boolean;
}

/** How a start after a damage went. */
type Start =
  | { type: "rested" }
  /** It would not start, and said why. */
  | { type: "declined"; reason: string }
  | { type: "crashed"; reason: string }
  | { type: "hung" };

export interface TrialOutcome {
  damages: Damage[];
  start: Start;
  /** How many messages were not damaged. */
  whole: number;
  /** What must not be, in words: `lost: …`, `twice: …`, `refused: …`, `ran: …`, `changed: …`. */
  faults: string[];
  /** Damages that nobody was told of, and that are not known to be harmless. */
  untold: Damage[];
}

const patienceMs = 60_000;

/** Damages the team, starts it, lets every member have its turn, and looks what is left. */
export async function tryOnce(options: TrialOptions): Promise<TrialOutcome> {
  const { team, seed, isProcess } = options;
  await team.renew();
  const work = await textOf(team, logFile);
  const damages = await spoil(team.root, new Random(seed));
  const damagedMail = await mailBytes(team.root);
  const untold = await damagesThatMatter(team, damages);
  const { start, said } = await (isProcess ? startProcess(team) : startHere(team));

  const faults = team.server.refusals.map((refusal) => `refused: ${refusal}`);
  const done = (await textOf(team, logFile)).slice(work.length);
  if (done !== "") faults.push(`ran: ${done}`);
  if (start.type === "crashed") faults.push(`crashed: ${start.reason}`);
  if (start.type === "hung") faults.push("hung: it did not end");
  if (start.type !== "rested") return { damages, start, whole: 0, faults, untold: [] };

  // With another key nobody can tell whose word the mail and the records are.
  const isKeyWhole = damages.every(({ path }) => path.startsWith(".team/"));
  if (!isKeyWhole) return { damages, start, whole: 0, faults, untold: [] };
  const { requests } = team.server;
  const states = await statesOf(team);
  const mail = tallyMail({ letters: options.letters, damagedMail, requests, states });
  faults.push(...mail.faults, ...(await recordsChanged(team, options.records, damages)));
  const isUntold = (damage: Damage) => !isTold(damage, said);
  return { damages, start, whole: mail.whole, faults, untold: untold.filter(isUntold) };
}

async function damagesThatMatter(team: RichTeam, damages: readonly Damage[]): Promise<Damage[]> {
  const found: Damage[] = [];
  for (const damage of damages) {
    const before = await team.originalText(damage.path);
    if (!isHarmless(damage, { before, after: await textOf(team, damage.path) })) found.push(damage);
  }
  return found;
}

/** Empty where there is no such file any more. */
async function textOf({ root }: RichTeam, path: string): Promise<string> {
  return readFile(join(root, path), "latin1").catch((error: unknown) => {
    if (hasErrno(error, "ENOENT") || hasErrno(error, "EISDIR")) return "";
    throw error;
  });
}

interface Started {
  start: Start;
  /** Everything that the person was told. */
  said: string;
}

async function startProcess(team: RichTeam): Promise<Started> {
  const options = ["--background-wait", "0", "--output", "stream-json"];
  const { code, out, err } = await team.run(team.argv("letter-again", options), patienceMs);
  return { start: startOf(code, err), said: err + setAsideIn(out) };
}

function startOf(code: number | undefined, err: string): Start {
  if (code === undefined) return { type: "hung" };
  if (code === 0 || code === 3) return { type: "rested" };
  const isExplained = /^error: /m.test(err) && !/^ +at /m.test(err);
  return { type: isExplained ? "declined" : "crashed", reason: `${code}: ${err.slice(-400)}` };
}

function setAsideIn(out: string): string {
  return [...out.matchAll(/"line-set-aside".*?"member":"([a-z]+)"/g)]
    .map(([, name]) => `line-set-aside of ${name}`)
    .join("\n");
}

async function startHere(team: RichTeam): Promise<Started> {
  const said: string[] = [];
  const attempt = live(team, (line) => said.push(line)).then(
    (): Start => ({ type: "rested" }),
    (error: unknown): Start => {
      const reason = String(error);
      return { type: error instanceof TeamError ? "declined" : "crashed", reason };
    },
  );
  const patience = new AbortController();
  const timeUp = setTimeout(patienceMs, undefined, { signal: patience.signal });
  const start = await Promise.race([attempt, timeUp.then((): Start => ({ type: "hung" }))]);
  patience.abort();
  return { start, said: said.join("\n") };
}

async function live(team: RichTeam, say: (line: string) => void): Promise<void> {
  const { PATH, ...env } = team.environment;
  await using opened = await Team.open({
    place: team.place({ onWarning: say }),
    env: { PATH, ...env },
    cwd: team.root,
    model: "anthropic/scripted",
    allow,
    approvals: { unattended: () => "nobody can be asked" },
  });
  const closed = new AbortController();
  const heard = hear(opened.events(closed.signal), say);
  await opened.prompt("letter-again");
  await opened.quiet({ backgroundWaitMs: 0 });
  closed.abort();
  await heard;
}

async function hear(events: AsyncIterable<AgentEvent>, say: (line: string) => void): Promise<void> {
  for await (const event of events) {
    if (event.type === "warning") say(event.message);
    if (event.type === "line-set-aside") say(`line-set-aside of ${event.member}: ${event.reason}`);
  }
}
