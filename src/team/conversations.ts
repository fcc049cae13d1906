import type { CompactionReport } from "../agent/runner.ts";
import { TeamError } from "../errors.ts";
import { lead, type MemberName, parseMemberName, system } from "../protocol/ids.ts";
import { unlessDecided } from "../requests/requests.ts";
import type { MemberHandle } from "./members/member-handle.ts";
import type { Supervisor } from "./supervisor.ts";

/** How a conversation is to be summarized. */
export interface CompactOptions {
  /** In your words, what the summary must keep (default: the model decides). */
  keep?: string | undefined;
}

const maxKeepCharacters = 10_000;

/** Has a member's conversation summarized. */
export async function compactMember(
  supervisor: Supervisor,
  name: string = lead,
  { keep }: CompactOptions = {},
): Promise<CompactionReport> {
  if (keep !== undefined) requireKeep(keep);
  const member = living(supervisor, name);
  const wish = keep?.trim();
  await member.order({
    type: "compact",
    keep: wish ? supervisor.options.secrets.mask(wish) : undefined,
  });
  const report = member.state.lastCompaction;
  if (!report) throw new Error(`'${member.name}' has reported no compaction`);
  return report;
}

/** Has the conversation of a member, or of all, begin again. Resolves to the names of the members. */
export async function clearMembers(
  supervisor: Supervisor,
  name: string = lead,
): Promise<MemberName[]> {
  if (name === "all") return supervisor.pause.during(() => clearAll(supervisor));
  const member = living(supervisor, name);
  await clear(supervisor, member);
  return [member.name];
}

async function clearAll(supervisor: Supervisor): Promise<MemberName[]> {
  const cleared: MemberName[] = [];
  for (const member of supervisor.members.living) {
    if (await clear(supervisor, member).then(() => true, isShort)) cleared.push(member.name);
  }
  return cleared;
}

/** With the questions about calls that are no longer made. */
async function clear({ options, members }: Supervisor, { name }: MemberHandle): Promise<void> {
  const { requests } = options.store;
  const asked = await requests.list({ type: "permission", state: "pending", from: name });
  await members.require(name).order({ type: "clear" });
  for (const { id } of asked) {
    const reason = "the person cleared the conversation";
    await unlessDecided(requests.cancel(id, system, reason));
  }
}

/** False for an error that says only that there was nothing to clear. */
function isShort(error: unknown): false {
  if (error instanceof TeamError && error.code === "conversation-short") return false;
  throw error;
}

function living({ members }: Supervisor, name: string): MemberHandle {
  const member = members.require(parseMemberName(name));
  if (!member.state.hasEnded) return member;
  const alive = members.living.map((each) => each.name).join(", ");
  throw new TeamError("member-ended", `'${member.name}' is shut down already`, {
    hint: `Members: ${alive}.`,
  });
}

function requireKeep(keep: unknown): void {
  if (typeof keep === "string" && keep.length <= maxKeepCharacters) return;
  const problem = typeof keep === "string" ? "is too long" : "must be a text";
  throw new TeamError("config-invalid", `What the summary must keep ${problem}`, {
    hint: `Say it in at most ${maxKeepCharacters} characters.`,
  });
}
