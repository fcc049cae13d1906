import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";
import { hmacSignature } from "../../src/keys/signature.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { FileMailbox, type FileMailboxOptions } from "../../src/mailbox/file-mailbox.ts";
import { MailWriter } from "../../src/mailbox/mail-writer.ts";
import type { DeliveredMail, MailboxReader, SetAsideLine } from "../../src/mailbox/mailbox.ts";
import { MemberName } from "../../src/protocol/ids.ts";
import { nothingDelivered } from "../../src/testing/conformance/mailbox.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";

const ada = MemberName.parse("ada");
const testKey = Buffer.alloc(32, 7);

/** What a test reads through has no other processes to watch. */
const noWatch = { subscribe: () => () => undefined };

export function openFileMailbox(
  directory: string,
  options: Partial<FileMailboxOptions> = {},
): FileMailbox {
  return new FileMailbox({
    inbox: join(directory, "inbox"),
    owner: ada,
    signature: hmacSignature(testKey),
    clock: systemClock,
    writer: new MailWriter(),
    watch: noWatch,
    check: async () => undefined,
    onWarning: (message) => {
      throw new Error(`Unexpected warning: ${message}`);
    },
    ...options,
  });
}

export interface OpenBox extends AsyncDisposable {
  mailbox: FileMailbox;
  reader: MailboxReader;
  setAside: SetAsideLine[];
}

/** A mailbox of `ada` with its reader, as the process that runs her has it. */
export async function openBox(
  directory: string,
  {
    delivered = nothingDelivered,
    ...options
  }: Partial<FileMailboxOptions> & {
    delivered?: DeliveredMail;
  } = {},
): Promise<OpenBox> {
  const setAside: SetAsideLine[] = [];
  const mailbox = openFileMailbox(directory, options);
  const reader = await mailbox.openReader({
    delivered,
    onSetAside: (line) => setAside.push(line),
  });
  return { mailbox, reader, setAside, [Symbol.asyncDispose]: () => mailbox[Symbol.asyncDispose]() };
}

export async function contents(reader: MailboxReader): Promise<string[]> {
  return (await reader.unread()).map(({ message }) => message.content);
}

/** Acknowledges everything that is unread. */
export async function acknowledgeAll(reader: MailboxReader): Promise<void> {
  const last = (await reader.unread()).at(-1);
  if (last) await reader.acknowledge(last.message.id);
}

export const livePath = (directory: string) => join(directory, "inbox", "ada.jsonl");
export const sidePath = (directory: string, name: string) => join(directory, "inbox", ".ada", name);

/** What a person does with `echo >>`. */
export async function echo(directory: string, line: string): Promise<void> {
  await appendFile(livePath(directory), line);
}

export async function readLive(directory: string): Promise<string> {
  return readFile(livePath(directory), "utf8");
}

export { temporaryDirectory };
