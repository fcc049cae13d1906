import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { secretsBelow } from "../../src/permissions/home-secrets.ts";

test("the hidden places of a home directory are those of the code", async () => {
  const page = await readFile("docs/security.md", "utf8");
  const [, section = ""] = /### Hidden places\n\n(.*?)Besides/s.exec(page) ?? [];

  const named = [...section.matchAll(/`([^`]+)`/g)].map(([, name]) => `/home/you/${name}`);

  expect(named).toEqual(secretsBelow("/home/you"));
});
