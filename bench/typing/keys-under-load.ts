import { EventEmitter } from "node:events";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { setImmediate, setTimeout } from "node:timers/promises";
import { InputHistory } from "../../src/cli/screen/input-history.ts";
import { Screen } from "../../src/cli/screen/screen.ts";
import { Talk, type TalkTeam } from "../../src/cli/talk/talk.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { lead, MemberName, newTeamId, TeammateName } from "../../src/protocol/ids.ts";
import type { MemberRecord } from "../../src/protocol/team.ts";
import { EventHub } from "../../src/team/event-hub.ts";
import { screenIo } from "../lib/screen-io.ts";

export interface Load {
  members: number;
  /** How much has been said before. */
  lines: number;
  /** How often a second each member says something more. */
  eventsPerSecond: number;
}

const keys = 400;
const betweenKeysMs = 8;
const lineLength = 40;

/** How long each of many keys takes until the terminal is given what shows it, in milliseconds. */
export async function measureKeys(load: Load): Promise<number[]> {
  const screen = await openScreen(load.members);
  const chatter = chat(screen, load);
  const samples: number[] = [];
  for (let count = 0; count < keys; count++) {
    const typed = 1 + (count % lineLength);
    // Ctrl-U empties the line.
    if (typed === 1) screen.input.write("\x15");
    await setTimeout(betweenKeysMs);
    const echo = screen.output.wrote("k".repeat(typed));
    const start = performance.now();
    screen.input.write("k");
    await echo;
    samples.push(performance.now() - start);
  }
  screen.leaving.abort();
  await screen.departed;
  await chatter;
  return samples;
}

class Output extends EventEmitter {
  readonly columns = 120;
  readonly rows = 40;
  readonly writableNeedDrain = false;

  #expected: { text: string; resolve(): void } | undefined;

  /** Resolves when a text is written. */
  wrote(text: string): Promise<void> {
    return new Promise((resolve) => {
      this.#expected = { text, resolve };
    });
  }

  write(text: string): void {
    if (this.#expected && text.includes(this.#expected.text)) this.#expected.resolve();
  }
}

async function openScreen(count: number) {
  const hub = new EventHub({ append: () => undefined }, systemClock);
  const names = Array.from({ length: count }, (_, index) => TeammateName.parse(`member-${index}`));
  const members: MemberRecord[] = names.map((name) => ({ name, role: "coder", status: "working" }));
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => undefined });
  const output = new Output();
  const leaving = new AbortController();
  const talk = new Talk({
    workspace: ".",
    team: teamOf(members, hub),
    io: screenIo({ input, output, signal: leaving.signal }),
    teamDir: ".",
    openedAt: systemClock.now().toISOString(),
  });
  const history = await InputHistory.open({
    // Below a file nothing can be made, so it is kept in memory.
    path: join(import.meta.filename, "history.jsonl"),
    mask: (text) => text,
    onWarning: () => undefined,
  });
  const monotonicMs = () => systemClock.monotonicMs();
  const { terminal } = talk.io;
  const screen = new Screen({
    talk,
    terminal,
    history,
    model: "",
    listModels: async () => [],
    notify: "off",
    windowOf: async () => undefined,
    greeting: [],
    past: [],
    monotonicMs,
  });
  const departed = screen.show(leaving.signal);
  await setImmediate();
  return { hub, input, output, leaving, departed };
}

/** Everything that was said before, and then everybody at once. */
async function chat(
  { hub, leaving }: Pick<Awaited<ReturnType<typeof openScreen>>, "hub" | "leaving">,
  { members, lines, eventsPerSecond }: Load,
): Promise<void> {
  for (let line = 0; line < lines; line++) {
    hub.say({ type: "text-delta", member: lead, text: `Line **${line}** of what was said.\n\n` });
  }
  await setImmediate();
  for (let round = 0; !leaving.signal.aborted; round++) {
    for (let index = 0; index < members; index++) {
      const member = MemberName.parse(`member-${index}`);
      hub.say({ type: "text-delta", member, text: `word ${round} ` });
    }
    hub.say({
      type: "text-delta",
      member: lead,
      text: round % 20 === 19 ? ".\n\n" : `word ${round} `,
    });
    await setTimeout(1000 / eventsPerSecond);
  }
}

function teamOf(members: readonly MemberRecord[], hub: EventHub): TalkTeam {
  const nothing = () => Promise.reject(new Error("unused"));
  const team_id = newTeamId(new Date());
  return {
    events: (signal) => hub.observe(signal),
    roster: async () => ({ team_name: "default", team_id, lead, format: 1, members: [...members] }),
    requests: async () => [],
    openRequests: async () => [],
    usage: async () => new Map(),
    backgroundCommands: () => [],
    modes: async () => [],
    models: async () => [],
    interrupt: () => [],
    hasSent: () => false,
    ...{
      describeRoster: nothing,
      message: nothing,
      withdraw: nothing,
      broadcast: nothing,
      answer: nothing,
    },
    ...{ stop: nothing, setMode: nothing, setModel: nothing, quiet: nothing },
    ...{ rules: () => [], addRule: nothing, removeRule: nothing },
    ...{ checkpoints: async () => [], previewRewind: nothing, rewind: nothing },
    ...{ checkoutStates: async () => [], previewCheckoutRewind: nothing, rewindCheckout: nothing },
    ...{ compact: nothing, clear: nothing, commands: async () => [], expandCommand: nothing },
  };
}
