import ts from "typescript";

/** A small fault in the code that a test should detect. */
export interface Mutant {
  /** `path:line:column what`: identifies it for people and in a run. */
  id: string;
  /** The part of the source that it replaces. */
  start: number;
  end: number;
  /** The replacement; undefined for a statement that is removed. */
  text: string | undefined;
  /** True if it is in code that runs once, when the module is loaded. */
  isStatic: boolean;
}

interface Change {
  node: ts.Node;
  what: string;
  text: string | undefined;
}

const swapped: Record<string, string> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "+": "-",
  "-": "+",
  "*": "/",
};

/** Calls that return a changed copy of their object: without them it is returned unchanged. */
const changers = /^(?:filter|sort|reverse|slice|trim|toSorted|toReversed|toLowerCase)$/;

/** All mutants of a module, in the order of the source. */
export function mutantsOf(path: string, source: string): Mutant[] {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest, true);
  const mutants: Mutant[] = [];
  const visit = (node: ts.Node) => {
    if (hasNoEffect(node)) return;
    for (const { node: changed, what, text } of changesOf(node)) {
      const start = changed.getStart();
      const { line, character } = file.getLineAndCharacterOfPosition(start);
      const id = `${path}:${line + 1}:${character + 1} ${what}`;
      mutants.push({ id, start, end: changed.getEnd(), text, isStatic: isStatic(changed) });
    }
    ts.forEachChild(node, visit);
  };
  ts.forEachChild(file, visit);
  return mutants;
}

function hasNoEffect(node: ts.Node): boolean {
  return (
    ts.isTypeNode(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isExportDeclaration(node)
  );
}

function changesOf(node: ts.Node): Change[] {
  if (ts.isIfStatement(node)) return alwaysAndNever(node.expression);
  if (ts.isConditionalExpression(node)) return alwaysAndNever(node.condition);
  if (ts.isBinaryExpression(node)) return changedOperation(node);
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken) {
    return [{ node, what: "drop !", text: node.operand.getText() }];
  }
  if (ts.isCallExpression(node)) return withoutChanger(node);
  if (ts.isExpressionStatement(node) || ts.isThrowStatement(node)) return withoutStatement(node);
  return changedLiteral(node);
}

function alwaysAndNever(node: ts.Expression): Change[] {
  return ["true", "false"].map((text) => ({ node, what: `if ${text}`, text }));
}

function changedOperation(node: ts.BinaryExpression): Change[] {
  const [left, right] = [node.left.getText(), node.right.getText()];
  const operator = node.operatorToken.getText();
  if (operator === "&&" || operator === "||") {
    return [
      { node, what: `drop ${operator} …`, text: left },
      { node, what: `drop … ${operator}`, text: right },
    ];
  }
  if (operator === "??") return [{ node, what: "drop ?? …", text: left }];
  const other = swapped[operator];
  if (other === undefined) return [];
  return [{ node, what: `${operator} to ${other}`, text: `${left} ${other} ${right}` }];
}

function withoutChanger(node: ts.CallExpression): Change[] {
  const { expression } = node;
  if (!ts.isPropertyAccessExpression(expression) || ts.isOptionalChain(expression)) return [];
  if (!changers.test(expression.name.text)) return [];
  return [{ node, what: `drop .${expression.name.text}`, text: expression.expression.getText() }];
}

function withoutStatement(node: ts.ExpressionStatement | ts.ThrowStatement): Change[] {
  const isOfParent =
    ts.isExpressionStatement(node) &&
    ts.isCallExpression(node.expression) &&
    node.expression.expression.kind === ts.SyntaxKind.SuperKeyword;
  return isOfParent ? [] : [{ node, what: "drop statement", text: undefined }];
}

function changedLiteral(node: ts.Node): Change[] {
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [{ node, what: "to false", text: "false" }];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [{ node, what: "to true", text: "true" }];
  if (isName(node)) return [];
  if (ts.isNumericLiteral(node)) {
    const value = Number(node.getText().replaceAll("_", ""));
    const text = String(value < 10 ? value + 1 : value * 2);
    return [{ node, what: `to ${text}`, text }];
  }
  // A text with spaces is for people or models: its wording is no promise.
  if (ts.isStringLiteral(node) && node.text !== "" && !/\s/.test(node.text)) {
    return [{ node, what: 'to ""', text: '""' }];
  }
  return [];
}

/** A literal that names a property or a module, or is a directive. */
function isName(node: ts.Node): boolean {
  const { parent } = node;
  if (ts.isPropertyAssignment(parent)) return parent.name === node;
  if (ts.isCallExpression(parent)) return parent.expression.kind === ts.SyntaxKind.ImportKeyword;
  return ts.isExpressionStatement(parent);
}

function isStatic(node: ts.Node): boolean {
  for (let { parent } = node; parent; parent = parent.parent) {
    if (ts.isFunctionLike(parent)) return false;
    if (ts.isPropertyDeclaration(parent)) {
      return parent.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.StaticKeyword) ?? false;
    }
  }
  return true;
}
