import { lead, type MemberName, system } from "../../protocol/ids.ts";
import { traitsOf } from "../../protocol/tool-traits.ts";

/** What a run was like, as far as talk among teammates goes. */
export interface RunManner {
  self: MemberName;
  /** Whose mail had woken it. */
  wakers: ReadonlySet<MemberName>;
  calledTools: ReadonlySet<string>;
}

/** After so many runs of a pair that only talked, its mail no longer wakes. */
const maxRunsOfPair = 20;
/** The same for a member that talks with several in turn. */
const maxRunsOfMember = 60;

export interface ChatterGuardOptions {
  isTeammate(name: MemberName): boolean;
  /** Told that mail which lies unread may wake again. */
  onLifted(): void;
}

/**
 * Notices members that keep each other awake with nothing but messages, and stops them: their
 * mail still arrives, with the next run that has another reason.
 */
export class ChatterGuard {
  readonly #options: ChatterGuardOptions;
  readonly #ofPairs = new Map<string, number>();
  readonly #ofMembers = new Map<MemberName, number>();

  constructor(options: ChatterGuardOptions) {
    this.#options = options;
  }

  /** Takes a run into account. Returns who has just been muted with whom, to be told once. */
  note({ self, wakers: all, calledTools }: RunManner): MemberName[] {
    // What the runtime tells the lead, such as of chatter, is no reason to chat on.
    const wakers = [...all].filter((name) => self !== lead || name !== system);
    const hasWorked = [...calledTools].some((name) => !traitsOf(name).isChatter);
    if (wakers.length === 0 && !hasWorked) return [];
    if (hasWorked || !wakers.every((name) => this.#isMember(name))) {
      this.reset(self);
      return [];
    }
    const [peer] = wakers;
    // A lead may well be told of many runs in a row, and have nothing to do but to read.
    if (self !== lead && !wakers.includes(lead)) this.#count(this.#ofMembers, self);
    // Mail from a third member resets the pair's count.
    if (wakers.length > 1 || peer === undefined) this.#resetPairs(self);
    else this.#countPair(self, peer);
    return wakers.filter((name) => this.#isAtLimit(self, name));
  }

  /** True while mail from `from` does not wake `self`. */
  isMuted(self: MemberName, from: MemberName): boolean {
    if (!this.#isMember(from)) return false;
    const ofPair = this.#ofPairs.get(pairOf(self, from)) ?? 0;
    if (ofPair >= maxRunsOfPair) return true;
    return from !== lead && (this.#ofMembers.get(self) ?? 0) >= maxRunsOfMember;
  }

  /** It has something else to do: what it has said to others no longer counts. */
  reset(self: MemberName): void {
    this.#ofMembers.delete(self);
    this.#resetPairs(self);
  }

  #isMember(name: MemberName): boolean {
    return name === lead || this.#options.isTeammate(name);
  }

  #isAtLimit(self: MemberName, peer: MemberName): boolean {
    return (
      this.#ofPairs.get(pairOf(self, peer)) === maxRunsOfPair ||
      this.#ofMembers.get(self) === maxRunsOfMember
    );
  }

  #countPair(self: MemberName, peer: MemberName): void {
    const pair = pairOf(self, peer);
    this.#lift(this.#pairsWith(self).filter((other) => other !== pair));
    this.#count(this.#ofPairs, pair);
  }

  #count<Key>(counts: Map<Key, number>, key: Key): void {
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }

  #resetPairs(self: MemberName): void {
    this.#lift(this.#pairsWith(self));
  }

  #lift(pairs: readonly string[]): void {
    const wasMuted = pairs.some((pair) => (this.#ofPairs.get(pair) ?? 0) >= maxRunsOfPair);
    for (const pair of pairs) this.#ofPairs.delete(pair);
    if (wasMuted) this.#options.onLifted();
  }

  #pairsWith(self: MemberName): string[] {
    return [...this.#ofPairs.keys()].filter((pair) => pair.split(" ").includes(self));
  }
}

function pairOf(a: MemberName, b: MemberName): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}
