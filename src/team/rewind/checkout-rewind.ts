import type { GoingBack, KeptState, WentBack } from "../../checkouts/go-back.ts";
import { TeamError } from "../../errors.ts";
import { type MemberName, parseMemberName } from "../../protocol/ids.ts";
import { isUnlanded, type Landing } from "../../protocol/landing.ts";
import type { MemberCheckouts } from "../member-checkouts.ts";
import type { Supervisor } from "../supervisor.ts";
import type { TeamStore } from "../team-store.ts";

/** What taking a member's checkout back would do, and what it cannot take back. */
export interface CheckoutRewindPreview extends GoingBack {
  /** What stays as it is, each in a sentence for the person. */
  cannot: string[];
}

/** What taking a member's checkout back has done. */
export interface CheckoutRewindReport extends CheckoutRewindPreview, WentBack {}

interface RewoundEquipment {
  checkouts: Pick<MemberCheckouts, "states" | "previewGoingBack">;
  store: Pick<TeamStore, "landings">;
}

/** Takes the files of a member's checkout back to a state that was kept. */
export class CheckoutRewind {
  readonly #equipment: RewoundEquipment;
  readonly #supervisor: Pick<Supervisor, "members">;
  readonly #name: MemberName;

  constructor(equipment: RewoundEquipment, supervisor: Pick<Supervisor, "members">, name: string) {
    this.#equipment = equipment;
    this.#supervisor = supervisor;
    this.#name = parseMemberName(name);
  }

  states(): Promise<KeptState[]> {
    this.#supervisor.members.requireLiving(this.#name);
    return this.#equipment.checkouts.states(this.#name);
  }

  async preview(number: number): Promise<CheckoutRewindPreview> {
    this.#supervisor.members.requireLiving(this.#name);
    const preview = await this.#equipment.checkouts.previewGoingBack(this.#name, number);
    return { ...preview, cannot: await this.#whatStays(preview.state) };
  }

  /** While the member is at rest. What its checkout holds is kept before. */
  async rewind(number: number): Promise<CheckoutRewindReport> {
    const preview = await this.preview(number);
    const member = this.#supervisor.members.requireLiving(this.#name);
    const { backgroundJobs } = member.state;
    if (backgroundJobs.length > 0) throw runsCommands(this.#name, backgroundJobs);
    await member.order({ type: "go-back", number });
    const [before = preview.state] = await this.states();
    return { ...preview, before };
  }

  async #whatStays({ number }: KeptState): Promise<string[]> {
    const landings = await this.#equipment.store.landings.list();
    const later = landings.filter(
      ({ member, ref }) => member === this.#name && numberOf(ref) > number,
    );
    return [
      "Its conversation, its commits and its staged changes stay; git shows it the difference.",
      ...later.flatMap((landing) => aboutLanding(landing) ?? []),
    ];
  }
}

function numberOf(ref: string): number {
  return Number(/\/(\d+)$/.exec(ref)?.[1] ?? 0);
}

function aboutLanding(landing: Landing): string | undefined {
  const { id, member, target, state } = landing;
  if (state === "landed") {
    return `Landing ${id} stays on ${target} until the next work of ${member} lands there.`;
  }
  if (!isUnlanded(landing)) return undefined;
  return `Landing ${id} (${state}) contains later work: discard it if that must not land.`;
}

function runsCommands(name: MemberName, commands: readonly string[]): TeamError {
  return new TeamError("team-busy", `'${name}' has commands running: ${commands.join("; ")}`, {
    hint: "Ask it to end them, and try again.",
  });
}
