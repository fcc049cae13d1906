import { expect, test } from "vitest";
import { z } from "zod";
import { parseValue } from "../../src/lib/parse-value.ts";

/** Counts how many values were parsed without a compiled parser. */
function counting() {
  const contexts: (boolean | undefined)[] = [];
  const schema = z.object({ name: z.string() });
  const { run } = schema._zod;
  schema._zod.run = (payload, context) => {
    contexts.push(context.jitless);
    return run(payload, context);
  };
  return { schema, contexts };
}

test("each schema is compiled only after it has parsed many values", () => {
  const { schema, contexts } = counting();
  const other = counting();

  for (let count = 0; count < 103; count++) parseValue(schema, { name: "alice" });
  parseValue(other.schema, { name: "alice" });

  expect(contexts.filter((jitless) => jitless)).toHaveLength(100);
  expect(contexts.slice(100)).toEqual([undefined, undefined, undefined]);
  expect(other.contexts).toEqual([true]);
});

test.each([1, 200])("value %d of a schema is checked and stripped the same way", (values) => {
  const schema = z.object({ name: z.string().min(2) });
  for (let count = 1; count < values; count++) parseValue(schema, { name: "alice" });

  expect(parseValue(schema, { name: "bob", more: 1 })).toEqual({
    success: true,
    data: { name: "bob" },
  });
  expect(parseValue(schema, { name: "b" }).error?.issues).toMatchObject([{ path: ["name"] }]);
});
