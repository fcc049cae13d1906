import { describeError } from "../../errors.ts";
import { mapInBatches } from "../../lib/batches.ts";
import type { Member } from "../../protocol/team.ts";
import type { Protocols } from "../protocols/protocols.ts";
import type { MemberHandle } from "./member-handle.ts";
import type { Members } from "./members.ts";
import { restoredRecords } from "./restored-records.ts";

export interface RestoreOptions {
  protocols: Protocols;
  members: Members;
  open(record: Member): Promise<MemberHandle>;
  onWarning(message: string): void;
}

/** Opens everybody who was in the team, each where it was, and carries on what was under way. */
export async function restoreTeam(options: RestoreOptions): Promise<void> {
  const { protocols, onWarning } = options;
  const { keeper, departures, shutdowns } = protocols;
  const { alive, ending } = restoredRecords(await keeper.read());
  for (const { name, ending: departure } of ending) {
    await departures.finishLater(name, departure).catch((error: unknown) => {
      onWarning(`The removal of '${name}' is not complete: ${describeError(error)}`);
    });
  }
  await mapInBatches(alive, (record) => restoreMember(record, options));
  await shutdowns.restore(alive);
}

async function restoreMember(record: Member, options: RestoreOptions): Promise<void> {
  const { protocols, members, open } = options;
  const { keeper, plans, tasks } = protocols;
  const { name } = record;
  try {
    keeper.adopt(record);
    await plans.restore(record, await tasks.leasesOf(name));
    const member = await open(record);
    const failure = failureOf(record, member);
    if (failure !== undefined) await member.order({ type: "fail", reason: failure });
    members.add(member);
    if (!member.state.isCutShort) await tasks.callToMind(name);
  } catch (error) {
    await leaveOut(record, error, options);
  }
}

/** Why a member waits for its lead. The roster may not know it yet: the transcript is first. */
function failureOf({ status, detail }: Member, { state }: MemberHandle): string | undefined {
  const end = state.recordedEnd;
  if (end?.outcome === "failed") return end.reason ?? "unknown";
  return status === "failed" ? (detail ?? "unknown") : undefined;
}

/**
 * A member goes on as it was asked for, or not at all: the person or the lead can end it, or spawn
 * it differently. Whatever is the matter with one keeps no other from going on.
 */
async function leaveOut({ name }: Member, error: unknown, options: RestoreOptions): Promise<void> {
  const { keeper, tasks } = options.protocols;
  const detail = describeError(error);
  options.onWarning(`'${name}' cannot continue: ${detail}`);
  await keeper.change(name, (member) => ({ ...member, status: "failed", detail }));
  await tasks.releaseAll(name);
}
