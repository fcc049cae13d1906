import type { Agent } from "../../agent/agent.ts";
import type { Clock } from "../../lib/clock.ts";
import type { MemberName } from "../../protocol/ids.ts";
import type { Message } from "../../protocol/message.ts";
import type { MemberStatus } from "../../protocol/team.ts";
import type { EventHub } from "../event-hub.ts";
import type { OpenMember } from "./open-member.ts";
import type { TeamMember } from "./team-member.ts";

/** What a member is given: how it is opened, what wakes it, and who is told of it. */
export interface TeamMemberOptions {
  name: MemberName;
  hub: EventHub;
  clock: Clock;
  /** True where it goes on by itself with a run that was cut short. */
  goesOnByItself: boolean;
  open(): Promise<OpenMember>;
  /** Whether unread mail is worth a run, or a turn of one. */
  isWorthwhile(unread: readonly Message[], member: TeamMember): boolean;
  /** Sees to everything that the end of a run brings about. Called again until it has resolved. */
  settle(member: TeamMember, agent: Agent): Promise<void>;
  /** Told of the status for the roster. */
  onStatus(status: MemberStatus, detail: string | undefined): void;
  /** Told of a throw in its loop, when nothing of it runs any more. */
  onCrash(reason: string): void;
  /** Told whenever it wakes, falls asleep or ends. */
  onChange(): void;
  /** Told that mail may have come, also in the middle of a run. */
  onMail(): void;
}
