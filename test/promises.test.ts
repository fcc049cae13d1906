import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const promises = [...readFileSync("docs/promises.md", "utf8").matchAll(/^\| (P\d\d) \|/gm)].map(
  ([, id]) => id,
);

const tests = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  // The controls below have skips in them, as texts.
  .filter((name) => name !== "promises.test.ts")
  .map((name) => ({ name, text: readFileSync(join("test", name), "utf8") }));

const endToEndTests = tests.filter(({ name }) => name.startsWith("e2e/"));

/** The promises that the titles of end-to-end tests begin with. */
const named = endToEndTests.flatMap(({ text }) => promisesNamedIn(text));

/** Those in the titles of tests that run: `test(…)`, or `test.each(…)(…)` with parentheses in pairs. */
function promisesNamedIn(text: string): string[] {
  const titles =
    /(?<![.\w])(?:test|describe)(?:\.each(?:<[^"`]*>)?\((?:[^()]|\([^()]*\))*\))?\(\s*["`]((?:P\d\d[ ,]+)+)/g;
  return [...withoutComments(text).matchAll(titles)].flatMap(
    ([, ids = ""]) => ids.match(/P\d\d/g) ?? [],
  );
}

function withoutComments(text: string): string {
  return text.replace(/^\s*\/\*[\s\S]*?\*\//gm, "").replace(/(?<=^|\s)\/\/.*$/gm, "");
}

/** Why a test may be skipped: a program is missing, or the system has no such thing. */
const grounds = [
  // CI has these, and fails without them.
  "noBrowser",
  "noTmux",
  "noSandbox",
  // zsh and fish, which somebody who does not use them need not have.
  "noShell",
  'process.platform === "linux"',
  "process.getuid?.() === 0",
  "process.getuid?.() !== 0",
  "!mayChangeUser",
];

/** How tests are left out, each as `skipIf(condition)`, or by its name alone. */
function skipsIn(text: string): string[] {
  const skips =
    /(?<![.\w])(?:test|describe)\.((?:skipIf|runIf)\((?:[^()]|\(\))*\)|(?:skip|todo|only|fails)\b)/g;
  return [...withoutComments(text).matchAll(skips)].map(([, how = ""]) => how);
}

function isAnySkipped(text: string): boolean {
  return skipsIn(text).length > 0;
}

function isGrounded(skip: string): boolean {
  const [, condition = ""] = /^(?:skipIf|runIf)\((.*)\)$/.exec(skip) ?? [];
  return condition.split(" || ").every((part) => grounds.includes(part));
}

test("every promise is listed once, in order", () => {
  const first = Array.from({ length: 25 }, (_, index) => `P${String(index + 1).padStart(2, "0")}`);
  const later = ["P37"].filter((id) => promises.includes(id));
  const rooms = ["P26", "P27", "P28", "P29", "P30", "P31"].filter((id) => promises.includes(id));
  expect(promises).toEqual([...first, ...rooms, "P36", ...later, "P38", "P39", "P40"]);
});

test.each(promises)("%s is named by an end-to-end test", (id) => {
  expect(named).toContain(id);
});

test("no end-to-end test is skipped, but for those of a sandbox that this machine lacks", () => {
  const skipping = endToEndTests.filter(({ text }) =>
    skipsIn(text).some((skip) => skip !== "skipIf(noSandbox)"),
  );
  expect(skipping.map(({ name }) => name)).toEqual([]);
});

test("other tests are skipped only if a program or system feature is missing", () => {
  const skipping = tests.flatMap(({ name, text }) => {
    const groundless = skipsIn(text).filter((skip) => !isGrounded(skip));
    return groundless.map((skip) => `${name}: ${skip}`);
  });
  expect(skipping).toEqual([]);
});

test.each(["skip", "todo", "only", "fails", "skipIf(true)", "runIf(isSlow)", "skipIf(!noTmux)"])(
  "control: a test with .%s is found, and has no reason to be skipped",
  (how) => {
    const [skip] = skipsIn(`test.${how}("shuts down", () => {});`);

    expect(skip).toBe(how);
    expect(isGrounded(how)).toBe(false);
  },
);

test.each(["skipIf(noTmux)", "runIf(process.getuid?.() === 0)"])(
  "control: a test with .%s is found, and has a reason",
  (how) => {
    expect(skipsIn(`describe.${how}.each([1])("shuts down", () => {});`)).toEqual([how]);
    expect(isGrounded(how)).toBe(true);
  },
);

test.each([
  'test("P07 P08 shuts down", () => {});',
  'test.each(["kill", "leave"] as const)(\n  "P07 P08 shuts down after a %s", () => {});',
  'test.each<[string, () => void]>([["a", f(1)]])("P07 P08 shuts down", () => {});',
  "describe(`P07, P08 shut down`, () => {});",
])("control: the promises of a test that runs are found: %s", (text) => {
  expect(promisesNamedIn(text)).toEqual(["P07", "P08"]);
  expect(isAnySkipped(text)).toBe(false);
});

test.each([
  '// P07 is not here\ntest("shuts down", () => {});',
  '// test("P07 shuts down", () => {});',
  'done(); // test("P07 shuts down", () => {});',
  '/*\ntest("P07 shuts down", () => {});\n*/',
  'my.test("P07 shuts down", () => {});',
])("control: a promise that only a comment names is not found: %s", (text) => {
  expect(promisesNamedIn(text)).toEqual([]);
});

test.each(["skip", "todo", "fails", "only", "skipIf(true)"])(
  "control: a promise of a test with .%s is not found, and the test is reported",
  (how) => {
    const text = `test.${how}("P07 shuts down", () => {});`;

    expect(promisesNamedIn(text)).toEqual([]);
    expect(isAnySkipped(text)).toBe(true);
  },
);
