import type { EntryView, TranscriptPage } from "../../protocol/dashboard.ts";
import type { TranscriptQuery } from "../../protocol/dashboard-requests.ts";
import type { TeamObserver } from "../../team/team-observer.ts";
import type { TranscriptFile } from "../../team/transcript-file.ts";
import { entryHas, entryView } from "./entry-view.ts";

/** So much is looked at for one page. */
const maxScannedLines = 20_000;
const maxScannedBytes = 32 * 1024 * 1024;

/** What a transcript that nobody has begun is gone on from. */
const noFile = "none";

/** A part of a member's transcript: the newest, what lies before a place, or what came after one. */
export async function transcriptPage(
  observer: TeamObserver,
  name: string,
  query: TranscriptQuery,
): Promise<TranscriptPage> {
  const member = observer.findMember(name);
  await using file = await observer.transcript(member).open();
  const wish = placeIn(query.after ?? query.before);
  if (!file) {
    const isRestarted = wish !== undefined && wish.file !== noFile;
    return { member, entries: [], before: null, after: `${noFile}.0`, is_restarted: isRestarted };
  }
  if (wish?.file === noFile && query.after !== undefined) {
    return { member, ...(await readOn(file, 0, query)), is_restarted: false };
  }
  if (!wish || wish.file !== file.id || wish.offset > file.size) {
    const newest = await readBack(file, undefined, query);
    return { member, ...newest, is_restarted: wish !== undefined };
  }
  const part =
    query.after === undefined
      ? await readBack(file, wish.offset, query)
      : await readOn(file, wish.offset, query);
  return { member, ...part, is_restarted: false };
}

type Part = Pick<TranscriptPage, "entries" | "before" | "after">;

async function readBack(
  file: TranscriptFile,
  to: number | undefined,
  { limit, search }: TranscriptQuery,
): Promise<Part> {
  const wanted = search?.toLowerCase();
  const entries: EntryView[] = [];
  let first: number | undefined;
  let end = to;
  let lines = 0;
  for await (const line of file.backwards(to)) {
    end ??= line.end;
    first = line.offset;
    lines += 1;
    const view = entryView(line, cursorOf(file, line.offset));
    if (view && (wanted === undefined || entryHas(view, wanted))) entries.push(view);
    const isFull = lines >= maxScannedLines || end - first >= maxScannedBytes;
    if (entries.length >= limit || isFull) break;
  }
  return {
    entries: entries.reverse(),
    before: first ? cursorOf(file, first) : null,
    after: cursorOf(file, end ?? 0),
  };
}

async function readOn(
  file: TranscriptFile,
  from: number,
  { limit, search }: TranscriptQuery,
): Promise<Part> {
  const wanted = search?.toLowerCase();
  const entries: EntryView[] = [];
  let end = from;
  let lines = 0;
  for await (const line of file.forwards(from)) {
    end = line.end;
    lines += 1;
    const view = entryView(line, cursorOf(file, line.offset));
    if (view && (wanted === undefined || entryHas(view, wanted))) entries.push(view);
    const isFull = lines >= maxScannedLines || end - from >= maxScannedBytes;
    if (entries.length >= limit || isFull) break;
  }
  return {
    entries,
    before: from > 0 ? cursorOf(file, from) : null,
    after: cursorOf(file, end),
  };
}

function cursorOf({ id }: TranscriptFile, offset: number): string {
  return `${id}.${offset}`;
}

/** A place in some file; one that is none of ours is in no file that there is. */
function placeIn(cursor: string | undefined): { file: string; offset: number } | undefined {
  if (cursor === undefined) return undefined;
  const [, file = "?", offset = "0"] = /^([a-z0-9-]{1,60})\.(\d{1,15})$/.exec(cursor) ?? [];
  return { file, offset: Number(offset) };
}
