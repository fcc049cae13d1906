import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { troupe, troupeIn } from "./troupe.ts";

test.each([
  ["no model", [], 2, "No model is chosen"],
  ["no key", ["--model", "anthropic/claude"], 1, "ANTHROPIC_API_KEY is not set"],
])("with %s three ways to start are shown, on stderr", async (_, flags, exit, problem) => {
  await using directory = await temporaryDirectory();

  const { code, out, err } = await troupe(directory.path, "run", "Go.", ...flags);

  expect({ code, out }).toEqual({ code: exit, out: [] });
  expect(err[0]).toContain(problem);
  const text = err.join("\n");
  expect(text).toContain("export ANTHROPIC_API_KEY=");
  expect(text).toContain("troupe --model ollama/<model>");
  expect(text).toContain("troupe demo");
  expect(text).toContain("troupe --model rehearsal");
  expect(text).not.toContain("    at ");
  const ways = err.slice(2).join("\n").split("\n");
  expect(ways.length).toBeGreaterThan(10);
  for (const line of ways) expect(line.length).toBeLessThanOrEqual(100);
});

test("other failures do not show them", async () => {
  await using directory = await temporaryDirectory();

  const { err } = await troupe(directory.path, "run", "Go.", "--model", "acme/gpt");

  expect(err).toHaveLength(2);
});

test("--env-file can set both the model and the key", async () => {
  await using directory = await temporaryDirectory();
  await writeFile(
    join(directory.path, "keys.env"),
    "TROUPE_MODEL=anthropic/claude\nANTHROPIC_API_KEY=sk-0123456789\nANTHROPIC_BASE_URL=nonsense\n",
  );

  const world = { root: directory.path, env: {} };
  const { code, err } = await troupeIn(world, "run", "Go.", "--env-file", "keys.env");

  expect(code).toBe(2);
  expect(err[0]).toContain("ANTHROPIC_BASE_URL is not the base URL");
});
