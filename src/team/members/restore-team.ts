import { TeamError } from "../../errors.ts";
import { mapInBatches } from "../../lib/batches.ts";
import type { MemberName } from "../../protocol/ids.ts";
import type { Member } from "../../protocol/team.ts";
import type { Protocols } from "../protocols/protocols.ts";
import type { TeamStore } from "../team-store.ts";
import type { Members } from "./members.ts";
import { restoredRecords } from "./restored-records.ts";
import type { TeamMember } from "./team-member.ts";

export interface RestoreOptions {
  store: TeamStore;
  protocols: Protocols;
  members: Members;
  open(record: Member): Promise<TeamMember>;
  onWarning(message: string): void;
}

/** Opens everybody who was in the team, each where it was, and carries on what was under way. */
export async function restoreTeam(options: RestoreOptions): Promise<void> {
  const { store, protocols, members, onWarning } = options;
  const { keeper, departures, shutdowns } = protocols;
  const { alive, ending } = restoredRecords(await keeper.read(), store, onWarning);
  for (const record of ending) {
    const { reader } = await store.openMember(record.name, { onSetAside: () => undefined });
    await departures.finish({ name: record.name, reader }, record.ending);
  }
  await mapInBatches(alive, (record) => restoreMember(record, options));
  const names = members.livingTeammates.map(({ name }) => name);
  const since = (name: MemberName) => alive.find((it) => it.name === name)?.spawned_at ?? "";
  await shutdowns.restore(names, since);
}

async function restoreMember(record: Member, options: RestoreOptions): Promise<void> {
  const { protocols, members, open, onWarning } = options;
  const { keeper, plans, tasks } = protocols;
  const { name } = record;
  try {
    keeper.adopt(record);
    await plans.restore(record);
    const member = await open(record);
    if (record.status === "failed") member.markFailed(record.detail ?? "unknown");
    members.add(member);
    if (!member.opened.agent.lastRun.isOpen) await tasks.callToMind(name);
  } catch (error) {
    // As it was asked for, or not at all: the person or the lead can spawn it differently.
    if (!(error instanceof TeamError)) throw error;
    const detail = [`${error.message}.`, error.hint].filter(Boolean).join(" ");
    onWarning(`'${name}' cannot go on: ${detail}`);
    await keeper.change(name, (member) => ({ ...member, status: "failed", detail }));
  }
}
