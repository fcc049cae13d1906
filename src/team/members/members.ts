import { TeamError } from "../../errors.ts";
import { Listeners } from "../../lib/listeners.ts";
import { lead, type MemberName } from "../../protocol/ids.ts";
import { isBusy, type MemberHandle } from "./member-handle.ts";

/** Everybody who runs or has run for this team, and who wants to know when that changes. */
export class Members {
  readonly #members = new Map<MemberName, { handle: MemberHandle; stop: () => void }>();
  /** The members at rest, longest first. */
  readonly #resting = new Set<MemberName>();
  readonly #onChange: (name: MemberName) => void;
  readonly #changes = new Listeners<void>();

  /** `onChange` is called with the name of a changed member before the listeners. */
  constructor(onChange: (name: MemberName) => void) {
    this.#onChange = onChange;
  }

  get(name: MemberName): MemberHandle | undefined {
    return this.#members.get(name)?.handle;
  }

  require(name: MemberName): MemberHandle {
    const member = this.get(name);
    if (member) return member;
    throw new TeamError("member-unknown", `'${name}' does not run`, {
      hint: `Running: ${[...this.#members.keys()].join(", ")}.`,
    });
  }

  /** Throws where it has ended, too. */
  requireLiving(name: MemberName): MemberHandle {
    const member = this.require(name);
    if (!member.state.hasEnded) return member;
    throw new TeamError("member-ended", `'${name}' has ended`, {
      hint: `Running: ${this.living.map((each) => each.name).join(", ")}.`,
    });
  }

  /** Adds a member, or puts it in the place of the one that had its name. */
  add(handle: MemberHandle): void {
    const { name } = handle;
    this.#members.get(name)?.stop();
    const stop = handle.onChange(() => {
      this.#noteRest(handle);
      this.#onChange(name);
    });
    this.#members.set(name, { handle, stop });
    this.#noteRest(handle);
  }

  /** The teammates that have not ended, those first that have rested longest. */
  get byRest(): MemberHandle[] {
    const order = [...this.#resting];
    const place = ({ name }: MemberHandle) => order.indexOf(name);
    return this.livingTeammates.sort((a, b) => place(a) - place(b));
  }

  /** By the order in which this process heard of it: clocks of other machines tell nothing here. */
  #noteRest(handle: MemberHandle): void {
    if (isBusy(handle)) this.#resting.delete(handle.name);
    else this.#resting.add(handle.name);
  }

  get lead(): MemberHandle {
    return this.require(lead);
  }

  get all(): MemberHandle[] {
    return [...this.#members.values()].map(({ handle }) => handle);
  }

  /** Everybody who has not ended, the lead first. */
  get living(): MemberHandle[] {
    return this.all.filter(({ state }) => !state.hasEnded);
  }

  get livingTeammates(): MemberHandle[] {
    return this.living.filter(({ name }) => name !== lead);
  }

  /** How many runs there were in all. */
  get runs(): number {
    return this.all.reduce((sum, { state }) => sum + state.runs, 0);
  }

  isTeammate(name: MemberName): boolean {
    return name !== lead && this.#members.has(name);
  }

  isBusy(name: MemberName): boolean {
    const member = this.get(name);
    return member !== undefined && isBusy(member);
  }

  get isAnyTeammateBusy(): boolean {
    return this.livingTeammates.some(isBusy);
  }

  /** Calls back whenever anything about any member may have changed. */
  onChange(listener: () => void): () => void {
    return this.#changes.add(listener);
  }

  /** Calls the listeners of `onChange`. */
  changed(): void {
    this.#changes.emit();
  }
}
