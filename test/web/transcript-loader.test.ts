import { expect, test } from "vitest";
import type { EntryView, RecordedRun } from "../../src/protocol/dashboard.ts";
import { RecordedSource } from "../../web/src/source/recorded-source.ts";
import { SourceError, type TranscriptPageQuery } from "../../web/src/source/source.ts";
import { keptEntries } from "../../web/src/views/transcript/loaded.ts";
import { TranscriptLoader } from "../../web/src/views/transcript/transcript-loader.ts";
import { TranscriptSearch } from "../../web/src/views/transcript/transcript-search.ts";
import { note, notes, pageOf, reply } from "./transcript-entries.ts";

/** A transcript that grows, is begun anew, or cannot be had, as the test wants it. */
class GrowingSource extends RecordedSource {
  readonly entries: EntryView[];
  readonly wishes: TranscriptPageQuery[] = [];
  isRestarted = false;
  failure: SourceError | null = null;

  constructor(entries: EntryView[]) {
    super(recorded(entries));
    this.entries = entries;
  }

  override async transcript(member: string, wish: TranscriptPageQuery) {
    this.wishes.push(wish);
    if (this.failure) throw this.failure;
    const isVoid = this.isRestarted && wish.after !== undefined;
    if (isVoid) return pageOf(this.entries, { is_restarted: true });
    return super.transcript(member, wish);
  }
}

function recorded(entries: EntryView[]): RecordedRun {
  const state = {
    ...{ version: "1", directory: "/", team: null, obstacle: null, running: null, members: [] },
    ...{ tasks: [], requests: [], rules: [], landings: [], messages: [], problems: [] },
  };
  const rest = { messages: [], cost: { times: [], members: [] }, left_out: [], masked: 0 };
  return { exported_at: "", state, transcripts: [{ member: "ada", entries }], ...rest };
}

function opened(count: number, { isAtEnd = true } = {}) {
  const source = new GrowingSource(notes(0, count));
  const place = { isAtEnd };
  const reader = new TranscriptLoader({ source, member: "ada", isAtEnd: () => place.isAtEnd });
  return { source, reader, place };
}

function shown({ loaded }: TranscriptLoader): [number, number] {
  const entries = loaded.value?.entries ?? [];
  return [Number(entries[0]?.cursor), Number(entries.at(-1)?.cursor)];
}

test("the newest entries are loaded first, and older ones on request", async () => {
  const { reader } = opened(250);

  await reader.follow();
  expect(shown(reader)).toEqual([150, 249]);
  await reader.showOlder();
  await reader.showOlder();
  expect(shown(reader)).toEqual([0, 249]);
  expect(reader.loaded.value?.before).toBeNull();
});

test("new entries are added after, once, however often they are reported", async () => {
  const { reader, source } = opened(10);
  await reader.follow();

  source.entries.push(note({ cursor: "10" }));
  await Promise.all([reader.follow(), reader.follow(), reader.follow()]);

  expect(shown(reader)).toEqual([0, 10]);
  expect(reader.loaded.value?.entries).toHaveLength(11);
  expect(source.wishes).toHaveLength(2);
});

test("a person who reads further up sees that there are new entries", async () => {
  const { reader, source } = opened(10, { isAtEnd: false });
  await reader.follow();
  expect(reader.hasNew.value).toBe(false);

  source.entries.push(note({ cursor: "10" }));
  await reader.follow();

  expect(reader.hasNew.value).toBe(true);
  expect(shown(reader)).toEqual([0, 10]);
});

test("a person who reads at the limit keeps the entries they read", async () => {
  const { reader, source, place } = opened(keptEntries + 500);
  await reader.follow();
  for (let page = 1; page < keptEntries / 100; page++) await reader.showOlder();
  place.isAtEnd = false;
  const before = shown(reader);

  source.entries.push(note({ cursor: String(keptEntries + 500) }));
  await reader.follow();

  expect(shown(reader)).toEqual(before);
  expect(reader.loaded.value?.hasNewest).toBe(false);
  await reader.showNewest();
  expect(shown(reader)[1]).toBe(keptEntries + 500);
});

test("a transcript that has grown a lot is shown from its new end", async () => {
  const { reader, source } = opened(10);
  await reader.follow();

  source.entries.push(...notes(10, 5_000));
  await reader.follow();

  expect(shown(reader)).toEqual([4_900, 4_999]);
});

test("an entry far up is shown with the entries around it, and reading continues from there", async () => {
  const { reader } = opened(1_000);
  await reader.follow();

  await reader.showEntry(note({ cursor: "300" }));
  expect(shown(reader)).toEqual([250, 350]);
  await reader.showNewer();
  await reader.showOlder();

  expect(shown(reader)).toEqual([150, 450]);
  expect(reader.loaded.value?.hasNewest).toBe(false);
});

test("a restarted transcript replaces the old one", async () => {
  const { reader, source } = opened(10);
  await reader.follow();

  source.isRestarted = true;
  source.entries.splice(0, 10, note({ cursor: "77" }));
  await reader.follow();

  expect(shown(reader)).toEqual([77, 77]);
});

test("a failed request is shown, and tried again", async () => {
  const { reader, source } = opened(10);
  source.failure = new SourceError({ code: "gone", message: "It is gone.", hint: "Wait." });

  await reader.follow();
  expect(reader.failure.value).toBe("It is gone. Wait.");
  source.failure = null;
  await reader.follow();

  expect(reader.failure.value).toBeNull();
  expect(shown(reader)).toEqual([0, 9]);
});

test("a live text is shown until its reply is, and never both or neither", async () => {
  const { reader, source } = opened(1);
  await reader.follow();
  reader.hear({ member: "ada", key: 1, kind: "writes", text: "Hello" });
  reader.hear({ member: "bob", key: 2, kind: "writes", text: "not mine" });
  const seen: string[] = [];
  const look = () => {
    const isLive = reader.live.value.texts.length > 0;
    const isWritten = reader.loaded.value?.entries.some(({ type }) => type === "reply");
    seen.push(`${isLive ? "live" : ""}${isWritten ? "written" : ""}`);
  };
  reader.loaded.subscribe(look);
  reader.live.subscribe(look);

  source.entries.push(reply({ cursor: "1" }, { type: "text", text: "Hello" }));
  await reader.follow();

  expect(seen).toEqual(["livewritten", "written"]);
});

test("a live text that was never written is removed at the next fetch", async () => {
  const { reader } = opened(10);
  await reader.follow();
  reader.hear({ member: "ada", key: 1, kind: "writes", text: "Half a" });
  reader.hear({ member: "ada", key: 2, kind: "writes", text: "" });
  expect(reader.live.value.texts.map(({ text }) => text)).toEqual(["Half a"]);

  await reader.follow();

  expect(reader.live.value.texts).toEqual([]);
});

test("a closed loader shows nothing", async () => {
  const { reader } = opened(10);
  const following = reader.follow();

  reader.close();
  await following;

  expect(reader.loaded.value).toBeNull();
});

test("a search finds the newest first, continues with older ones, and wraps around", async () => {
  const source = new GrowingSource(
    notes(0, 200).map((entry, index) => note(entry, index % 2 ? `odd ${index}` : "even")),
  );
  const search = new TranscriptSearch(source, "ada");

  await search.look("ODD");
  expect(search.findings.value?.entries).toHaveLength(50);
  await search.lookFurther();

  expect(search.findings.value?.entries).toHaveLength(100);
  expect((await search.go("next"))?.cursor).toBe("199");
  expect((await search.go("next"))?.cursor).toBe("197");
  expect((await search.go("previous"))?.cursor).toBe("199");
  expect((await search.go("previous"))?.cursor).toBe("1");
  expect((await search.go("next"))?.cursor).toBe("199");
  expect((await search.go(3))?.cursor).toBe("193");
});

test("after the last result older entries are searched, once, before it wraps around", async () => {
  const entries = notes(0, 60).map((entry) => note(entry, "the same"));
  const search = new TranscriptSearch(new GrowingSource(entries), "ada");
  await search.look("same");
  await search.go(49);

  const [next, impatient] = await Promise.all([search.go("next"), search.go("next")]);

  expect(next?.cursor).toBe("9");
  expect(impatient).toBeNull();
  expect(search.findings.value?.entries).toHaveLength(60);
  await search.go(59);
  expect((await search.go("next"))?.cursor).toBe("59");
});

test("a late answer to an earlier search is dropped", async () => {
  const search = new TranscriptSearch(new GrowingSource(notes(0, 30)), "ada");

  const first = search.look("1");
  await Promise.all([first, search.look("25")]);

  expect(search.findings.value?.entries.map(({ cursor }) => cursor)).toEqual(["25"]);
  await search.look("");
  expect(search.findings.value).toBeNull();
});
