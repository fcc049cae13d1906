import { PassThrough } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { askAtStart } from "../../src/cli/ask-at-start.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { VirtualTerminal } from "../support/virtual-terminal.ts";
import { noTerminal } from "./troupe.ts";

const enter = "\r";

/** A question at the start, at a terminal of the test. */
class Asked {
  readonly terminal = new VirtualTerminal({ columns: 80, rows: 24 });
  readonly #clock = new ManualClock();
  readonly #input = Object.assign(new PassThrough(), {
    isTTY: true,
    isRaw: false,
    setRawMode(isRaw: boolean) {
      this.isRaw = isRaw;
    },
  });
  readonly #ending = new AbortController();
  readonly answer: Promise<"set aside" | "leave" | undefined>;

  constructor({ typedAhead = "" } = {}) {
    if (typedAhead !== "") this.#input.write(typedAhead);
    this.answer = askAtStart(
      {
        lines: ["This directory has a team that is not yours."],
        answers: { "set aside": "move it away", leave: "change nothing" },
      },
      {
        terminal: {
          input: this.#input,
          output: this.terminal,
          ...{ isInteractive: true, hasColors: false, atExit: () => () => undefined },
          jobControl: noTerminal.jobControl,
          edit: noTerminal.edit,
          passesThroughTmux: noTerminal.passesThroughTmux,
        },
        schedule: (delayMs, run) => this.#clock.schedule(delayMs, run),
        signal: this.#ending.signal,
      },
    );
  }

  get isRaw(): boolean {
    return this.#input.isRaw;
  }

  /** Sends what the terminal would, each in a chunk of its own. */
  async press(...chunks: string[]): Promise<void> {
    for (const chunk of chunks) {
      this.#input.write(chunk);
      do await setImmediate();
      while (this.#input.readableLength > 0);
    }
  }

  async pass(durationMs: number): Promise<void> {
    const endMs = this.#clock.monotonicMs() + durationMs;
    await this.#clock.advanceUntil(() => this.#clock.monotonicMs() >= endMs, durationMs);
  }

  /** Resolves once the keys have to be silent. */
  async waits(): Promise<void> {
    await this.#clock.waitingFor(250);
  }

  /** Lets time pass in which nothing of the program runs, and a key is pressed. */
  stall(durationMs: number, key: string): void {
    this.#clock.advance(durationMs);
    this.#input.write(key);
  }

  async prompted(): Promise<void> {
    await this.#clock.advanceUntil(() => this.#isPrompted, 250);
  }

  async shows(text: string): Promise<void> {
    await expect.poll(() => this.terminal.text).toContain(text);
  }

  endProgram(): void {
    this.#ending.abort();
  }

  endInput(): void {
    this.#input.end();
  }

  get #isPrompted(): boolean {
    return this.terminal.text.includes("›");
  }
}

test("a whole word and Enter is an answer", async () => {
  const asked = new Asked();
  await asked.prompted();

  await asked.press(..."Set  aside", enter);

  expect(await asked.answer).toBe("set aside");
  expect(asked.terminal.text).toMatch(/not yours[\s\S]*set aside +move it away\n +leave/);
  expect(asked.isRaw).toBe(false);
});

test("text typed before the prompt appeared is dropped", async () => {
  const asked = new Asked({ typedAhead: "leave\rset as" });
  await asked.press("ide", enter);
  await asked.pass(200);
  await asked.press(..."leave", enter);
  await asked.prompted();
  expect(asked.terminal.text).toMatch(/›$/);

  await asked.press(enter);
  await asked.shows("Nothing was typed");
  await asked.press(..."set aside", enter);

  expect(await asked.answer).toBe("set aside");
});

test("a key pressed while the program was stalled is dropped, although time has passed", async () => {
  const asked = new Asked();
  await asked.waits();

  asked.stall(250, "x");
  await asked.prompted();

  expect(asked.terminal.text).toMatch(/›$/);
  asked.endProgram();
  await asked.answer;
});

test.each([
  ["one letter of a word", ["l"]],
  ["something else", [..."yes"]],
  ["a sentence with a word in it", ["please leave it"]],
])("%s is not an answer", async (_title, chunks) => {
  const asked = new Asked();
  await asked.prompted();

  await asked.press(...chunks, enter);

  await asked.shows('not one of the words: type "set aside" or "leave"');
  await asked.press(..."leave", enter);
  expect(await asked.answer).toBe("leave");
});

test.each([
  ["with its marks", "\x1b[200~leave\r\x1b[201~"],
  ["without marks", "leave\r"],
])("a paste %s is not an answer", async (_title, pasted) => {
  const asked = new Asked();
  await asked.prompted();

  await asked.press(pasted);
  asked.endProgram();

  expect(await asked.answer).toBeUndefined();
});

test("typed text can be corrected", async () => {
  const asked = new Asked();
  await asked.prompted();

  await asked.press(..."nonsense", "\x15", ..."leavf", "\x7f", "e", enter);

  expect(await asked.answer).toBe("leave");
});

test.each([
  ["Ctrl-C", "\x03"],
  ["Ctrl-D", "\x04"],
])("%s quits without an answer", async (_title, key) => {
  const asked = new Asked();
  await asked.prompted();

  await asked.press(key);

  expect(await asked.answer).toBeUndefined();
  expect(asked.isRaw).toBe(false);
});

test("if the terminal is gone there is no answer", async () => {
  const asked = new Asked();
  await asked.prompted();

  asked.endInput();

  expect(await asked.answer).toBeUndefined();
});
