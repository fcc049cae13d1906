import { z } from "zod";
import { onAbort } from "../../lib/on-abort.ts";
import { longestCallSeconds } from "../../mcp-server/served-tool.ts";
import type { MemberName } from "../../protocol/ids.ts";
import type { ListedMail, TeamView } from "../../team/view/team-view.ts";
import { FilledText } from "../../tools/team/inputs.ts";
import { changesSince, changesText } from "./changes-since.ts";
import { memberOf } from "./mail-tools.ts";
import { fitting, markedMail } from "./marked.ts";
import type { PersonAccess } from "./person-access.ts";
import { personTool } from "./person-tool.ts";

const Seconds = z
  .number()
  .min(0)
  .max(longestCallSeconds, `must be at most ${longestCallSeconds}: call again for more`)
  .optional()
  .describe(`default ${longestCallSeconds}, which is the most`);

export const waitForMail = personTool({
  name: "wait_for_mail",
  description:
    "Wait until a member gets mail (default: the lead, who gets results and reports), and read it. It stays unread for the member.",
  input: z.object({
    name: FilledText.optional(),
    after: FilledText.optional().describe(
      "the id of the last message that you have seen (default: mail from now on)",
    ),
    timeout_s: Seconds,
  }),
  answer: ({ name, after, timeout_s }, access, { signal }) =>
    access.waiting(async () => {
      const view = await access.view();
      const owner = await memberOf(view, name);
      const last = after ?? (await newestId(view, owner));
      const newMail = () => mailAfter(view, owner, last);
      const found = await untilFound(view, newMail, { access, signal, seconds: timeout_s });
      if (!found) return `No new mail for ${owner}. Call again to go on waiting.`;
      const next = idOf(found.at(-1));
      return [
        `New mail of ${owner}. For what comes next, call wait_for_mail with after "${next}".`,
        ...found.map(markedMail),
      ].join("\n");
    }),
});

async function newestId(view: TeamView, owner: MemberName): Promise<string | undefined> {
  const { records } = await view.mail(owner, { limit: 1 });
  return idOf(records[0]);
}

/** The oldest messages after the one with the id `last`; undefined while there are none. */
async function mailAfter(
  view: TeamView,
  owner: MemberName,
  last: string | undefined,
): Promise<ListedMail[] | undefined> {
  const { records } = await view.mail(owner, { limit: mostNew });
  const end = records.findIndex((record) => idOf(record) === last);
  const oldestFirst = (end < 0 ? records : records.slice(0, end)).reverse();
  const shown = fitting(oldestFirst.map(markedMail));
  return oldestFirst.length === 0 ? undefined : oldestFirst.slice(0, shown);
}

const mostNew = 100;

function idOf(record: ListedMail | undefined): string | undefined {
  return record?.state === "set aside" ? record.id : record?.message.id;
}

export const waitForChange = personTool({
  name: "wait_for_change",
  description:
    "Wait until something happens in the team: a run ends, a message is sent, a task or a request changes, the team starts or stops. Says what, with the last words of a member whose run has ended.",
  input: z.object({
    after: z
      .number()
      .int()
      .min(0)
      .optional()
      .describe("the number that the call before gave (default: changes from now on)"),
    timeout_s: Seconds,
  }),
  answer: ({ after, timeout_s }, access, { signal }) =>
    access.waiting(async () => {
      const view = await access.view();
      const newest = (await view.recentEvents(1)).at(-1)?.seq ?? 0;
      // The numbers of another team start again.
      const last = Math.min(after ?? newest, newest);
      const wasRunning = (await view.lead()) !== undefined;
      const changed = () => changesSince(view, { last, wasRunning });
      const isFound = await untilFound(view, changed, { access, signal, seconds: timeout_s });
      // One step of a team is several changes.
      if (isFound) await new Promise<void>((resolve) => access.schedule(gatherMs, resolve));
      const found = isFound && (await changed());
      if (!found) return `Nothing has changed. Call again with after ${last} to go on waiting.`;
      return changesText(view, found);
    }),
});

const gatherMs = 250;

interface Waiting {
  access: PersonAccess;
  signal: AbortSignal;
  seconds: number | undefined;
}

/** What `find` finds, looking again after each change; undefined when the time is over. */
async function untilFound<T>(
  view: TeamView,
  find: () => Promise<T | undefined>,
  { access, signal, seconds = longestCallSeconds }: Waiting,
): Promise<T | undefined> {
  const ending = new AbortController();
  const removeListener = onAbort(signal, () => ending.abort());
  // The last look takes time, too.
  const patienceMs = Math.min(seconds, longestCallSeconds - 1) * 1000;
  const cancel = access.schedule(patienceMs, () => ending.abort());
  const changes = new Changes(view, ending.signal);
  try {
    for (;;) {
      const found = await find();
      if (found !== undefined || ending.signal.aborted) return found;
      await changes.next();
    }
  } finally {
    removeListener();
    cancel();
    changes.end();
  }
}

/** That something has changed since the last look; what, is looked at. */
class Changes {
  readonly #signal: AbortSignal;
  readonly end: () => void;
  #hasChanged = false;
  #wake = () => {};

  constructor(view: TeamView, signal: AbortSignal) {
    this.#signal = signal;
    const note = () => {
      this.#hasChanged = true;
      this.#wake();
    };
    const stopWatching = view.onChange(note);
    const removeListener = onAbort(signal, note);
    this.end = () => {
      stopWatching();
      removeListener();
    };
  }

  async next(): Promise<void> {
    if (!this.#hasChanged && !this.#signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#hasChanged = false;
  }
}
