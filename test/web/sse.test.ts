import { expect, test } from "vitest";
import { type SentEvent, SentEventParser } from "../../web/src/source/sse.ts";

const encoder = new TextEncoder();

/** A stream with everything that streams have, and lines that end by `end`. */
function streamWith(end: string): Uint8Array {
  const lines = [
    ...[": still here", ""],
    ...["id: e.1", "event: state", 'data: {"name":"Zoë 🎭"}', ""],
    ...["event:change", "data:no space", "data:  two spaces", "data", "data: a: b", ""],
    ...[
      "id: e.2",
      "event: live",
      "retry: 5",
      "unknown: x",
      "data: €",
      ": in between",
      "data: 日",
      "",
    ],
    ...["event: nothing", "id: e.3", ""],
    ...["data: unnamed", ""],
    ...["data: incomplete"],
  ];
  return encoder.encode(lines.join(end));
}

const expected: SentEvent[] = [
  { event: "state", data: '{"name":"Zoë 🎭"}', id: "e.1" },
  { event: "change", data: "no space\n two spaces\n\na: b", id: "e.1" },
  { event: "live", data: "€\n日", id: "e.2" },
  { event: "", data: "unnamed", id: "e.3" },
];

function parsed(...chunks: Uint8Array[]): SentEvent[] {
  const parser = new SentEventParser();
  return chunks.flatMap((chunk) => parser.push(chunk));
}

test.each([
  ["line feeds", "\n"],
  ["both", "\r\n"],
  ["carriage returns", "\r"],
])("a stream with line ends of %s is parsed the same, wherever it is split", (_name, end) => {
  const bytes = streamWith(end);

  for (let first = 0; first <= bytes.length; first++) {
    expect(parsed(bytes.subarray(0, first), bytes.subarray(first))).toEqual(expected);
  }
});

test("it is parsed the same in any three pieces, in single bytes, and in pieces of any one size", () => {
  const bytes = streamWith("\r\n");

  for (let first = 0; first <= bytes.length; first++) {
    for (const length of [0, 1, 2, 3]) {
      const second = first + length;
      const pieces = [bytes.subarray(0, first), bytes.subarray(first, second)];
      expect(parsed(...pieces, bytes.subarray(second))).toEqual(expected);
    }
  }
  for (let size = 1; size < 20; size++) {
    const count = Math.ceil(bytes.length / size);
    const pieces = Array.from({ length: count }, (_, index) =>
      bytes.subarray(index * size, (index + 1) * size),
    );
    expect(parsed(...pieces)).toEqual(expected);
  }
});

test("an event is emitted as soon as its empty line arrives, and not before", () => {
  const parser = new SentEventParser();

  expect(parser.push(encoder.encode("data: a\r\n"))).toEqual([]);
  expect(parser.push(encoder.encode("\r"))).toEqual([{ event: "", data: "a", id: "" }]);
  expect(parser.push(encoder.encode("\n"))).toEqual([]);
  expect(parser.push(encoder.encode("data: b\n\n"))).toEqual([{ event: "", data: "b", id: "" }]);
});

test("a byte order mark is not part of the first line", () => {
  expect(parsed(encoder.encode("\uFEFFdata: a\n\n"))).toEqual([{ event: "", data: "a", id: "" }]);
});

test("an id with a NUL is ignored, and an empty one resets the last", () => {
  const text = "id: e.1\ndata: a\n\nid: e\0\ndata: b\n\nid\ndata: c\n\n";

  expect(parsed(encoder.encode(text)).map(({ id }) => id)).toEqual(["e.1", "e.1", ""]);
});

test("empty data is an event, and missing data is not", () => {
  expect(parsed(encoder.encode("data\n\nevent: state\n\n"))).toEqual([
    { event: "", data: "", id: "" },
  ]);
});

test("a value can contain separators that are not line ends", () => {
  expect(parsed(encoder.encode("data: a\u2028b\u0085c\n\n"))).toEqual([
    { event: "", data: "a\u2028b\u0085c", id: "" },
  ]);
});
