import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { run } from "../../src/cli/commands/run.ts";
import { talk } from "../../src/cli/commands/talk.ts";
import { SettingName, StatedSettings, withDefaults } from "../../src/cli/settings/settings.ts";
import { markdownTables } from "../support/markdown-tables.ts";

const page = readFileSync("docs/configuration.md", "utf8");
const rows = markdownTables(page).find(({ header: [first] }) => first === "Setting")?.rows ?? [];

test("the page has exactly the existing settings", () => {
  expect(rows.map(([name = ""]) => name.replaceAll("`", "")).sort()).toEqual(
    [...SettingName.options].sort(),
  );
});

test.each(rows)("%s has the flag on the page", (cell = "", flag) => {
  const name = cell.replaceAll("`", "");

  expect(flag).toBe(name in { ...talk.options, ...run.options } ? `\`--${name}\`` : "–");
});

test.each(rows)("%s has the default on the page", (cell = "", _flag, _value, shown) => {
  const value = withDefaults({})[SettingName.parse(cell.replaceAll("`", ""))];

  expect(shown).toBe(value === undefined ? "none" : `\`${JSON.stringify(value)}\``);
});

test("the example is a valid settings file", () => {
  const [, example = ""] = /```json\n(.*?)```/s.exec(page) ?? [];

  const { $schema: _, ...settings } = JSON.parse(example);

  expect(StatedSettings.parse(settings)).toEqual(settings);
});
