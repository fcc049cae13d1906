import { expect, test } from "vitest";
import { z } from "zod";
import { SettingName, StatedSettings } from "../../../src/cli/settings/settings.ts";

const $schema = z.string().optional().describe("The location of this schema, for editors");
const $comment = z
  .union([z.string(), z.array(z.string())])
  .optional()
  .describe("A comment, of one line or several; it has no effect");
const schema = z.toJSONSchema(StatedSettings.extend({ $schema, $comment }), { io: "input" });

test("troupe.schema.json matches the settings; `vitest run -u` on this file writes it", async () => {
  const text = `${JSON.stringify({ title: "Settings of troupe", ...schema }, null, 2)}\n`;

  await expect(text).toMatchFileSnapshot("../../../troupe.schema.json");
});

test("every setting is described, and others are refused", () => {
  expect(schema.additionalProperties).toBe(false);
  for (const name of SettingName.options) {
    expect(schema.properties?.[name]).toMatchObject({ description: expect.any(String) });
  }
});
