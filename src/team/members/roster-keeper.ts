import type { Signature } from "../../keys/signature.ts";
import type { MemberName, MessageId } from "../../protocol/ids.ts";
import type { MemberRecord, TeamPermissions, TeamRecord } from "../../protocol/team.ts";
import type { Roster } from "../../roster/roster.ts";
import { restoreSignedFields, signMember } from "./signed-fields.ts";
import { permissionsOf, signPermissions } from "./signed-permissions.ts";

/** So many orders to stop are remembered: more than are met again after a crash. */
const maxStops = 16;

type RosterEdit = (team: TeamRecord) => TeamRecord;

/**
 * Keeps the roster true. Changes that come while one is being written are written together. A
 * person's edit of the file counts, but for what decides over a member: that is as it was here.
 */
export class RosterKeeper {
  readonly #roster: Roster;
  readonly #signature: Signature;
  /** The members as this process knows them. */
  readonly #known = new Map<MemberName, MemberRecord>();
  #edits: RosterEdit[] = [];
  #next: Promise<TeamRecord> | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(roster: Roster, signature: Signature) {
    this.#roster = roster;
    this.#signature = signature;
  }

  read(): Promise<TeamRecord> {
    return this.#roster.read();
  }

  /** Trusts a record that is on disk already. */
  trust(member: MemberRecord): void {
    this.#known.set(member.name, member);
  }

  /** Adds a member, or replaces its record. Resolves when that is on disk. */
  upsert(member: MemberRecord): Promise<TeamRecord> {
    return this.#apply((team) => {
      const signed = this.#sign(member);
      const isKnown = team.members.some(({ name }) => name === member.name);
      const members = isKnown
        ? team.members.map((other) => (other.name === member.name ? signed : other))
        : [...team.members, signed];
      return { ...team, members };
    });
  }

  /** Changes a member's record. One that a person has taken out of the roster stays out. */
  change(name: MemberName, edit: (member: MemberRecord) => MemberRecord): Promise<TeamRecord> {
    return this.#apply((team) => ({
      ...team,
      members: team.members.map((member) =>
        member.name === name ? this.#sign(edit(this.#trusted(member))) : member,
      ),
    }));
  }

  /** Changes the records of all members that `edit` returns another record for. */
  changeAll(edit: (member: MemberRecord) => MemberRecord): Promise<TeamRecord> {
    return this.#apply((team) => ({
      ...team,
      members: team.members.map((member) => {
        const trusted = this.#trusted(member);
        const edited = edit(trusted);
        return edited === trusted ? member : this.#sign(edited);
      }),
    }));
  }

  /** Notes that the person's order to stop everybody was carried out. */
  noteStop(order: MessageId): Promise<TeamRecord> {
    return this.#apply((team) => ({
      ...team,
      stops: [...(team.stops ?? []), order].slice(-maxStops),
    }));
  }

  /** What the person decided for the whole team. */
  async permissions(): Promise<Omit<TeamPermissions, "sig">> {
    return permissionsOf(await this.read(), this.#signature);
  }

  changePermissions(
    edit: (known: Omit<TeamPermissions, "sig">) => Omit<TeamPermissions, "sig">,
  ): Promise<TeamRecord> {
    return this.#apply((team) => ({
      ...team,
      permissions: signPermissions(
        edit(permissionsOf(team, this.#signature)),
        team,
        this.#signature,
      ),
    }));
  }

  /** Resolves when everything that was changed so far is on disk. */
  async settled(): Promise<void> {
    await this.#next;
    await this.#last;
  }

  #trusted(member: MemberRecord): MemberRecord {
    const known = this.#known.get(member.name);
    return known ? restoreSignedFields(member, known) : member;
  }

  #sign(member: MemberRecord): MemberRecord {
    const signed = signMember(member, this.#signature);
    this.#known.set(member.name, signed);
    return signed;
  }

  #apply(edit: RosterEdit): Promise<TeamRecord> {
    this.#edits.push(edit);
    this.#next ??= this.#last.then(() => this.#write());
    return this.#next;
  }

  #write(): Promise<TeamRecord> {
    const edits = this.#edits;
    this.#edits = [];
    this.#next = undefined;
    const writing = this.#roster.update((team) =>
      edits.reduce((edited, edit) => edit(edited), team),
    );
    this.#last = writing.catch(() => undefined);
    return writing;
  }
}
