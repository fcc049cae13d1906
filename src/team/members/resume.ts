import { describeError } from "../../errors.ts";
import { mapInBatches } from "../../lib/batches.ts";
import type { MemberName } from "../../protocol/ids.ts";
import type { MemberRecord } from "../../protocol/team.ts";
import type { Protocols } from "../protocols/protocols.ts";
import type { SupervisorOptions } from "../supervisor-options.ts";
import { followLead, type LeadsChoices } from "./inherited-fields.ts";
import type { MemberHandle } from "./member-handle.ts";
import type { Members } from "./members.ts";
import { requireTools } from "./spawning.ts";

export interface ResumeOptions {
  protocols: Protocols;
  members: Members;
  checkouts: Pick<SupervisorOptions["checkouts"], "recover">;
  openLead(): Promise<MemberHandle>;
  open(record: MemberRecord): Promise<MemberHandle>;
  lead: LeadsChoices;
  /** The tools to work with that teammates may have. */
  toolNames: readonly string[];
  roles: SupervisorOptions["roles"];
  onWarning(message: string): void;
}

/**
 * Continues where the last process stopped, in this order:
 * 1. the rules that the person added hold again, and the lead's mode is written down, before any member is opened;
 * 2. the lead is opened, since members report to it;
 * 3. removals that were interrupted are finished, so that mail and tasks are free for the others;
 * 4. checkouts that were half made are removed, and those that nobody has now are retired;
 * 5. every member that is alive is opened with its plan, its failure and its tasks, and with the model
 *    and the mode that the lead has now, where it has them from the lead;
 * 6. shutdowns that were asked for are asked again, or carried out;
 * 7. results that no program can wait for now are no longer asked for.
 * No member runs before all of it is done. To repeat a step changes nothing.
 */
export async function resume(options: ResumeOptions): Promise<void> {
  const { protocols, members } = options;
  const { permissions, keeper, shutdowns, results } = protocols;
  await permissions.rules.restore();
  await permissions.noteMode(options.lead.mode);
  members.add(await options.openLead());
  const records = (await keeper.read()).members;
  for (const record of records) await finishRemoval(record, options);
  await options.checkouts.recover(records);
  const alive = records.filter(({ status }) => status !== "shutdown");
  await restoreMembers(alive, options);
  await shutdowns.restore(alive);
  await results.restore();
}

async function finishRemoval(
  { name, status, ending }: MemberRecord,
  { protocols, onWarning }: ResumeOptions,
): Promise<void> {
  if (status !== "shutdown" || !ending) return;
  await protocols.removals.finish(name, ending).catch((error: unknown) => {
    onWarning(`The removal of '${name}' could not be finished: ${describeError(error)}`);
  });
}

/** Adds them in the order of the roster, whichever is open first. */
async function restoreMembers(
  records: readonly MemberRecord[],
  options: ResumeOptions,
): Promise<void> {
  const opened = new Map<MemberName, MemberHandle>();
  try {
    await mapInBatches(records, async (record) => {
      const member = await restoreMember(record, options);
      if (member) opened.set(record.name, member);
    });
  } finally {
    // Also where one of them ends the start: those that are open are to be closed with the team.
    for (const { name } of records) {
      const member = opened.get(name);
      if (member) options.members.add(member);
    }
  }
}

/** The opened member; undefined for one that cannot continue. */
async function restoreMember(
  record: MemberRecord,
  options: ResumeOptions,
): Promise<MemberHandle | undefined> {
  const { protocols, open } = options;
  const { keeper, plans, tasks } = protocols;
  const { name } = record;
  try {
    keeper.trust(record);
    requireTools(record.tools, options.toolNames);
    await tellOfRole(record, options);
    if (followLead(record, options.lead) !== record) {
      await keeper.change(name, (each) => followLead(each, options.lead));
    }
    await plans.restore(record, await tasks.leasesOf(name));
    const member = await open(record);
    const failure = failureOf(record, member);
    if (failure !== undefined) await member.order({ type: "fail", reason: failure });
    if (!member.state.isCutShort) await tasks.remindOfHeldTasks(name);
    return member;
  } catch (error) {
    await leaveOut(record, error, options);
    return undefined;
  }
}

/** It continues with what it was spawned with: the person learns that the file says something else now. */
async function tellOfRole(
  { name, agent }: MemberRecord,
  { roles, onWarning }: ResumeOptions,
): Promise<void> {
  const change = agent && (await roles.changeOf(agent));
  if (change === undefined) return;
  const what = `The file of its role, ${agent?.path}, ${change} since '${name}' was spawned`;
  onWarning(
    `${what}. It continues as it was; spawn it with agent: "${agent?.name}" to change that.`,
  );
}

/** Why a member waits for its lead. The roster may not know it yet: the transcript is first. */
function failureOf({ status, detail }: MemberRecord, { state }: MemberHandle): string | undefined {
  const end = state.recordedEnd;
  if (end?.outcome === "failed") return end.reason ?? "unknown";
  return status === "failed" ? (detail ?? "unknown") : undefined;
}

/**
 * A member continues as it was asked for, or not at all: the person or the lead can end it, or spawn
 * it differently. A member that cannot be opened keeps no other from continuing.
 */
async function leaveOut(
  { name }: MemberRecord,
  error: unknown,
  options: ResumeOptions,
): Promise<void> {
  const { keeper, tasks } = options.protocols;
  const detail = describeError(error);
  options.onWarning(`'${name}' cannot continue: ${detail}`);
  await keeper.change(name, (member) => ({ ...member, status: "failed", detail }));
  await tasks.releaseAll(name);
}
