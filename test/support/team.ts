import { join } from "node:path";
import { systemClock } from "../../src/lib/clock.ts";
import { systemProcesses } from "../../src/lib/process-identity.ts";
import { MemberName } from "../../src/protocol/ids.ts";
import type { MemberRecord, MemberStatus } from "../../src/protocol/team.ts";
import type { TranscriptEntry } from "../../src/protocol/transcript.ts";
import { FileTeamStore } from "../../src/team/file-team-store.ts";
import { signMember } from "../../src/team/members/signed-fields.ts";
import type { TeamPlace } from "../../src/team/team-place.ts";
import type { TeamStore } from "../../src/team/team-store.ts";
import { FileTeamView } from "../../src/team/view/file-team-view.ts";

/** A team directory and a key's place of its own below `root`. */
export function teamPlace(root: string, options: Partial<TeamPlace> = {}): TeamPlace {
  return {
    directory: join(root, ".team"),
    keyPlace: { keyFile: undefined, stateHome: join(root, "state"), home: root },
    clock: systemClock,
    processes: systemProcesses,
    onWarning: (message) => {
      throw new Error(`Unexpected warning: ${message}`);
    },
    ...options,
  };
}

export const openStore = (root: string, options: Partial<TeamPlace> = {}) =>
  FileTeamStore.open(teamPlace(root, options));

export const takeOverStore = (root: string, options: Partial<TeamPlace> = {}) =>
  FileTeamStore.open(teamPlace(root, options), { takeOver: true });

export const viewTeam = (root: string, options: Partial<TeamPlace> = {}) =>
  new FileTeamView(teamPlace(root, options));

export function member(name: string, status: MemberStatus = "idle", role = "coder"): MemberRecord {
  return { name: MemberName.parse(name), role, status };
}

export async function enlist(store: TeamStore, ...members: MemberRecord[]): Promise<void> {
  const signed = members.map((each) => signMember(each, store.signature));
  await store.roster.update((team) => ({ ...team, members: [...team.members, ...signed] }));
}

/** Makes another transcript of a member's, as if troupe had written that. Nobody may run the team. */
export async function rewriteTranscript(
  root: string,
  name: string,
  change: (entries: TranscriptEntry[]) => TranscriptEntry[],
): Promise<void> {
  await using store = await openStore(root, { onWarning: () => undefined });
  const member = MemberName.parse(name);
  const { transcript } = await store.openMember(member, { onSetAside: () => undefined });
  const entries: TranscriptEntry[] = [];
  for await (const entry of transcript.entries()) entries.push(entry);
  await store.forget(member);
  await transcript.append(change(entries));
}
