import { resolve } from "node:path";
import type { Rolldown } from "tsdown";
import ts from "typescript";

/**
 * Makes each schema of the program when it is first used. A start runs modules that define 1,400 schemas, and
 * uses a few hundred of them.
 *
 * `const Task = z.object(…)` becomes a function that makes the schema once, and `Task` becomes `Task()` wherever
 * it is used as a value; TypeScript says which name means which schema. It makes no difference when a schema is
 * made, because it is made of other schemas and constants only.
 */
export function lazySchemas(entry: string): Rolldown.Plugin {
  let program: ts.Program | undefined;
  return {
    name: "lazy-schemas",
    buildStart() {
      program = openProgram(entry);
    },
    transform: {
      order: "pre",
      filter: { id: /^(?!.*\/node_modules\/).*\/src\/.*\.ts$/ },
      handler(_code, id) {
        const file = program?.getSourceFile(id);
        // Left as it is, it would take the functions of other files for schemas.
        if (!program || !file) throw new Error(`${id} is not reached from ${entry}`);
        return { code: withLazySchemas(file, program.getTypeChecker()), map: null };
      },
    },
  };
}

function openProgram(entry: string): ts.Program {
  const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, resolve("."));
  return ts.createProgram([resolve(entry)], options);
}

/** The text of a file with lazy schemas: those that it defines, and those that it uses. */
export function withLazySchemas(file: ts.SourceFile, checker: ts.TypeChecker): string {
  const inserted: Insertion[] = [];
  const visit = (node: ts.Node): void => {
    if (isWithoutValues(node)) return;
    if (ts.isVariableDeclaration(node) && node.initializer && isSchema(node, checker)) {
      inserted.push({
        at: node.initializer.getStart(file),
        text: "(() => { let made$; return () => (made$ ??= (",
      });
      inserted.push({ at: node.initializer.end, text: ")); })()" });
    }
    if (ts.isShorthandPropertyAssignment(node)) {
      const symbol = checker.getShorthandAssignmentValueSymbol(node);
      if (isLazy(symbol, checker)) inserted.push({ at: node.end, text: `: ${node.name.text}()` });
    } else if (ts.isIdentifier(node) && !isDeclared(node)) {
      const symbol = checker.getSymbolAtLocation(node);
      if (isLazy(symbol, checker)) inserted.push({ at: node.end, text: "()" });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return withInsertions(file.text, inserted);
}

/** Nothing is left of types when the program runs, and what is imported or exported is the function. */
function isWithoutValues(node: ts.Node): boolean {
  const isType =
    ts.isTypeNode(node) || ts.isTypeAliasDeclaration(node) || ts.isInterfaceDeclaration(node);
  return isType || ts.isImportDeclaration(node) || ts.isExportDeclaration(node);
}

interface Insertion {
  at: number;
  text: string;
}

/** Of two at the same place, the later one comes first: it is of an inner expression. */
function withInsertions(text: string, inserted: readonly Insertion[]): string {
  const fromEnd = [...inserted].sort((a, b) => b.at - a.at);
  return fromEnd.reduce((code, { at, text }) => code.slice(0, at) + text + code.slice(at), text);
}

/** A constant of a module whose value is a schema of Zod. */
function isSchema(declaration: ts.VariableDeclaration, checker: ts.TypeChecker): boolean {
  const { name, parent: list } = declaration;
  const isConstant = ts.isVariableDeclarationList(list) && (list.flags & ts.NodeFlags.Const) !== 0;
  const isOfModule = isConstant && ts.isSourceFile(list.parent.parent);
  if (!isOfModule || !ts.isIdentifier(name)) return false;
  return checker.getTypeAtLocation(name).getProperty("_zod") !== undefined;
}

/** Whether this name means a function that makes a schema. */
function isLazy(symbol: ts.Symbol | undefined, checker: ts.TypeChecker): boolean {
  const meant = symbol && aliased(symbol, checker);
  return (meant?.declarations ?? []).some((declaration) => {
    if (declaration.getSourceFile().isDeclarationFile) return false;
    if (ts.isVariableDeclaration(declaration)) return isSchema(declaration, checker);
    // A name that is taken out of a module that was loaded with `import()`.
    return ts.isBindingElement(declaration) && isLazy(takenOut(declaration, checker), checker);
  });
}

function aliased(symbol: ts.Symbol, checker: ts.TypeChecker): ts.Symbol {
  return symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
}

function takenOut({ parent, propertyName, name }: ts.BindingElement, checker: ts.TypeChecker) {
  const key = propertyName ?? name;
  return ts.isIdentifier(key) ? checker.getTypeAtLocation(parent).getProperty(key.text) : undefined;
}

/** Whether a name is declared here, or is the key of a property, and not used. */
function isDeclared(name: ts.Identifier): boolean {
  const { parent } = name;
  if (ts.isBindingElement(parent)) return parent.name === name || parent.propertyName === name;
  return ts.isVariableDeclaration(parent) && parent.name === name;
}
