import { join } from "node:path";
import { z } from "zod";
import { hmacSignature } from "../src/keys/signature.ts";
import type { Clock } from "../src/lib/clock.ts";
import { FileMailbox, type FileMailboxOptions } from "../src/mailbox/file-mailbox.ts";
import { MailWriter } from "../src/mailbox/mail-writer.ts";
import type { DeliveredMail, MailboxReader, SetAsideLine } from "../src/mailbox/mailbox.ts";
import { MemberName } from "../src/protocol/ids.ts";
import type { Message } from "../src/protocol/message.ts";
import { EntryChain } from "../src/transcript/entry-chain.ts";
import { FileTranscript, FileTranscriptReader } from "../src/transcript/file-transcript.ts";
import { deliveredPositions, type Transcript } from "../src/transcript/transcript.ts";

/** The member whose mail is tested. */
export const ada = MemberName.parse("ada");

export const testSignature = hmacSignature(Buffer.alloc(32, 7));
const noWatch = { subscribe: () => () => undefined };

/** How mail is read. All but `right` are controls: each must show its fault. */
export const Habit = z.enum(["right", "acknowledges-first", "forgets-transcript"]);
export type Habit = z.infer<typeof Habit>;

export interface DeskOptions {
  /** The team directory. */
  directory: string;
  clock: Clock;
  habit?: Habit;
  limits?: NonNullable<FileMailboxOptions["limits"]>;
  check?(): Promise<void>;
}

/** How far one draining has got; the last phase is where a killed process was. */
export type Phase = "reading" | "read" | "kept" | "acknowledged";

/** Each phase as it is noted in a file. */
export const phaseLetters = {
  reading: "?",
  read: "r",
  kept: "k",
  acknowledged: "a",
} satisfies Record<Phase, string>;

/** Ada's mailbox, for writers. */
export function openMailbox(options: DeskOptions, writer = new MailWriter()): FileMailbox {
  const { directory, clock, limits, check } = options;
  return new FileMailbox({
    inbox: join(directory, "inbox"),
    owner: ada,
    signature: testSignature,
    clock,
    watch: noWatch,
    writer,
    // A failure is judged by the resulting mail.
    onWarning: () => undefined,
    check: check ?? (async () => undefined),
    ...(limits && { limits }),
  });
}

/** The objects of a process that runs Ada: her mailbox, its reader, and her transcript. */
export class Desk implements AsyncDisposable {
  readonly mailbox: FileMailbox;
  readonly setAside: SetAsideLine[] = [];
  readonly #habit: Habit;
  readonly #transcript: Transcript;
  readonly #clock: Clock;
  readonly #writer = new MailWriter();
  /** Mail that is in the transcript, but could not be acknowledged yet. */
  #reader: MailboxReader | undefined;

  private constructor({ habit = "right", ...options }: DeskOptions, transcript: Transcript) {
    this.mailbox = openMailbox(options, this.#writer);
    this.#habit = habit;
    this.#transcript = transcript;
    this.#clock = options.clock;
  }

  static async open(options: DeskOptions): Promise<Desk> {
    const transcript = await FileTranscript.open(transcriptPath(options.directory), {
      chain: new EntryChain(testSignature, { teamId: "soak", member: "ada" }),
      onDamage: () => undefined,
    });
    const desk = new Desk(options, transcript);
    desk.#reader = await desk.mailbox.openReader({
      delivered: await desk.#delivered(),
      onSetAside: (line) => desk.setAside.push(line),
    });
    return desk;
  }

  get reader(): MailboxReader {
    if (!this.#reader) throw new Error("The desk is not open");
    return this.#reader;
  }

  /** Reads the unread mail, and returns how much it was. */
  async drain(onPhase: (phase: Phase) => void = () => undefined): Promise<number> {
    onPhase("reading");
    const unread = await this.reader.unread();
    const last = unread.at(-1);
    if (!last) return 0;
    onPhase("read");
    const isEarly = this.#habit === "acknowledges-first";
    if (isEarly) await this.reader.acknowledge(last.message.id);
    const at = this.#clock.now().toISOString();
    await this.#transcript.append(unread.map((it) => ({ type: "delivery", at, ...it })));
    onPhase("kept");
    if (!isEarly) await this.reader.acknowledge(last.message.id);
    onPhase("acknowledged");
    return unread.length;
  }

  async drainAll(): Promise<void> {
    while ((await this.drain()) > 0);
  }

  /** Settles the unread mail as undelivered. */
  async giveBack(): Promise<void> {
    const last = (await this.reader.unread()).at(-1);
    if (last) await this.reader.giveBack(last.message.id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.mailbox[Symbol.asyncDispose]();
    this.#writer[Symbol.dispose]();
  }

  async #delivered(): Promise<DeliveredMail> {
    if (this.#habit === "forgets-transcript") return { positions: [], ids: new Set() };
    const tail = await this.#transcript.tail();
    const ids = tail.flatMap((entry) => (entry.type === "delivery" ? entry.message.id : []));
    return { positions: deliveredPositions(tail), ids: new Set(ids) };
  }
}

/** All mail in Ada's transcript, oldest first. */
export async function* takenIn(directory: string): AsyncGenerator<Message> {
  const transcript = new FileTranscriptReader(transcriptPath(directory), {
    onDamage: () => undefined,
  });
  for await (const entry of transcript.entries()) {
    if (entry.type === "delivery") yield entry.message;
  }
}

export function transcriptPath(directory: string): string {
  return join(directory, "transcripts", `${ada}.jsonl`);
}
