import { Secrets } from "../../src/lib/secrets.ts";
import type { AgentEvent } from "../../src/protocol/events.ts";
import { lead, type MemberName } from "../../src/protocol/ids.ts";
import type { Message, MessageDraft } from "../../src/protocol/message.ts";
import { Members } from "../../src/team/members/members.ts";
import { MemoryTeamStore } from "../../src/team/memory-team-store.ts";
import { openProtocols } from "../../src/team/protocols/protocols.ts";
import type { MemberStore } from "../../src/team/team-store.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { noCheckouts } from "./no-checkouts.ts";
import { SetMember } from "./set-member.ts";

/** A store in memory, some calls of which a test holds back or makes fail. */
export class ControlledStore extends MemoryTeamStore {
  /** Awaited before the mail of a member is opened. */
  beforeOpen: (name: MemberName) => Promise<void> = async () => undefined;
  /** Awaited before mail is sent. Mail that was held back arrives, even if its recipient has ended. */
  beforeSend: (to: string) => Promise<void> = async () => undefined;

  override async openMember(
    ...given: Parameters<MemoryTeamStore["openMember"]>
  ): Promise<MemberStore> {
    await this.beforeOpen(given[0]);
    return super.openMember(...given);
  }

  override async send(to: string, draft: MessageDraft): Promise<Message> {
    await this.beforeSend(to);
    return super.send(to, draft);
  }

  /** Mail of another process, which did not know that the recipient has ended. */
  async leaveMail(at: MemberName, draft: MessageDraft): Promise<Message> {
    const { mailbox } = await super.openMember(at, { onSetAside: () => undefined });
    return mailbox.append(draft);
  }

  async unreadOf(name: MemberName): Promise<Message[]> {
    const { reader } = await super.openMember(name, { onSetAside: () => undefined });
    return (await reader.unread()).map(({ message }) => message);
  }

  /** The events of one type, without their times. */
  async eventsOf(type: AgentEvent["type"]): Promise<Omit<AgentEvent, "at">[]> {
    await this.events.flush();
    const all = this.events.newest(1_000).map(({ event: { at: _, ...event } }) => event);
    return all.filter((event) => event.type === type);
  }
}

/** The protocols of a team whose only open member is a lead that does nothing. */
export function openTestProtocols() {
  const clock = new ManualClock();
  const store = new ControlledStore({ clock });
  const members = new Members(() => undefined);
  members.add(new SetMember(lead));
  const warnings: string[] = [];
  const protocols = openProtocols({
    ...{ store, clock, members, secrets: new Secrets([]), rules: [], planApprover: lead },
    checkouts: noCheckouts,
    reviewTask: async () => undefined,
    ...{ graceMs: 5_000, autoclaim: false, isPaused: () => false },
    onWarning: (message) => void warnings.push(message),
    end: async () => undefined,
  });
  return { clock, store, members, protocols, warnings };
}
