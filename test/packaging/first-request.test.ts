import { mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { ProviderServer } from "../../src/testing/provider-server/provider-server.ts";
import { says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { providerEnvironment } from "../support/agent-on-wire.ts";
import { runNode } from "../support/programs.ts";

const scripts = resolve("dist/cli");

/** Writes down what is loaded when the first request is sent. */
const observer = `
const fs = require("node:fs");
const { internalBinding } = require("internal/test/binding");
const read = fs.readFileSync;
const files = [];
let schemas = 0;
// Zod calls this with each schema that is made.
globalThis.__zod_globalConfig = { postProcessor: () => void schemas++ };
fs.readFileSync = (path, ...rest) => {
  if (typeof path === "string") files.push(path);
  return read(path, ...rest);
};
const writeDown = () => {
  const { compiledWithoutCache } = internalBinding("builtins").getCacheUsage();
  const modules = process.moduleLoadList;
  const seen = { files, schemas, compiledAnew: [...compiledWithoutCache], modules };
  fs.writeFileSync(process.env.SEEN, JSON.stringify(seen), { flag: "wx" });
};
require("node:diagnostics_channel").subscribe("http.client.request.start", ({ request }) =>
  request.prependOnceListener("finish", writeDown),
);
`;

const Seen = z.object({
  files: z.array(z.string()),
  schemas: z.int(),
  compiledAnew: z.array(z.string()),
  modules: z.array(z.string()),
});

/** What a run has loaded when its first request is sent. */
async function seenAtFirstRequest() {
  await using directory = await temporaryDirectory();
  await using provider = await ProviderServer.start();
  provider.replyWith(() => says("Done."));
  const preload = join(directory.path, "observer.cjs");
  await writeFile(preload, observer);
  const workspace = join(directory.path, "workspace");
  await mkdir(workspace);
  const seen = join(directory.path, "seen.json");
  const flags = ["--expose-internals", "--require", preload];
  const { code, err } = await runNode(
    [...flags, join(scripts, "main.js"), "run", "Say hi.", "--cwd", workspace],
    {
      ...providerEnvironment(provider),
      TROUPE_MODEL: "anthropic/scripted",
      XDG_CACHE_HOME: join(directory.path, "cache"),
      XDG_STATE_HOME: join(directory.path, "state"),
      SEEN: seen,
    },
  );
  expect(code, err).toBe(0);
  return Seen.parse(JSON.parse(await readFile(seen, "utf8")));
}

test("the first request needs the scripts of the program, the team and one provider only", async () => {
  const { files } = await seenAtFirstRequest();

  const own = files.filter((path) => path.startsWith(scripts));
  expect(own.map((path) => path.slice(scripts.length + 1)).sort()).toEqual([
    "anthropic.js",
    "main.js",
    "models.js",
    "program.js",
    "team.js",
  ]);
});

// Where this fails, a file of the program has got code that a first request does without. Name that code's folder in
// `programFiles` of tsdown.config.ts, and load it with `import()`: every start reads all of these files.
test("what is read until the first request is not more than it was", async () => {
  const { files } = await seenAtFirstRequest();

  const own = files.filter((path) => path.startsWith(scripts));
  const sizes = await Promise.all(own.map(async (path) => (await stat(path)).size));
  expect((await stat(join(scripts, "program.js"))).size).toBeLessThan(1_130_000);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(1_960_000);
});

// A flag of V8 that a program sets makes Node compile all of its own modules that are loaded later.
test("no module of Node is compiled for the first request: V8 has the flags that Node was built with", async () => {
  const { compiledAnew } = await seenAtFirstRequest();

  expect(compiledAnew).toEqual([]);
});

test("modules of Node that start processes are not loaded before the first request", async () => {
  const { modules } = await seenAtFirstRequest();

  expect(modules).toContain("NativeModule _http_client");
  for (const name of ["child_process", "dgram", "http2", "tls"]) {
    expect(modules).not.toContain(`NativeModule ${name}`);
  }
});

// Of all that a start runs, schemas take longest; see packaging/lazy-schemas.ts. Each takes about 10 µs.
test("of 1,400 schemas, a third is made for the first request", async () => {
  const { schemas } = await seenAtFirstRequest();

  expect(schemas).toBeGreaterThan(100);
  expect(schemas).toBeLessThan(650);
});

test("what makes schemas of JSON Schemas is in a script of its own", async () => {
  const holds = async (name: string) =>
    (await readFile(join(scripts, name), "latin1")).includes("function fromJSONSchema(");

  expect(await holds("json-schema.js")).toBe(true);
  for (const name of ["program.js", "team.js"]) expect(await holds(name)).toBe(false);
});
