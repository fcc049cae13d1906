import { expect, test } from "vitest";
import { z } from "zod";
import {
  jsonSchemaCheck,
  orFromText,
  readSchema,
} from "../../../src/team/protocols/result-schema.ts";

test("a schema of Zod is shown as JSON for what is handed in, and its value is what it makes of that", async () => {
  const { check, json } = readSchema(z.object({ at: z.string().transform((text) => text.length) }));

  expect(json).toMatchObject({ type: "object", properties: { at: { type: "string" } } });
  expect(await check({ at: "noon" })).toEqual({
    ...{ type: "right", submitted: { at: "noon" }, value: { at: 4 } },
  });
});

test("a JSON Schema is itself what is shown, and decides", async () => {
  const schema = { type: "object", properties: { ok: { type: "boolean" } }, required: ["ok"] };
  const { check, json } = readSchema(schema);

  expect(json).toEqual(schema);
  expect(await check({ ok: true })).toMatchObject({ type: "right" });
  expect(await check({})).toMatchObject({ type: "wrong", problem: expect.stringMatching(/^ok: /) });
});

test.each([
  ["a text", "nonsense"],
  ["nothing", undefined],
  ["a type that there is none of", { type: "nonsense" }],
])("%s is no schema", (_, schema) => {
  expect(() => jsonSchemaCheck(schema)).toThrow(
    expect.objectContaining({ code: "config-invalid" }),
  );
});

test("a schema of Zod that cannot be written as JSON is refused", () => {
  expect(() => readSchema(z.object({ when: z.date() }))).toThrow(
    expect.objectContaining({ code: "config-invalid" }),
  );
});

test("problems say where they are, and of many the first ten are named", async () => {
  const { check } = readSchema(z.array(z.object({ a: z.string() })));
  const wrong = await check(Array.from({ length: 12 }, () => ({ a: 1 })));
  const whole = await check("x");

  const problems = wrong.type === "wrong" ? wrong.problem.split("; ") : [];
  expect(problems).toHaveLength(10);
  expect(problems[9]).toMatch(/^9\.a: /);
  expect(whole).toMatchObject({ problem: expect.stringMatching(/^Invalid input/) });
});

test("a check of the program that throws makes a value wrong", async () => {
  const { check } = readSchema(
    z.string().refine(() => {
      throw new Error("no database");
    }),
  );

  expect(await check("x")).toEqual({
    ...{ type: "wrong", problem: "the program's own check failed: no database" },
  });
});

test("a text that has the value as JSON is taken for it, unless the text itself is right", async () => {
  const { check } = readSchema(z.object({ ok: z.boolean() }));
  const text = readSchema(z.string());

  expect(await orFromText(check, '{"ok": true}')).toMatchObject({ value: { ok: true } });
  expect(await orFromText(text.check, '"x"')).toMatchObject({ value: '"x"' });
  const itself = await check("text");
  for (const submitted of ["text", '{"ok": 1}', "{"]) {
    expect(await orFromText(check, submitted)).toEqual(itself);
  }
  expect(await orFromText(check, 5)).toMatchObject({ type: "wrong" });
});
