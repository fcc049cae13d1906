import { TeamError } from "../../errors.ts";
import { lead, type MemberName, system } from "../../protocol/ids.ts";
import { type Landing, type LandingCheck, tellingReason } from "../../protocol/landing.ts";
import type { MemberRecord, TeamRecord } from "../../protocol/team.ts";
import { messageIdFor } from "../message-id-for.ts";
import type { Post } from "../post.ts";

export interface LandingMailOptions {
  post: { send(...given: Parameters<Post["send"]>): Promise<unknown> };
  roster(): Promise<TeamRecord>;
}

const maxNamed = 30;
const maxAttempts = 3;

/**
 * Tells members what has become of a landing. What its member has to act on wakes it, and the end of all attempts
 * wakes the lead; everything else is seen with the next turn. Repeating it tells nobody twice.
 */
export async function mailOfLanding(
  landing: Landing,
  files: readonly string[],
  options: LandingMailOptions,
): Promise<void> {
  const { member } = landing;
  switch (landing.state) {
    case "conflict":
    case "rejected":
      return sendBack(landing, options);
    case "failed":
      return send(lead, landing, { content: failureText(landing) }, options);
    case "landed":
      for (const name of await concerned(landing, options)) {
        await notify(name, landing, landedText(landing, { files, reader: name }), options);
      }
      return;
    case "taken":
      return notify(lead, landing, waitingText(landing), options);
    case "discarded":
      return notify(member, landing, discardedText(landing), options);
    case "merged":
    case "replaced":
  }
}

/** The member acts on it; where it has ended, the lead does. */
async function sendBack(landing: Landing, options: LandingMailOptions): Promise<void> {
  const { member } = landing;
  const text = problemText(landing);
  const advice = `Commit your work, merge ${landing.target} into your checkout, and solve the problem there: git fetch origin && git merge origin/${landing.target}. When your run ends, landing is tried again; this was attempt ${landing.attempt} of ${maxAttempts}.`;
  try {
    await send(member, landing, { content: `Your work ${text}\n\n${advice}` }, options);
  } catch (error) {
    if (!isGone(error)) throw error;
    const hint = `${member} has ended. Its work is kept as ${landing.ref}: spawn it again to solve this, or leave it to the person.`;
    await send(lead, landing, { content: `The work of ${member} ${text}\n\n${hint}` }, options);
  }
}

function problemText({ state, target, files, check }: Landing): string {
  if (state === "conflict") {
    return `cannot be merged with ${target}. In conflict:\n${listed(files)}`;
  }
  return `is merged with ${target}, but has not passed the check there${checkText(check)}`;
}

function checkText(check: LandingCheck | null): string {
  if (!check) return ".";
  const { command, reason, output, output_path: path } = check;
  const where = path === undefined ? "" : `\n(The whole output is in ${path}.)`;
  return `: ${command}\n${reason}. ${output === "" ? "It printed nothing." : `The end of its output:\n${output}`}${where}`;
}

function failureText(landing: Landing): string {
  const { member, reason, files, check, ref } = landing;
  const details = files.length > 0 ? `\n${listed(files)}` : checkText(check);
  return `The work of ${member} has not landed. ${reason ?? "It has failed"}${details}\n\nIt is kept as ${ref}. Tell ${member} how to continue: the work that it hands in next starts again with a first attempt.`;
}

function waitingText({ member, target, reason }: Landing): string {
  const telling = tellingReason(reason);
  const why = telling === undefined ? "" : `: ${telling}`;
  return `The work of ${member} for ${target} waits for the person${why}. The person lands it with: troupe land ${member}`;
}

function discardedText({ id, reason, ref }: Landing): string {
  const why = reason ? `: ${reason}` : "";
  return `The person discarded your work (landing ${id})${why}. It will not land, and is kept as ${ref}. Your checkout still has it: remove what must not land before you continue.`;
}

function landedText(
  { member, target, merge_commit }: Landing,
  { files, reader }: { files: readonly string[]; reader: MemberName },
): string {
  const whose = reader === member ? "Your work" : `The work of ${member}`;
  const commit = merge_commit ? ` (${merge_commit.slice(0, 12)})` : "";
  const what = files.length > 0 ? `. Changed:\n${listed(files)}` : ".";
  // The lead has no checkout.
  const advice =
    reader === lead
      ? ""
      : `\nBefore you change the same files: git fetch origin && git merge origin/${target}`;
  return `${whose} is on ${target} now${commit}${what}${advice}`;
}

function listed(paths: readonly string[]): string {
  const more = paths.length - maxNamed;
  const lines = paths.slice(0, maxNamed).map((path) => `- ${path}`);
  return [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join("\n");
}

/** The lead, and all members with a checkout, which is behind now. */
async function concerned(
  { member }: Landing,
  { roster }: LandingMailOptions,
): Promise<MemberName[]> {
  const isConcerned = ({ name, status, checkout }: MemberRecord) =>
    status !== "shutdown" && (checkout !== undefined || name === member);
  return [lead, ...(await roster()).members.filter(isConcerned).map(({ name }) => name)];
}

/** A member that has ended meanwhile need not know. */
async function notify(
  to: MemberName,
  landing: Landing,
  content: string,
  options: LandingMailOptions,
): Promise<void> {
  const { id: landing_id, state: landing_state } = landing;
  const draft = { type: "landing_notification", landing_id, landing_state } as const;
  try {
    await options.post.send(to, { ...idOf(to, landing), ...draft, from: system, content });
  } catch (error) {
    if (!isGone(error)) throw error;
  }
}

async function send(
  to: MemberName,
  landing: Landing,
  { content }: { content: string },
  { post }: LandingMailOptions,
): Promise<void> {
  await post.send(to, { ...idOf(to, landing), type: "message", from: system, content });
}

/** A landing is told once to each, although it is told again after a crash. */
function idOf(to: MemberName, { id, state, version, updated_at, member }: Landing) {
  // What has landed is told before its record has another version.
  const cause = `landing ${id} of ${member} is ${state} ${version} for ${to}`;
  return { id: messageIdFor(cause, new Date(updated_at)) };
}

function isGone(error: unknown): boolean {
  return error instanceof TeamError && ["member-ended", "member-unknown"].includes(error.code);
}
