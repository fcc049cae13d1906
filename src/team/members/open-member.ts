import type { Agent } from "../../agent/agent.ts";
import type { DeliveryEntry } from "../../agent/input.ts";
import type { MailboxReader } from "../../mailbox/mailbox.ts";
import type { Permissions } from "../../permissions/permissions.ts";
import type { ReceivedMail } from "../../protocol/transcript.ts";

/** A member with its history and its tools, ready to run. */
export interface OpenMember extends AsyncDisposable {
  readonly agent: Agent;
  readonly reader: MailboxReader;
  readonly permissions: Pick<Permissions, "mode" | "setMode" | "rules" | "addRule">;
  /** How many commands it has running in the background. */
  readonly backgroundJobs: number;
  /** Mail for a call whose result shows it. */
  takeMail(): Promise<readonly ReceivedMail[]>;
  /** Mail that is not worth a run and must not stay: orders that are carried out, and too much. */
  takeWithoutRun(): Promise<readonly DeliveryEntry[]>;
  /** Ends it for good: nobody needs to be told what became of its background jobs. */
  end(): Promise<void>;
}
