import { expect, test } from "vitest";
import type { WatchedText } from "../../web/src/state/page.ts";
import { heard, noLiveTexts, settled } from "../../web/src/views/transcript/live-text.ts";
import { note, reply, result, runEnd } from "./transcript-entries.ts";

const said = (key: number, text: string, kind: WatchedText["kind"] = "writes"): WatchedText => ({
  ...{ member: "ada", key, kind, text },
});
const textsOf = ({ texts }: typeof noLiveTexts) => texts.map(({ text }) => text);

test("a text grows, and another key is another text", () => {
  const first = heard(heard(noLiveTexts, said(1, "Hel"), 0), said(1, "Hello"), 0);

  expect(textsOf(first)).toEqual(["Hello"]);
  expect(textsOf(heard(first, said(2, "Next"), 0))).toEqual(["Hello", "Next"]);
});

test("an ended text stays until a fetch that was started after its end has arrived", () => {
  const ended = heard(heard(noLiveTexts, said(1, "Hello"), 3), said(2, ""), 3);

  expect(textsOf(settled(ended, { fetch: 3, entries: [] }))).toEqual(["Hello"]);
  expect(textsOf(settled(ended, { fetch: 4, entries: [] }))).toEqual([]);
});

test("a text is removed when the transcript has it, even before its end, and does not come back", () => {
  const growing = heard(noLiveTexts, said(1, "Hello"), 0);
  const entries = [reply({ cursor: "1" }, { type: "text", text: "Hello" })];

  const after = settled(growing, { fetch: 1, entries });

  expect(textsOf(after)).toEqual([]);
  expect(textsOf(heard(after, said(1, "Hello"), 1))).toEqual([]);
  expect(textsOf(heard(after, said(2, "Next"), 1))).toEqual(["Next"]);
});

test("other entries in the transcript remove no live text", () => {
  const growing = heard(noLiveTexts, said(1, "Hello"), 0);
  const entries = [note({ cursor: "1" }), reply({ cursor: "2" }, { type: "text", text: "Other" })];

  expect(textsOf(settled(growing, { fetch: 1, entries }))).toEqual(["Hello"]);
});

test("the output of a tool is removed with its result, and everything with the end of the run", () => {
  const running = heard(noLiveTexts, said(1, "line", "runs"), 0);
  const writing = heard(noLiveTexts, said(1, "Hello"), 0);

  expect(textsOf(settled(running, { fetch: 1, entries: [result({ cursor: "1" }, "a")] }))).toEqual(
    [],
  );
  expect(textsOf(settled(writing, { fetch: 1, entries: [runEnd({ cursor: "1" })] }))).toEqual([]);
});
