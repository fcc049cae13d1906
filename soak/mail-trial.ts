import { appendFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { MemberName } from "../src/protocol/ids.ts";
import { ManualClock } from "../src/testing/manual-clock.ts";
import type { FaultyFileSystem } from "../test/support/faulty-file-system.ts";
import { Desk, type DeskOptions, type Habit, openMailbox, takenIn } from "./desk.ts";
import { faultsIn, letterKey, letterText, readLetter, tallyLetters } from "./letters.ts";
import type { Random } from "./random.ts";
import { isTold } from "./record-trial.ts";
import type { Trial } from "./sweep.ts";

/** The steps at a mailbox. Two senders write to it in turn. */
export type Step =
  | "send"
  | "send-large"
  | "drain"
  | "give-back"
  | "damage"
  | "reopen"
  | "hour-back"
  | "day-forward";

export interface MailTrialOptions {
  directory: string;
  faulty: FaultyFileSystem;
  steps: readonly Step[];
  habit?: Habit;
}

/** So small that almost every draining rotates the log. */
const limits = { rotateBytes: 600, historyBytes: 1024 * 1024 };

/** A mailbox with one read and two unread letters, and steps to run under a fault. */
export class MailTrial implements Trial {
  readonly #options: MailTrialOptions;
  readonly #sent = new Set<string>();
  readonly #errors: unknown[] = [];
  readonly #clock = new ManualClock();
  #desk: Desk | undefined;
  #letters = 0;
  #damages = 0;

  private constructor(options: MailTrialOptions) {
    this.#options = options;
  }

  static async prepare(options: MailTrialOptions): Promise<MailTrial> {
    await mkdir(join(options.directory, "inbox"));
    const trial = new MailTrial(options);
    for (const step of ["send", "drain", "send", "send"] as const) await trial.#take(step);
    return trial;
  }

  async act(): Promise<void> {
    for (const step of this.#options.steps) await this.#try(() => this.#take(step));
  }

  async goOn(): Promise<void> {
    for (const step of ["send", "drain", "send", "drain"] as const) await this.#take(step);
  }

  async recover(): Promise<void> {
    await using desk = await Desk.open(this.#deskOptions());
    await desk.drainAll();
  }

  async violations(): Promise<string[]> {
    const undelivered = new Set<string>();
    let damages = 0;
    for await (const record of openMailbox(this.#deskOptions()).records()) {
      if (record.state === "set aside" && record.text === damagedLine) damages++;
      if (record.state !== "undelivered") continue;
      const letter = readLetter(record.message);
      if (letter) undelivered.add(letterKey(letter));
    }
    const seen = takenIn(this.#options.directory);
    const found = faultsIn(await tallyLetters({ sent: this.#sent, seen, undelivered }));
    if (damages !== this.#damages) found.push(`${damages} of ${this.#damages} damages are shown`);
    const surprises = this.#errors.filter((error) => !isTold(error));
    return [...found, ...surprises.map((error) => `a step threw ${error}`)];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#desk?.[Symbol.asyncDispose]();
    this.#desk = undefined;
  }

  #deskOptions(): DeskOptions {
    const { directory, habit = "right" } = this.#options;
    return { directory, habit, limits, clock: this.#clock };
  }

  async #try(step: () => Promise<void>): Promise<void> {
    try {
      await step();
    } catch (error) {
      this.#options.faulty.assertAlive();
      this.#errors.push(error);
    }
  }

  async #take(step: Step): Promise<void> {
    this.#desk ??= await Desk.open(this.#deskOptions());
    switch (step) {
      case "send":
        return this.#send(this.#desk, 60);
      case "send-large":
        return this.#send(this.#desk, 700);
      case "drain":
        await this.#desk.drain();
        return;
      case "give-back":
        return this.#desk.giveBack();
      case "damage":
        appendFileSync(join(this.#options.directory, "inbox", "ada.jsonl"), `${damagedLine}\n`);
        this.#damages++;
        return;
      case "hour-back":
        return this.#clock.jump(-hourMs);
      case "day-forward":
        return this.#clock.jump(24 * hourMs);
      case "reopen":
        await this.#desk[Symbol.asyncDispose]();
        this.#desk = undefined;
        this.#desk = await Desk.open(this.#deskOptions());
    }
  }

  async #send({ mailbox }: Desk, length: number): Promise<void> {
    const number = this.#letters++;
    const sender = number % 2 === 0 ? bob : eve;
    const letter = { sender, number };
    await mailbox.append({ type: "message", from: sender, content: letterText(letter, length) });
    this.#options.faulty.assertAlive();
    this.#sent.add(letterKey(letter));
  }
}

/** A sequence of steps that is the same for the same seed. */
export function randomSteps(random: Random, count: number): Step[] {
  const steps: Step[] = [
    "send",
    "send",
    "send-large",
    "drain",
    "drain",
    "give-back",
    "damage",
    "reopen",
    "hour-back",
    "day-forward",
  ];
  return Array.from({ length: count }, () => random.pick(steps));
}

const hourMs = 60 * 60 * 1000;
const damagedLine = '{"damaged';
const bob = MemberName.parse("bob");
const eve = MemberName.parse("eve");
