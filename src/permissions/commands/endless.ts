import { type CompoundList, forEachChild, type Statement, type SyntaxNode } from "unbash";

/**
 * True unless the loop is known to end: it reads its input line by line, or it tests a variable
 * that it assigns.
 */
export function isEndless(clause: CompoundList, body: CompoundList): boolean {
  const asked = new Set<string>();
  let isReading = false;
  visit(clause, (node) => {
    if (node.type === "Command") isReading ||= node.name?.text === "read";
    if (node.type === "SimpleExpansion") asked.add(node.text.slice(1));
    if (node.type === "ParameterExpansion") asked.add(node.parameter);
  });
  let isAssigned = false;
  visit(body, (node) => {
    if (node.type === "Assignment") isAssigned ||= asked.has(node.name);
  });
  return !isReading && !isAssigned;
}

function visit(node: SyntaxNode, look: (node: SyntaxNode) => void): void {
  look(node);
  forEachChild(node, (child) => visit(child, look));
}

/** True when nothing waits for a command of a list that runs in the background. */
export function isLeftRunning(statements: readonly Statement[], index: number): boolean {
  if (!statements[index]?.background) return false;
  const next = statements.slice(index + 1).find(({ background }) => !background)?.command;
  return !(next?.type === "Command" && next.name?.text === "wait" && next.args.length === 0);
}

/** True if a process substitution may continue after its command has ended. */
export function mayOutlive(substitution: string): boolean {
  return /\b(sleep|while|until|for|select|tail|read|wait)\b/.test(substitution);
}
