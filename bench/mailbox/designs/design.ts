import { z } from "zod";

/** A design of a mailbox: troupe's, and those it is compared with. */
export const DesignName = z.enum(["troupe", "teaching", "array", "bare"]);
export type DesignName = z.infer<typeof DesignName>;

/** The writing end of a mailbox in one directory. */
export interface Sender extends AsyncDisposable {
  /** Resolves when a receiver can find the message. */
  send(content: string): Promise<void>;
  /** Puts `count` messages into an empty mailbox in the fastest way. */
  fill(content: string, count: number): Promise<void>;
}

/** The reading end. */
export interface Receiver extends AsyncDisposable {
  /** Takes the messages that have arrived; none if the mailbox is empty. */
  take(): Promise<Taken>;
  /** `wake` is called when there may be new messages. */
  onWake(wake: () => void): void;
}

export interface Taken {
  contents: string[];
  /** How many lines were not messages. */
  torn: number;
}

export interface SenderPlace {
  directory: string;
  /** The sender. */
  from: string;
}

/** Sends one by one, for designs without a faster way to fill a mailbox. */
export async function fillBySending(sender: Sender, content: string, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent++) await sender.send(content);
}

/** The file of the designs that need only one; troupe's live log. */
export const fileName = "ada.jsonl";
