import { summarizeCall } from "../../lib/summarize-call.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import { renderItem } from "../render/item.ts";
import type { TextFormat } from "../render/paint.ts";
import type { TalkItem } from "../talk/event-items.ts";
import type { Talk } from "../talk/talk.ts";
import type { PagerPart } from "./pager.ts";
import { renderQuestion } from "./question-panel.ts";

/** Something that was shown only in part. */
export interface CutText {
  title: string;
  load(): Promise<PagerPart>;
}

/** The items that are shown only in part, of items that are given newest first. */
export function findCut(newestFirst: readonly TalkItem[], format: TextFormat): TalkItem[] {
  const answered = new Set<string>();
  return newestFirst.filter((item) => {
    if (item.type === "result") answered.add(item.callId);
    const isTold = item.type === "call" && answered.has(item.callId);
    return !isTold && isCut(item, format);
  });
}

/** A result stands for its call too. */
function isCut(item: TalkItem, format: TextFormat): boolean {
  if (renderItem(item, format).isCut) return true;
  return item.type === "result" && renderItem({ ...item, type: "call" }, format).isCut;
}

/** An item to open in full. A result is shown with its call. */
export function cutItem(item: TalkItem, talk: Pick<Talk, "io" | "teamDir">): CutText {
  return {
    title: titleOf(item),
    async load() {
      if (item.type === "result") return wholeOf([{ ...item, type: "call" }, item]);
      return wholeOf([item.type === "mail" ? await wholeMail(item, talk) : item]);
    },
  };
}

/** A question to open in full, such as a plan. */
export function cutQuestion(request: TeamRequest): CutText {
  const title = `${request.from} asks you`;
  return { title, load: async () => (format) => renderQuestion(request, format) };
}

function wholeOf(items: readonly TalkItem[]): PagerPart {
  return (format) => items.flatMap((item) => renderItem(item, { ...format, isWhole: true }).lines);
}

/** The event of a message has only the beginning of its content. */
async function wholeMail(
  item: Extract<TalkItem, { type: "mail" }>,
  { io, teamDir }: Pick<Talk, "io" | "teamDir">,
): Promise<TalkItem> {
  if (item.isWhole) return item;
  const found = await (await io.viewTeam(teamDir)).message(item.to, item.id);
  if (!found || found.state === "set aside") return item;
  return { ...item, preview: found.message.content, isWhole: true };
}

function titleOf(item: TalkItem): string {
  switch (item.type) {
    case "call":
    case "result":
      return `${item.name} ${summarizeCall(item.name, item.input)}`;
    case "mail":
      return `${item.from} to ${item.to}`;
    case "typed":
      return "your message";
    case "text":
    case "thought":
    case "ended":
    case "notice":
      return item.type;
  }
}
