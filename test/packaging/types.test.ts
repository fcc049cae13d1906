import { join } from "node:path";
import ts from "typescript";
import { beforeAll, describe, expect, test } from "vitest";

const entries = [
  ...["dist/index.d.ts", "dist/schemas.d.ts"],
  ...["dist/testing/index.d.ts", "dist/testing/conformance/index.d.ts"],
].map(inPackage);

/** A program that uses the package by its name. `|` is where its author points at. */
const pointed = `
import type { AgentEvent, TeamOptions, TeamRequest } from "troupe";

export function use(request: TeamRequest, options: TeamOptions, event: AgentEvent): unknown[] {
  const used: unknown[] = [options.|mode];
  if (request.type === "permission") used.push(request.|subject);
  if (event.type === "model-wait") used.push(event.|delay_ms);
  return used;
}
`;
const user = inPackage("user.ts");

/** Declarations of which some are silent, to show that they are found. */
const control = inPackage("control.ts");
const silent = `
import type { z } from "zod";

export interface Silent { field: string }
/** Says what it is. */
export interface Half {
  type: "half";
  /** Says what it is. */
  told: string;
  untold: z.ZodType;
}
/** Says what it is. */
export class Whole implements Half {
  readonly type: "half" = "half";
  readonly told = "";
  constructor(readonly untold: z.ZodType) {}
  untoldMethod(): void {}
  private hidden(): void {}
}
export type Alias = string;
/** Says what it is. */
export type Filter = { type?: string };
export function call(): void {}
`;

const sources = new Map([
  [user, pointed.replaceAll("|", "")],
  [control, silent],
]);
const service = ts.createLanguageService({
  ...{ fileExists, readFile, directoryExists: ts.sys.directoryExists },
  getCompilationSettings: () => ({
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    ...{ strict: true, skipLibCheck: true, types: ["node"] },
  }),
  getScriptFileNames: () => [...entries, ...sources.keys()],
  getScriptVersion: () => "1",
  getScriptSnapshot: (path) => {
    const text = readFile(path);
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
  },
  getCurrentDirectory: () => process.cwd(),
  getDefaultLibFileName: ts.getDefaultLibFilePath,
});

function inPackage(path: string): string {
  return join(process.cwd(), path);
}

function fileExists(path: string): boolean {
  return sources.has(path) || ts.sys.fileExists(path);
}

function readFile(path: string): string | undefined {
  return sources.get(path) ?? ts.sys.readFile(path);
}

beforeAll(() => {
  for (const entry of entries) {
    expect(fileExists(entry), `${entry}: run \`npm run build\` first`).toBe(true);
  }
});

test("no type of the package is made with Zod's", () => {
  const files = program().getSourceFiles();
  const built = files.filter(({ fileName }) => fileName.startsWith(inPackage("dist/")));

  expect(built.length).toBeGreaterThan(entries.length);
  expect(built.filter((file) => namesZod(file)).map(({ fileName }) => fileName)).toEqual([]);
  expect(namesZod(sourceFile(control))).toBe(true);
});

/** Comments may speak of Zod. */
function namesZod(file: ts.SourceFile): boolean {
  return /\bz\.|zod/i.test(ts.createPrinter({ removeComments: true }).printFile(file));
}

test("every public declaration, and each of its members, says what it is", () => {
  expect(undocumented(inPackage("dist/index.d.ts"))).toEqual([]);
  expect(undocumented(control)).toEqual([
    ...["call", "Silent", "Silent.field", "Half.untold"],
    ...["Whole.untoldMethod", "Alias", "Filter.type"],
  ]);
});

function undocumented(path: string): string[] {
  const checker = program().getTypeChecker();
  const module = checker.getSymbolAtLocation(sourceFile(path));
  if (!module) throw new Error(`${path} is no module`);
  const isSilent = (symbol: ts.Symbol) => symbol.getDocumentationComment(checker).length === 0;
  return checker.getExportsOfModule(module).flatMap((exported) => {
    const symbol = isAlias(exported) ? checker.getAliasedSymbol(exported) : exported;
    const members = membersOf(symbol)
      .filter((name) => isSilent(checker.getSymbolAtLocation(name) ?? symbol))
      .map((name) => `${exported.name}.${name.getText()}`);
    return isSilent(symbol) ? [exported.name, ...members] : members;
  });
}

function isAlias({ flags }: ts.Symbol): boolean {
  return (flags & ts.SymbolFlags.Alias) !== 0;
}

/** The names of the members that a user sees. The literal that tells one type from others says enough. */
function membersOf(symbol: ts.Symbol): ts.Identifier[] {
  return (symbol.declarations ?? [])
    .flatMap((declaration) => declaredMembers(declaration))
    .filter((member) => !isPrivate(member) && !isDiscriminant(member))
    .flatMap(({ name }) => (name && ts.isIdentifier(name) ? [name] : []));
}

function declaredMembers(node: ts.Declaration): readonly (ts.TypeElement | ts.ClassElement)[] {
  if (ts.isInterfaceDeclaration(node) || ts.isClassDeclaration(node)) return [...node.members];
  return ts.isTypeAliasDeclaration(node) && ts.isTypeLiteralNode(node.type)
    ? [...node.type.members]
    : [];
}

function isPrivate(member: ts.TypeElement | ts.ClassElement): boolean {
  const modifiers = ts.canHaveModifiers(member) ? ts.getModifiers(member) : undefined;
  return modifiers?.some(({ kind }) => kind === ts.SyntaxKind.PrivateKeyword) ?? false;
}

function isDiscriminant(member: ts.TypeElement | ts.ClassElement): boolean {
  if (!ts.isPropertySignature(member) && !ts.isPropertyDeclaration(member)) return false;
  const { name, type } = member;
  return name.getText() === "type" && type !== undefined && ts.isLiteralTypeNode(type);
}

describe("an editor shows in a few words", () => {
  test.each([
    ["mode", "(property) TeamOptions.mode?: PermissionMode | undefined", /^The lead's mode/],
    ["subject", "(property) PermissionRequest.subject: PermissionSubject", /^What exactly/],
    ["delay_ms", "(property) ModelWaitEvent.delay_ms: number", /in milliseconds\.$/],
  ])("what `%s` is", (name, type, documentation) => {
    const shown = hover(name);

    expect(service.getSemanticDiagnostics(user)).toEqual([]);
    expect(shown.type).toBe(type);
    expect(shown.documentation).toMatch(documentation);
    expect((shown.type + shown.documentation).length).toBeLessThan(400);
  });
});

/** What an editor shows at the mark before `name`. */
function hover(name: string): { type: string; documentation: string } {
  const before = pointed.slice(0, pointed.indexOf(`|${name}`)).replaceAll("|", "");
  const { displayParts, documentation } = service.getQuickInfoAtPosition(user, before.length) ?? {};
  return {
    type: ts.displayPartsToString(displayParts),
    documentation: ts.displayPartsToString(documentation),
  };
}

function program(): ts.Program {
  const made = service.getProgram();
  if (!made) throw new Error("There is no program");
  return made;
}

function sourceFile(path: string): ts.SourceFile {
  const file = program().getSourceFile(path);
  if (!file) throw new Error(`There is no ${path}`);
  return file;
}
