import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { MessageId } from "../../src/protocol/ids.ts";
import type { RewindOptions } from "../../src/team/rewind/team-rewind.ts";
import type { Team } from "../../src/team/team.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { type ObedientOrder, ObedientTeam, orderText } from "../support/obedient-team.ts";
import { runNode } from "../support/programs.ts";

const program = fileURLToPath(new URL("programs/rewind-and-die.ts", import.meta.url));
const names = ["ann", "bob"] as const;
const files = ["a.txt", "b.txt", "ann.txt", "bob.txt"] as const;

type Step =
  /** The files that the lead writes, and the teammates that it gives work. */
  | { type: "prompt"; writes: string[]; spawns: string[] }
  /** `which` chooses a prompt. Its process is killed at the `dies`-th change of the disk; 0: it is not. */
  | { type: "rewind"; which: number; options: RewindOptions; dies: number }
  | { type: "restart" };

const prompts: fc.Arbitrary<Step> = fc.record({
  type: fc.constant("prompt"),
  writes: fc.subarray(["a.txt", "b.txt"]),
  spawns: fc.subarray([...names]),
});
const rewinds: fc.Arbitrary<Step> = fc.record({
  type: fc.constant("rewind"),
  which: fc.nat(9),
  options: fc.constantFrom({}, {}, { files: false }, { conversation: false }),
  dies: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 60 })),
});
const steps = fc.oneof(
  { weight: 4, arbitrary: prompts },
  { weight: 3, arbitrary: rewinds },
  { weight: 1, arbitrary: fc.constant<Step>({ type: "restart" }) },
);
const histories = fc.array(steps, { minLength: 3, maxLength: 9 });

test("P39 after any prompts, restarts and rewinds, killed or not, files and conversations are as at the prompt", async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      expect(await violationsIn(history)).toEqual([]);
    }),
    { numRuns: 12, endOnFailure: true },
  );
});

test("control: a rewind that leaves the files, or the conversation, is found", async () => {
  const prompt = (...spawns: string[]): Step => ({ type: "prompt", writes: ["a.txt"], spawns });
  const history: Step[] = [
    prompt("ann"),
    prompt("ann", "bob"),
    { type: "rewind", which: 1, options: {}, dies: 0 },
    prompt("ann", "bob"),
  ];

  expect(await violationsIn(history)).toEqual([]);
  expect(await violationsIn(history, { files: false })).not.toEqual([]);
  expect(await violationsIn(history, { conversation: false })).not.toEqual([]);
});

/** What is otherwise than it must be. `defect` is left out of each rewind. */
async function violationsIn(history: readonly Step[], defect: RewindOptions = {}) {
  await using directory = await temporaryDirectory();
  const it = new HistoryRun(new ObedientTeam(directory.path), defect);
  await it.start();
  try {
    for (const step of history) await it.take(step);
    // What everybody was shown is seen in the next request.
    await it.take({ type: "prompt", writes: [], spawns: [...names] });
    return it.violations;
  } finally {
    await it.close();
  }
}

/** What counts, by a simple model: each prompt with how everything was before it. */
interface KnownPrompt {
  id: MessageId;
  before: Picture;
}

interface Picture {
  /** By their names. */
  files: ReadonlyMap<string, string>;
  /** The marks of the orders that each member knows; none for one that is not there. */
  known: ReadonlyMap<string, readonly string[]>;
}

class HistoryRun {
  readonly violations: string[] = [];
  readonly #subject: ObedientTeam;
  readonly #defect: RewindOptions;
  #team: Team | undefined;
  #count = 0;
  #prompts: KnownPrompt[] = [];
  #now: Picture = { files: new Map(), known: new Map([["lead", []]]) };

  constructor(subject: ObedientTeam, defect: RewindOptions) {
    this.#subject = subject;
    this.#defect = defect;
  }

  async start(): Promise<void> {
    this.#team = await this.#subject.open();
  }

  async close(): Promise<void> {
    await this.#team?.close();
  }

  async take(step: Step): Promise<void> {
    switch (step.type) {
      case "prompt":
        await this.#prompt(step);
        break;
      case "rewind":
        await this.#rewind(step);
        break;
      case "restart":
        await this.close();
        await this.start();
        break;
    }
    await this.#compare(step);
  }

  get #open(): Team {
    if (!this.#team) throw new Error("The team is not open");
    return this.#team;
  }

  async #prompt({ writes, spawns }: Extract<Step, { type: "prompt" }>): Promise<void> {
    const writing = (path: string) => ({ path, content: `${path} ${this.#mark()}` });
    const order: ObedientOrder = {
      mark: this.#mark(),
      writes: writes.map(writing),
      spawns: spawns.map((name) => {
        return { name, mark: this.#mark(), writes: [writing(`${name}.txt`)], spawns: [] };
      }),
    };
    const { id } = await this.#open.prompt(orderText(order));
    await this.#open.quiet();
    this.#prompts.push({ id, before: this.#now });
    const written = [order, ...order.spawns].flatMap((each) => each.writes);
    const given = [{ name: "lead", mark: order.mark }, ...order.spawns];
    const { files: before, known } = this.#now;
    this.#now = {
      files: new Map([...before, ...written.map(({ path, content }) => [path, content] as const)]),
      known: new Map([
        ...known,
        ...given.map(({ name, mark }) => [name, [...(known.get(name) ?? []), mark]] as const),
      ]),
    };
    for (const { name } of given) {
      const shown = this.#subject.shownTo(name).join();
      const expected = this.#now.known.get(name)?.join();
      if (shown !== expected) this.#violate(`${name} was shown ${shown}, and not ${expected}`);
    }
  }

  async #rewind({ which, options, dies }: Extract<Step, { type: "rewind" }>): Promise<void> {
    const index = which % Math.max(1, this.#prompts.length);
    const prompt = this.#prompts[index];
    if (!prompt) return;
    const { conversation = true, files: withFiles = true } = options;
    if (dies > 0) await this.#rewindAndDie(prompt.id, { options, dies });
    // A process that is killed late has done all.
    const isLeft = (await this.#open.checkpoints()).some(({ id }) => id === prompt.id);
    if (isLeft) await this.#open.rewind(prompt.id, { ...options, ...this.#defect });
    await this.#open.quiet();
    if (conversation) this.#prompts = this.#prompts.slice(0, index);
    this.#now = {
      files: withFiles ? prompt.before.files : this.#now.files,
      known: conversation ? prompt.before.known : this.#now.known,
    };
  }

  /** In a process of its own; then the next one opens the team. */
  async #rewindAndDie(id: MessageId, killed: { options: RewindOptions; dies: number }) {
    await this.close();
    const { options, dies } = killed;
    const given = [this.#subject.directory, id, JSON.stringify(options), String(dies)];
    const { code, err } = await runNode(["--import", "tsx", program, ...given]);
    if (code !== 0 && code !== null) throw new Error(`It was not killed, but ended: ${err}`);
    await this.start();
    await this.#open.quiet();
  }

  async #compare(step: Step): Promise<void> {
    const after = `after ${JSON.stringify(step)}`;
    for (const name of files) {
      const [content, expected] = [await this.#subject.read(name), this.#now.files.get(name)];
      if (content !== expected) this.#violate(`${after}: ${name} has ${content}, not ${expected}`);
    }
    const { members } = await this.#open.roster();
    const alive = members.filter(({ status }) => status !== "shutdown").map(({ name }) => name);
    const expected = names.filter((name) => this.#now.known.has(name));
    if (alive.toSorted().join() !== expected.join())
      this.#violate(`${after}: there are ${alive}, not ${expected}`);
    const ids = (await this.#open.checkpoints()).map(({ id }) => id);
    if (ids.join() !== this.#prompts.map(({ id }) => id).join())
      this.#violate(`${after}: one can go back to ${ids}`);
  }

  #violate(violation: string): void {
    this.violations.push(violation);
  }

  #mark(): string {
    this.#count += 1;
    return `mark-${this.#count}`;
  }
}
