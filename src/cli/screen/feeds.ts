import { lead, type MemberName } from "../../protocol/ids.ts";
import { traitsOf } from "../../protocol/tool-traits.ts";
import type { MemberItem, TalkItem } from "../talk/event-items.ts";

/** How many items are kept per member, to show when its view is opened. */
const kept = 200;

/** The items of each member's view. */
export class Feeds {
  readonly #items = new Map<MemberName, MemberItem[]>();

  add(told: MemberItem): void {
    const { member, item } = told;
    this.#keep(member, told);
    if (item.type === "mail" && item.to !== member) this.#keep(item.to, told);
  }

  /** Adds what a member did before all that is known of it. */
  addPast(member: MemberName, items: readonly TalkItem[]): void {
    const past = items.map((item) => ({ member, item }));
    this.#items.set(member, [...past, ...(this.#items.get(member) ?? [])]);
  }

  /** The last items of a view, oldest first. */
  last(view: MemberName, count: number): MemberItem[] {
    return (this.#items.get(view) ?? []).filter((told) => isShownIn(view, told)).slice(-count);
  }

  #keep(view: MemberName, told: MemberItem): void {
    const items = this.#items.get(view) ?? [];
    items.push(told);
    if (items.length > 2 * kept) items.splice(0, kept);
    this.#items.set(view, items);
  }
}

/**
 * A member's view shows all of its own items; the lead's view also shows what matters of the
 * others.
 */
export function isShownIn(view: MemberName, { member, item }: MemberItem): boolean {
  if (isSaidByMail(item)) return false;
  if (item.type === "mail") return isMailFor(view, item);
  if (member === view) return true;
  if (view !== lead) return false;
  return item.type === "ended" || (item.type === "notice" && item.tone !== "quiet");
}

/** A result repeats what its sender has just said, which its own view has already. */
function isMailFor(
  view: MemberName,
  { from, to, kind }: Extract<TalkItem, { type: "mail" }>,
): boolean {
  if (from === view) return kind !== "result";
  return view === lead || to === view;
}

/** The mail itself is shown, so the call that sent it is not. */
function isSaidByMail(item: TalkItem): boolean {
  if (item.type !== "call" && item.type !== "result") return false;
  const hasFailed = item.type === "result" && item.isError;
  return !hasFailed && traitsOf(item.name).isShownAsMail === true;
}
