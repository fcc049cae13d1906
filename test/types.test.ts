import ts from "typescript";
import { expect, test } from "vitest";

/** Types that no user has to name, though a public one is made with them. */
const unnamed = new Set([
  // Parts of the built-in store in memory: whoever names one uses the interface.
  ...["MemoryRoster", "StoredTaskBoard", "StoredRequests", "MemoryEventLog", "MemoryUsageLedger"],
  "MemoryTeamView",
  // Steps towards `TeamOptions`, `MessageDraft` and `ToolInput`, which have all their fields.
  ...["EquipmentOptions", "DistributiveDraft", "Issue"],
]);

const entries = ["src/index.ts", "src/testing/index.ts", "src/testing/conformance/index.ts"];

test("every type that a public declaration names can be imported", () => {
  const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
  const program = ts.createProgram(entries, options);
  const checker = program.getTypeChecker();
  const exported = new Set(entries.flatMap((entry) => exportsOf(program, checker, entry)));

  const missing = [...exported].flatMap((symbol) =>
    namedBy(symbol, checker)
      .filter((named) => isOurs(named) && !exported.has(named) && !unnamed.has(named.name))
      .map((named) => `${named.name}, named by ${symbol.name}`),
  );

  expect([...new Set(missing)]).toEqual([]);
  // The control: what is private would be found.
  const named = [...exported].flatMap((symbol) => namedBy(symbol, checker));
  expect(named.map(({ name }) => name)).toEqual(expect.arrayContaining([...unnamed]));
});

function exportsOf(program: ts.Program, checker: ts.TypeChecker, entry: string): ts.Symbol[] {
  const file = program.getSourceFile(entry);
  const module = file && checker.getSymbolAtLocation(file);
  if (!module) throw new Error(`${entry} is not a module`);
  return checker.getExportsOfModule(module).map((symbol) => declared(symbol, checker));
}

/** The types in the signatures of a declaration, without those of private members. */
function namedBy(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol[] {
  const found: ts.Symbol[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isBlock(node) || isPrivate(node)) return;
    if (ts.isPropertyDeclaration(node) && node.type) {
      visit(node.type);
      return;
    }
    const name = nameIn(node);
    const named = name && checker.getSymbolAtLocation(name);
    if (named) found.push(declared(named, checker));
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

function declared(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function isOurs({ declarations: [first] = [], flags }: ts.Symbol): boolean {
  if (!first || flags & ts.SymbolFlags.TypeParameter) return false;
  return first.getSourceFile().fileName.includes("/src/");
}
