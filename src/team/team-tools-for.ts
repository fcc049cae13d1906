import { TeamError } from "../errors.ts";
import { lead, type MemberName, type MessageId, parseTeammateName } from "../protocol/ids.ts";
import { wakes } from "../protocol/message-types.ts";
import type {
  CronAccess,
  LeadAccess,
  TeamAccess,
  TeammateAccess,
} from "../tools/team/team-access.ts";
import { coordinationTools, leadTools, teammateTools } from "../tools/team/team-tools.ts";
import type { Tool } from "../tools/tool.ts";
import { broadcast } from "./broadcast.ts";
import type { OwnMail } from "./members/member-definition.ts";
import { waitForRuns } from "./protocols/waiting.ts";
import { wakeForMail } from "./quiescence.ts";
import type { Supervisor } from "./supervisor.ts";

export interface TeamToolsOptions {
  supervisor: Supervisor;
  timetable: CronAccess;
  own: OwnMail;
  /** Whether the lead has the tool that hands in results. */
  hasResults: boolean;
  /** Whether there are roles for teammates. */
  hasRoles: boolean;
}

/** The tools by which a member works with the others, each made for this member alone. */
export function teamToolsFor(
  self: MemberName,
  { supervisor, timetable, own, hasResults, hasRoles }: TeamToolsOptions,
): readonly Tool[] {
  const colleagues = colleaguesOf(self, supervisor, own);
  const common = coordinationTools({ colleagues, tasks: supervisor.protocols.tasks.deskOf(self) });
  return self === lead
    ? [
        ...common,
        ...leadTools({ leadership: leadershipOf(supervisor, hasRoles), timetable }, hasResults),
      ]
    : [...common, ...teammateTools({ following: followingOf(self, supervisor) })];
}

function colleaguesOf(self: MemberName, supervisor: Supervisor, own: OwnMail): TeamAccess {
  return {
    roster: () => supervisor.protocols.keeper.read(),
    takeMail: own.takeMail,
    async send(to, content) {
      if (to.toLowerCase() === self) {
        throw new TeamError("message-invalid", "That is you", {
          hint: "Write to somebody else, or just go on with your work.",
        });
      }
      const { to: recipient } = await supervisor.protocols.post.send(to, {
        type: "message",
        from: self,
        content,
      });
      return { to: recipient, note: obstacleTo(recipient, self, supervisor) };
    },
  };
}

/** Why mail to a member may not be read soon. */
function obstacleTo(
  name: MemberName,
  sender: MemberName,
  supervisor: Supervisor,
): string | undefined {
  const member = supervisor.members.get(name);
  if (!member) return `${name} does not run: its mail waits until it is spawned again`;
  const { exhausted, failure } = member.state;
  if (exhausted) return `${name} does not read it for now: ${exhausted}`;
  if (failure !== undefined && sender !== lead) {
    return `${name} has failed and does not read it until the lead writes to it`;
  }
  return undefined;
}

function leadershipOf(supervisor: Supervisor, hasRoles: boolean): LeadAccess {
  const { options, members } = supervisor;
  const { plans, shutdowns } = supervisor.protocols;
  return {
    hasRoles,
    broadcast: (content) => broadcast(supervisor, lead, content),
    async spawn(request) {
      const { record, notes } = await supervisor.spawn(lead, request);
      return { name: record.name, role: record.role, notes };
    },
    decidePlan: (id, answer) => plans.decide(lead, id, answer),
    submitResult: (id, value) => supervisor.protocols.results.submit(id, value),
    findShutdown: (id) => shutdowns.find(id),
    async requestShutdown(teammate, { force }) {
      const name = await liveTeammate(supervisor, teammate);
      // A member that could not be opened cannot answer.
      if (!force && members.get(name)) return shutdowns.ask(lead, name);
      await supervisor.end(name, { reason: "the lead shut it down by force", expected: true });
      return undefined;
    },
    async waitForTeammates({ names, mode, timeoutMs }, signal) {
      const { reader } = await options.store.openMember(lead, { onSetAside: () => undefined });
      const awaited = names?.length
        ? await Promise.all(names.map((name) => liveTeammate(supervisor, name)))
        : members.livingTeammates.map(({ name }) => name);
      const shown = new Map<MemberName, MessageId>();
      return waitForRuns(
        {
          names: awaited,
          mode,
          timeoutMs,
          isBusy: (name) => members.isBusy(name),
          wakeForMail: (names) =>
            wakeForMail(
              options.store,
              names.flatMap((name) => members.get(name) ?? []),
              shown,
            ),
          news: async () =>
            (await reader.unread()).map(({ message }) => message).filter((it) => wakes(it)),
          onChange: (listener) => members.onChange(listener),
          clock: options.clock,
        },
        signal,
      );
    },
  };
}

function followingOf(self: MemberName, { protocols }: Supervisor): TeammateAccess {
  return {
    answerShutdown: (id, answer) => protocols.shutdowns.answer(self, id, answer),
    submitPlan: (plan) => protocols.plans.submit(self, plan),
  };
}

/** A teammate that is there, by the name a model wrote. */
async function liveTeammate(supervisor: Supervisor, text: string): Promise<MemberName> {
  const name = parseTeammateName(text);
  const member = supervisor.members.get(name);
  if (member ? !member.state.hasEnded : await isEnlisted(name, supervisor)) return name;
  const alive = supervisor.members.livingTeammates.map((it) => it.name);
  const hint = alive.length > 0 ? `Teammates: ${alive.join(", ")}.` : "There are no teammates.";
  if (!member) throw new TeamError("member-unknown", `No teammate is named '${name}'`, { hint });
  throw new TeamError("member-ended", `'${name}' is shut down already`, { hint });
}

/** True for a teammate that is in the roster, though it may not run. */
async function isEnlisted(name: MemberName, { protocols }: Supervisor): Promise<boolean> {
  const { members } = await protocols.keeper.read();
  return members.some((member) => member.name === name && member.status !== "shutdown");
}
