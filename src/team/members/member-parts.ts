import type { Runner } from "../../agent/runner.ts";
import type { Permissions } from "../../permissions/permissions.ts";
import type { Inbox } from "./inbox.ts";

/** What one member consists of in the process that runs it. */
export interface MemberParts extends AsyncDisposable {
  readonly runner: Runner;
  readonly inbox: Inbox;
  readonly permissions: Pick<Permissions, "mode" | "setMode" | "rules" | "addRule">;
  /** How many commands it has running in the background. */
  readonly backgroundJobs: number;
  /** Ends it for good: nobody needs to be told what became of its background jobs. */
  end(): Promise<void>;
}
