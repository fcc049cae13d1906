import { randomUUID } from "node:crypto";
import { RequestApprovals } from "../permissions/approvals.ts";
import { type MemberName, system } from "../protocol/ids.ts";
import { unlessDecided } from "../requests/requests.ts";
import type { Equipment } from "./equipment.ts";
import type { TeamStore } from "./team-store.ts";

interface HostQuestion {
  member: MemberName;
  /** With its port. */
  host: string;
  signal: AbortSignal;
}

/** Asks the person whether the commands of a member may reach a host that their list of hosts does not have. */
export async function askHost(
  { store, place, approvals }: Pick<Equipment, "store" | "place" | "approvals">,
  { member, host, signal }: HostQuestion,
): Promise<boolean> {
  const asking = new RequestApprovals(store.requests, { clock: place.clock, ...approvals });
  const answer = await asking.ask(
    {
      ...{ member, host, tool: "network", input: { host }, callId: `host-${randomUUID()}` },
      reason: "sandbox.network does not have this host",
      summary: `let the commands of '${member}' reach ${host}, and send it what they can read, until Troupe ends`,
      suggestedRule: undefined,
      mayBeOpen: false,
    },
    signal,
  );
  return answer.type === "allowed";
}

/** Withdraws the questions about hosts of a process that was killed: the connections are gone. */
export async function withdrawHostQuestions(
  { requests }: Pick<TeamStore, "requests">,
  member: MemberName,
): Promise<void> {
  const open = await requests.list({ type: "permission", state: "pending", from: member });
  for (const { id, type, subject } of open) {
    if (type !== "permission" || subject.host === undefined) continue;
    await unlessDecided(requests.cancel(id, system, "the command that wanted it is gone"));
  }
}
