import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

/** Types that no user has to name, though a public one is made with them. */
const unnamed = new Set([
  // Parts of the built-in store in memory: whoever names one uses the interface.
  ...["MemoryRoster", "StoredTaskBoard", "StoredRequests", "MemoryEventLog", "MemoryUsageLedger"],
  "MemoryTeamView",
  // Steps towards `TeamOptions`, `MessageDraft`, `RequestDraft` and `ToolInput`, which have all their fields.
  ...["EquipmentOptions", "DistributiveDraft", "DraftField", "Issue"],
]);

const entries = [
  ...["src/index.ts", "src/schemas.ts"],
  ...["src/testing/index.ts", "src/testing/conformance/index.ts"],
];

const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
const control = "test/fixtures/disposed-handle.ts";
const program = ts.createProgram([...entries, "src/cli/main.ts", control], options);
const checker = program.getTypeChecker();

test("no file is closed by a method of its handle that Yarn's PnP does not have", () => {
  const files = program.getSourceFiles().map(({ fileName }) => fileName);
  const uses = (file: string) => disposedHandles(program.getSourceFile(file));

  expect(files.filter((file) => /\/src\//.test(file)).flatMap(uses)).toEqual([]);
  expect(uses(control)).toEqual(["file", "maybe"]);
});

/** The variables of a file that are declared with `await using` and hold a file handle. */
function disposedHandles(file: ts.SourceFile | undefined): string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && isAwaitUsing(node) && isHandle(node)) {
      found.push(node.name.getText(file));
    }
    ts.forEachChild(node, visit);
  };
  if (!file) throw new Error("There is no such file");
  visit(file);
  return found;
}

function isAwaitUsing(node: ts.VariableDeclaration): boolean {
  return (ts.getCombinedNodeFlags(node) & ts.NodeFlags.AwaitUsing) === ts.NodeFlags.AwaitUsing;
}

function isHandle(node: ts.VariableDeclaration): boolean {
  const type = checker.getNonNullableType(checker.getTypeAtLocation(node));
  return type.symbol?.name === "FileHandle";
}

test("every type that a public declaration names can be imported", () => {
  const exported = new Set(entries.flatMap((entry) => exportsOf(entry)));

  const missing = [...exported].flatMap((symbol) =>
    namedBy(symbol)
      .filter((named) => isOurs(named) && !exported.has(named) && !unnamed.has(named.name))
      .map((named) => `${named.name}, named by ${symbol.name}`),
  );

  expect([...new Set(missing)]).toEqual([]);
  // The control: what is private would be found.
  const named = [...exported].flatMap((symbol) => namedBy(symbol));
  expect(named.map(({ name }) => name)).toEqual(expect.arrayContaining([...unnamed]));
});

test("every option of Team.open and every field of a spawn says what it is", () => {
  const silent = ["TeamOptions", "SpawnRequest", "TeamHooks"].flatMap((type) => {
    const symbol = exportsOf("src/index.ts").find(({ name }) => name === type);
    if (!symbol) throw new Error(`${type} is not exported`);
    return checker
      .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))
      .filter((property) => property.getDocumentationComment(checker).length === 0)
      .map(({ name }) => `${type}.${name}`);
  });

  expect(silent).toEqual([]);
});

function exportsOf(entry: string): ts.Symbol[] {
  const file = program.getSourceFile(entry);
  const module = file && checker.getSymbolAtLocation(file);
  if (!module) throw new Error(`${entry} is not a module`);
  return checker.getExportsOfModule(module).map((symbol) => declared(symbol));
}

/** The types in the signatures of a declaration, without those of private members. */
function namedBy(symbol: ts.Symbol): ts.Symbol[] {
  const found: ts.Symbol[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isBlock(node) || isPrivate(node)) return;
    if (ts.isPropertyDeclaration(node) && node.type) {
      visit(node.type);
      return;
    }
    const name = nameIn(node);
    const named = name && checker.getSymbolAtLocation(name);
    if (named) found.push(declared(named));
    ts.forEachChild(node, visit);
  };
  for (const declaration of symbol.declarations ?? []) {
    if (!ts.isVariableDeclaration(declaration)) visit(declaration);
  }
  return found;
}

function nameIn(node: ts.Node): ts.Node | undefined {
  if (ts.isTypeReferenceNode(node)) return node.typeName;
  return ts.isExpressionWithTypeArguments(node) ? node.expression : undefined;
}

function isPrivate(node: ts.Node): boolean {
  if (!ts.isClassElement(node)) return false;
  const isHash = node.name !== undefined && ts.isPrivateIdentifier(node.name);
  return isHash || (ts.getCombinedModifierFlags(node) & ts.ModifierFlags.Private) !== 0;
}

function declared(symbol: ts.Symbol): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function isOurs({ declarations: [first] = [], flags }: ts.Symbol): boolean {
  if (!first || flags & ts.SymbolFlags.TypeParameter) return false;
  return first.getSourceFile().fileName.includes("/src/");
}

const declaration = /^(?:export )?(?:declare )?(?:abstract )?(?:interface|type|class) (\w+)/gm;

/** The files that declare a type of each name. */
function filesByType(texts: ReadonlyMap<string, string>): Map<string, string[]> {
  const files = new Map<string, string[]>();
  for (const [file, text] of texts) {
    const names = new Set([...text.matchAll(declaration)].map(([, name = ""]) => name));
    for (const name of names) files.set(name, [...(files.get(name) ?? []), file]);
  }
  return files;
}

function declaredTwice(texts: ReadonlyMap<string, string>): string[] {
  const all = [...filesByType(texts)];
  return all.flatMap(([name, files]) => (files.length > 1 ? `${name}: ${files.join(", ")}` : []));
}

test("no two files declare a type of the same name", () => {
  const files = ["src", "web/src"].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => join(folder, path)),
  );
  const texts = new Map(
    files
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => [path, readFileSync(path, "utf8")] as const),
  );

  expect(texts.size).toBeGreaterThan(500);
  expect(declaredTwice(texts)).toEqual([]);
});

test("control: a type that two files declare is found, exported or not", () => {
  const texts = new Map([
    ["a.ts", "interface Line {}\nexport type Row = 1;\nfunction f() {\n  type Line = 2;\n}"],
    ["b.ts", "export type Line = string;\nexport abstract class Page {}"],
    ["c.ts", "export class Page<T> {}\nconst Row = 1;"],
  ]);

  expect(declaredTwice(texts)).toEqual(["Line: a.ts, b.ts", "Page: b.ts, c.ts"]);
});
