import type { MemberName } from "../../protocol/ids.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import { renderItem } from "../render/item.ts";
import { paintFor } from "../render/paint.ts";
import { shown } from "../render/shown.ts";
import { cutItem, findCut } from "../screen/cut-texts.ts";
import { isShownIn } from "../screen/feeds.ts";
import { transcriptText } from "../screen/transcript-text.ts";
import type { MemberItem } from "./event-items.ts";
import type { Talk } from "./talk.ts";

/** No line is broken, because the reader may be a program, or have the lines read aloud. */
export const plainFormat = { width: 10_000, paint: paintFor(false), opener: "/show" };

/** The same, with nothing left out. */
export const wholeFormat = { ...plainFormat, isWhole: true };
/** How many items are kept, to show them in full. */
const kept = 400;
/** How many parts of a transcript are printed. */
const maxParts = 40;

/** What members say and do as plain lines, and all of what was printed only in part. */
export class PlainItems {
  readonly #items: MemberItem[] = [];
  /** The calls that a question has shown whole, by member and id. */
  readonly #asked = new Set<string>();
  #last: MemberItem | undefined;

  /** Takes note that a question has shown its call. */
  noteAsked({ type, from, subject }: TeamRequest): void {
    if (type === "permission") this.#asked.add(`${from} ${subject.call_id}`);
  }

  /** The lines of an item, which begin with the name of its member. */
  linesOf(told: MemberItem): string[] {
    const { member, item } = told;
    if (!isShownIn(member, told)) return [];
    const before = this.#last;
    this.#last = told;
    this.#items.push(told);
    if (this.#items.length > 2 * kept) this.#items.splice(0, kept);
    if (item.type === "text") {
      const goesOn = before?.member === member && before.item.type === "text";
      return ["", ...shown((goesOn ? "" : `${member}: `) + item.source.trim()).split("\n")];
    }
    const isAsked = item.type === "result" && this.#asked.delete(`${member} ${item.callId}`);
    const { lines } = renderItem(item, plainFormat, { showsChange: !isAsked });
    if (item.type === "mail") return lines;
    return lines.map((line, index) => (index === 0 ? `${member}: ${line.trimStart()}` : line));
  }

  /** All of the text that was printed in part so many texts ago; 1 is the last one. */
  async show(number: number, talk: Talk): Promise<string[]> {
    const newest = this.#items.map(({ item }) => item).reverse();
    const cut = findCut(newest, plainFormat);
    const item = cut[number - 1];
    if (item) return (await cutItem(item, talk).load())(wholeFormat);
    return [
      cut.length === 0
        ? "Nothing was shown only in part."
        : `Only ${cut.length} of the last texts were shown in part.`,
      "/show all prints what a member saw, said and did; /log lists it.",
    ];
  }
}

/** All that a member saw, said and did. */
export async function plainHistory(member: MemberName, talk: Talk): Promise<string[]> {
  const view = await talk.io.viewTeam(talk.teamDir);
  const { title, part, earlier } = await transcriptText(view, member);
  const parts = [part];
  let next = await earlier?.();
  for (; next && parts.length < maxParts; next = await earlier?.()) parts.unshift(next);
  const more = next ? ["Earlier entries are left out. `troupe log` lists them."] : [];
  return [`${title}:`, ...more, ...parts.flatMap((each) => each(wholeFormat))];
}
