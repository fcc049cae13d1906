import type { MessageView } from "../../protocol/dashboard.ts";
import { RecordTable } from "./record-table.ts";

/** How many of the newest messages the room keeps, as the page does. */
export const windowSize = 1_000;
/** Lines that were set aside have no time and would stay in the window forever. */
const maxSetAside = 200;

/** The newest messages of all mailboxes in the order of sending. */
export class MessageWindow {
  readonly #views = new RecordTable<MessageView>(({ id }) => id);
  /** The keys in the order of sending. */
  #order: string[] = [];
  #setAside = 0;

  get(id: string): MessageView | undefined {
    return this.#views.get(id);
  }

  values(): MessageView[] {
    return this.#order.flatMap((id) => this.#views.get(id) ?? []);
  }

  since(revision: number): MessageView[] {
    return this.#views.since(revision);
  }

  /** False if nothing has changed: it is known, or too old for the window. */
  set(view: MessageView, revision: number): boolean {
    if (this.#views.get(view.id)) return this.#views.set(view, revision);
    if (view.sent_at === null && this.#setAside >= maxSetAside) return false;
    const place = this.#placeOf(view);
    if (place === 0 && this.#order.length >= windowSize) return false;
    this.#order.splice(place, 0, view.id);
    this.#views.set(view, revision);
    if (view.sent_at === null) this.#setAside += 1;
    if (this.#order.length > windowSize) this.#dropOldest();
    return true;
  }

  #dropOldest(): void {
    const oldest = this.#order.shift();
    if (oldest === undefined) return;
    if (this.#views.get(oldest)?.sent_at === null) this.#setAside -= 1;
    this.#views.delete(oldest);
  }

  /** The position of a message. Nearly all belong at the end. */
  #placeOf(view: MessageView): number {
    let place = this.#order.length;
    while (place > 0) {
      const before = this.#views.get(this.#order[place - 1] ?? "");
      if (!before || isEarlier(before, view)) return place;
      place -= 1;
    }
    return place;
  }
}

/** Whether `a` comes first in the order of sending, which the page has too. */
function isEarlier(a: MessageView, b: MessageView): boolean {
  const [first, second] = [a.sent_at ?? "~", b.sent_at ?? "~"];
  return first === second ? a.id < b.id : first < second;
}
