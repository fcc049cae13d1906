import { z } from "zod";

/** A way to keep a mailbox: troupe's, and those it is measured against. */
export const DesignName = z.enum(["troupe", "teaching", "array", "bare"]);
export type DesignName = z.infer<typeof DesignName>;

/** The writing end of a mailbox that lies in one directory. */
export interface Sender extends AsyncDisposable {
  /** Resolves when the message is where a receiver finds it. */
  send(content: string): Promise<void>;
  /** Leaves `count` messages in a mailbox that nobody has sent to, by the fastest way there is. */
  fill(content: string, count: number): Promise<void>;
}

/** The reading end. */
export interface Receiver extends AsyncDisposable {
  /** Takes out what has arrived; nothing when the mailbox is empty. */
  take(): Promise<Taken>;
  /** `wake` is called when there may be something to take. */
  onWake(wake: () => void): void;
}

export interface Taken {
  contents: string[];
  /** How many lines were no messages. */
  torn: number;
}

export interface SenderPlace {
  directory: string;
  /** Who sends. */
  from: string;
}

/** Sends one by one, for designs that know no faster way to fill a mailbox. */
export async function fillBySending(sender: Sender, content: string, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent++) await sender.send(content);
}

/** The file of the designs that need only one, and what troupe calls the live log. */
export const fileName = "ada.jsonl";
