import { expect, test } from "vitest";
import { compaction, delivery, output } from "../../src/testing/conformance/transcript.ts";
import { deliveredPositions, positionsToCarry } from "../../src/transcript/transcript.ts";

test("the farthest delivery of each generation counts, in any order", () => {
  const entries = [
    delivery({ generation: 2, offset: 40 }),
    delivery({ generation: 1, offset: 900 }),
    output("unrelated"),
    delivery({ generation: 2, offset: 80 }),
    delivery({ generation: 1, offset: 500 }),
  ];

  expect(deliveredPositions(entries)).toEqual([
    { generation: 1, offset: 900 },
    { generation: 2, offset: 80 },
  ]);
});

test("deliveries repeated by a compaction count like the original ones", () => {
  const entries = [
    compaction("so far", [
      { generation: 3, offset: 70 },
      { generation: 4, offset: 10 },
    ]),
    delivery({ generation: 4, offset: 20 }),
  ];

  expect(deliveredPositions(entries)).toEqual([
    { generation: 3, offset: 70 },
    { generation: 4, offset: 20 },
  ]);
});

test("a compaction repeats the positions of the newest eight generations", () => {
  const entries = Array.from({ length: 20 }, (_, index) =>
    delivery({ generation: 20 - index, offset: 5 }),
  );

  const carried = positionsToCarry(entries);

  expect(carried.map(({ generation }) => generation)).toEqual([13, 14, 15, 16, 17, 18, 19, 20]);
});
