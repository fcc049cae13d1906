import { TeamError } from "../errors.ts";
import type { MemberName } from "../protocol/ids.ts";
import type { TeamRequest } from "../protocol/request.ts";
import type { TranscriptEntry } from "../protocol/transcript.ts";
import { memberNames } from "../team/find-member.ts";
import { entriesNewestFirst, mailNewestFirst } from "../team/view/read-pages.ts";
import type { ListedMail, TeamView } from "../team/view/team-view.ts";
import { oneLine } from "./render/one-line.ts";

/** Something that lists and the screen show only in part. */
export type ShownRecord =
  | { type: "call"; id: string; member: MemberName; call: CalledTool }
  | { type: "message"; id: string; owner: MemberName; mail: ListedMail }
  | { type: "request"; id: string; request: TeamRequest };

interface CalledTool {
  /** When the model asked for it. */
  at: string;
  name: string;
  /** What the model gave, or what a program's hook has made of it. */
  input: unknown;
  /** Undefined while it has none. */
  result: { output: string; isError: boolean } | undefined;
}

/** The request, message or call whose id begins with `beginning`. Throws if there is none or several. */
export async function findById(view: TeamView, beginning: string): Promise<ShownRecord> {
  const found = new Map<string, ShownRecord>();
  for await (const record of recordsOf(view, beginning)) {
    if (!record.id.startsWith(beginning)) continue;
    if (record.id === beginning) return record;
    found.set(record.id, record);
  }
  const [record, ...others] = found.values();
  if (!record) {
    throw new TeamError("request-unknown", `Nothing has the id ${oneLine(beginning, 60)}`, {
      hint: "`troupe log`, `troupe messages` and `troupe approvals` name ids.",
    });
  }
  if (others.length === 0) return record;
  const ids = [record, ...others].slice(0, maxNamed).map(({ id, type }) => `${id} (${type})`);
  const more = found.size > ids.length ? `, and ${found.size - ids.length} more` : "";
  throw new TeamError("usage-wrong", `${found.size} ids begin with ${oneLine(beginning, 60)}`, {
    hint: oneLine(`Give more of it: ${ids.join(", ")}${more}.`),
  });
}

const maxNamed = 5;

/** The call of a member with exactly this id. */
export async function findCall(
  view: Pick<TeamView, "transcript">,
  member: MemberName,
  id: string,
): Promise<ShownRecord | undefined> {
  for await (const record of callsOf(view, member)) if (record.id === id) return record;
  return undefined;
}

async function* recordsOf(view: TeamView, beginning: string): AsyncGenerator<ShownRecord> {
  for (const request of await view.requests()) yield { type: "request", id: request.id, request };
  const members = memberNames(await view.team());
  for (const owner of members) {
    for await (const mail of mailNewestFirst(view, owner)) {
      const id = mail.state === "set aside" ? mail.id : mail.message.id;
      if (id.startsWith(beginning)) yield { type: "message", id, owner, mail };
    }
  }
  for (const member of members) yield* callsOf(view, member);
}

/** The calls in a member's transcript, newest first. */
async function* callsOf(
  view: Pick<TeamView, "transcript">,
  member: MemberName,
): AsyncGenerator<Extract<ShownRecord, { type: "call" }>> {
  const results = new Map<string, CalledTool["result"]>();
  const inputs = new Map<string, unknown>();
  for await (const entry of entriesNewestFirst(view, member)) {
    note(entry);
    if (entry.type !== "reply") continue;
    for (const block of entry.blocks.toReversed()) {
      if (block.type !== "tool-call") continue;
      const { call_id: id, name } = block;
      const input = inputs.has(id) ? inputs.get(id) : block.input;
      yield {
        type: "call",
        id,
        member,
        call: { at: entry.at, name, input, result: results.get(id) },
      };
    }
    // The entries of a call come after it: none of these is needed again.
    results.clear();
    inputs.clear();
  }

  function note(entry: TranscriptEntry): void {
    if (entry.type === "tool-start" && entry.input !== undefined) {
      inputs.set(entry.call_id, entry.input);
    }
    if (entry.type !== "tool-result") return;
    results.set(entry.call_id, { output: entry.output, isError: entry.is_error });
  }
}
