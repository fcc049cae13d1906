import { readFile } from "node:fs/promises";
import ts from "typescript";
import { expect, test } from "vitest";
import { equivalentMutants, isEquivalent } from "../../mutate/equivalent.ts";
import { mutantsOf } from "../../mutate/mutants.ts";
import { weave } from "../../mutate/weave.ts";

function kindsIn(source: string): string[] {
  return mutantsOf("a.ts", source).map(({ id }) => id.slice(id.indexOf(" ") + 1));
}

test.each([
  ["function f(a: number) { if (a < 2) return; }", ["if true", "if false", "< to <=", "to 3"]],
  ["f(a && b || c);", ["drop statement", "drop || …", "drop … ||", "drop && …", "drop … &&"]],
  ["const x = a ?? 60_000;", ["drop ?? …", "to 120000"]],
  ["const x = !a ? true : 'name';", ["if true", "if false", "drop !", "to false", 'to ""']],
  ["const x = list.filter(isOdd).map(double);", ["drop .filter"]],
  ["throw new Error('two words');", ["drop statement"]],
])("%s has the mutants %j", (source, kinds) => {
  expect(kindsIn(source)).toEqual(kinds);
});

test.each([
  'import { a } from "a";',
  'const a = await import("a");',
  'export { a } from "a";',
  'type A = "a" | 1 | true;',
  'interface A { "a": 1 }',
  'const a = { "a": b };',
  'const a = "two words";',
  "class A extends B { constructor() { super(); } }",
])("nothing is changed in %s", (source) => {
  expect(kindsIn(source)).toEqual([]);
});

test("code that runs when a module is loaded is distinguished from code that runs later", () => {
  const source = "const a = 1; function f() { return 2; } class C { a = 3; static b = 4; }";

  expect(mutantsOf("a.ts", source).map(({ isStatic }) => isStatic)).toEqual([
    true,
    false,
    false,
    true,
  ]);
});

const source = `
  export function f(a: number, log: string[] = []): string {
    if (a > 2 && a !== 5) log.push("big");
    else log.push(a === 5 ? "five" : "small");
    return log.filter((each) => each !== "small").join();
  }`;

async function load(text: string): Promise<(a: number) => string> {
  const { outputText } = ts.transpileModule(text, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  return (await import(`data:text/javascript,${encodeURIComponent(outputText)}`)).f;
}

test("instrumented code is unchanged while no mutant is active, and has the effect of the active one", async () => {
  const mutants = mutantsOf("a.ts", source);
  const inputs = [1, 2, 3, 5];
  const original = await load(source);
  const woven = await load(weave(source, mutants));
  const asleep = inputs.map((each) => woven(each));
  let awake = "";
  Object.assign(globalThis, { troupeMutants: { isAwake: (id: string) => id === awake } });

  const wrong: string[] = [];
  for (const { id, start, end, text = "{}" } of mutants) {
    awake = id;
    const changed = await load(source.slice(0, start) + text + source.slice(end));
    if (inputs.some((each) => woven(each) !== changed(each))) wrong.push(id);
  }
  Object.assign(globalThis, { troupeMutants: undefined });

  expect(asleep).toEqual(inputs.map((each) => original(each)));
  expect(mutants.length).toBeGreaterThan(15);
  expect(wrong).toEqual([]);
});

test.each(equivalentMutants)("$path has the equivalent mutant $what once: $line", async (known) => {
  const source = await readFile(known.path, "utf8");
  const left = mutantsOf(known.path, source).filter((mutant) => isEquivalent(mutant, source));

  const found = left.filter(({ id, start }) => {
    const line = source.slice(0, start).split("\n").length;
    return id.endsWith(` ${known.what}`) && source.split("\n")[line - 1]?.trim() === known.line;
  });
  expect(found).toHaveLength(1);
});

test("a mutant of another line, another kind or another file is not equivalent", () => {
  const [known] = equivalentMutants;
  if (!known) throw new Error("There is one");
  const source = `function f() {\n  ${known.line}\n}`;
  const mutant = {
    id: `${known.path}:2:3 ${known.what}`,
    start: source.indexOf(known.line) + 4,
    end: source.length,
    text: "",
    isStatic: false,
  };

  expect(isEquivalent(mutant, source)).toBe(true);
  expect(isEquivalent({ ...mutant, start: 0 }, source)).toBe(false);
  expect(isEquivalent({ ...mutant, id: `${known.path}:2:3 drop !` }, source)).toBe(false);
  expect(isEquivalent({ ...mutant, id: `src/a.ts:2:3 ${known.what}` }, source)).toBe(false);
});
