import { join } from "node:path";
import { hmacSignature } from "../../../src/keys/signature.ts";
import { systemClock } from "../../../src/lib/clock.ts";
import { DirectoryWatch } from "../../../src/lib/directory-watch.ts";
import { ensurePrivateDirectory } from "../../../src/lib/files.ts";
import { FileMailbox } from "../../../src/mailbox/file-mailbox.ts";
import { MailWriter } from "../../../src/mailbox/mail-writer.ts";
import type { MailboxReader, MailboxReaderOptions } from "../../../src/mailbox/mailbox.ts";
import { MemberName } from "../../../src/protocol/ids.ts";
import { EntryChain } from "../../../src/transcript/entry-chain.ts";
import { FileTranscript } from "../../../src/transcript/file-transcript.ts";
import {
  fillBySending,
  type Receiver,
  type Sender,
  type SenderPlace,
  type Taken,
} from "./design.ts";

export const ada = MemberName.parse("ada");

/** The reader's options for a new member. No benchmark writes a line that is set aside. */
export const newReader: MailboxReaderOptions = {
  delivered: { positions: [], ids: new Set() },
  onSetAside({ reason }) {
    throw new Error(`A line ${reason}`);
  },
};

/** The same in every process of a benchmark. */
const signature = hmacSignature(Buffer.alloc(32, 7));

/** A mailbox as in a team: signed, checked, and with the default limits. */
export function openMailbox(
  inbox: string,
  { owner = ada, watch = noWatch }: { owner?: MemberName; watch?: Watch } = {},
): FileMailbox {
  return new FileMailbox({
    inbox,
    owner,
    signature,
    clock: systemClock,
    watch,
    writer: new MailWriter(),
    onWarning: (message) => {
      throw new Error(message);
    },
    check: async () => undefined,
  });
}

type Watch = Pick<DirectoryWatch, "subscribe">;
const noWatch: Watch = { subscribe: () => () => undefined };

/** A watch that requires file events: polling would be another measurement. */
export async function openWatch(directory: string): Promise<DirectoryWatch> {
  await ensurePrivateDirectory(directory);
  return new DirectoryWatch({
    directory,
    clock: systemClock,
    onFallback(reason) {
      throw new Error(`No file events: ${reason}`);
    },
  });
}

export class TroupeSender implements Sender {
  readonly #mailbox: FileMailbox;
  readonly #from: MemberName;

  private constructor(mailbox: FileMailbox, from: MemberName) {
    this.#mailbox = mailbox;
    this.#from = from;
  }

  static async open({ directory, from }: SenderPlace): Promise<TroupeSender> {
    await ensurePrivateDirectory(directory);
    return new TroupeSender(openMailbox(directory), MemberName.parse(from));
  }

  async send(content: string): Promise<void> {
    await this.#mailbox.append({ type: "message", from: this.#from, content });
  }

  fill(content: string, count: number): Promise<void> {
    return fillBySending(this, content, count);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#mailbox[Symbol.asyncDispose]();
  }
}

/** Takes mail like a member: into the transcript first, then acknowledged. */
export class TroupeReceiver implements Receiver {
  readonly #mailbox: FileMailbox;
  readonly #reader: MailboxReader;
  readonly #transcript: FileTranscript;
  readonly #aside: { count: number };

  private constructor(parts: {
    mailbox: FileMailbox;
    reader: MailboxReader;
    transcript: FileTranscript;
    aside: { count: number };
  }) {
    this.#mailbox = parts.mailbox;
    this.#reader = parts.reader;
    this.#transcript = parts.transcript;
    this.#aside = parts.aside;
  }

  static async open(directory: string): Promise<TroupeReceiver> {
    const mailbox = openMailbox(directory, { watch: await openWatch(directory) });
    const aside = { count: 0 };
    const reader = await mailbox.openReader({
      ...newReader,
      onSetAside: () => aside.count++,
    });
    return new TroupeReceiver({
      mailbox,
      reader,
      transcript: await openTranscript(directory),
      aside,
    });
  }

  async take(): Promise<Taken> {
    const deliveries = await this.#reader.unread();
    const at = systemClock.now().toISOString();
    await this.#transcript.append(
      deliveries.map((delivery) => ({ type: "delivery", at, ...delivery })),
    );
    const last = deliveries.at(-1);
    if (last) await this.#reader.acknowledge(last.message.id);
    const torn = this.#aside.count;
    this.#aside.count = 0;
    return { contents: deliveries.map(({ message }) => message.content), torn };
  }

  onWake(wake: () => void): void {
    this.#reader.onWake(wake);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#mailbox[Symbol.asyncDispose]();
  }
}

/** Next to the inbox, so that its watch is not woken. */
export function openTranscript(inbox: string): Promise<FileTranscript> {
  return FileTranscript.open(join(inbox, ".transcripts", "ada.jsonl"), {
    chain: new EntryChain(signature, { teamId: "bench", member: "ada" }),
    onDamage({ reason }) {
      throw new Error(reason);
    },
  });
}
