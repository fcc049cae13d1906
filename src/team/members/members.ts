import { TeamError } from "../../errors.ts";
import { Listeners } from "../../lib/listeners.ts";
import { lead, type MemberName } from "../../protocol/ids.ts";
import type { TeamMember } from "./team-member.ts";

/** Everybody whom this process runs or has run, and who wants to know when that changes. */
export class Members {
  readonly #members = new Map<MemberName, TeamMember>();
  readonly #changes = new Listeners<void>();

  get(name: MemberName): TeamMember | undefined {
    return this.#members.get(name);
  }

  require(name: MemberName): TeamMember {
    const member = this.#members.get(name);
    if (member) return member;
    throw new TeamError("member-unknown", `'${name}' does not run`, {
      hint: `Running: ${[...this.#members.keys()].join(", ")}.`,
    });
  }

  /** Adds a member, or puts it in the place of the one that had its name. */
  add(member: TeamMember): void {
    this.#members.set(member.name, member);
  }

  get lead(): TeamMember {
    return this.require(lead);
  }

  get all(): TeamMember[] {
    return [...this.#members.values()];
  }

  /** Everybody who has not ended, the lead first. */
  get living(): TeamMember[] {
    return this.all.filter(({ hasEnded }) => !hasEnded);
  }

  get livingTeammates(): TeamMember[] {
    return this.living.filter(({ name }) => name !== lead);
  }

  /** How many runs there were in all. */
  get runs(): number {
    return this.all.reduce((sum, { runs }) => sum + runs, 0);
  }

  isTeammate(name: MemberName): boolean {
    return name !== lead && this.#members.has(name);
  }

  isBusy(name: MemberName): boolean {
    return this.#members.get(name)?.isBusy ?? false;
  }

  get isAnyTeammateBusy(): boolean {
    return this.livingTeammates.some(({ isBusy }) => isBusy);
  }

  /** Calls back whenever anything about any member may have changed. */
  onChange(listener: () => void): () => void {
    return this.#changes.add(listener);
  }

  /** Has everybody who waits for a change look again. */
  changed(): void {
    this.#changes.emit();
  }
}
