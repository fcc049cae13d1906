import { type CompoundList, forEachChild, type Statement, type SyntaxNode } from "unbash";

/** Programs that come out the same each time, as far as a loop's end is concerned. */
const constant: ReadonlySet<string> = new Set(
  `: true false echo printf sleep date ls pwd cat head tail wc seq whoami id uname hostname nproc
  uptime stat du df basename dirname type which command wait`.split(/\s+/),
);

/**
 * True for a loop that nothing in it can end: its condition asks for nothing that changes, or for
 * variables which the loop leaves alone.
 */
export function isEndless(clause: CompoundList, body: CompoundList): boolean {
  const asked = new Set<string>();
  let isOpen = false;
  visit(clause, (node) => {
    if (node.type === "Command") isOpen ||= mayChange(node.name?.text, node.args);
    if (node.type === "CommandExpansion") isOpen = true;
    if (node.type === "TestUnary") isOpen ||= /^-[a-hkLprstuwxGNOS]$/.test(node.operator);
    if (node.type === "SimpleExpansion") asked.add(node.text.slice(1));
    if (node.type === "ParameterExpansion") asked.add(node.parameter);
    if (node.type === "ArithmeticWord") asked.add(node.value.replace(/^\$/, ""));
  });
  return !isOpen && !assigns([clause, body], asked);
}

function mayChange(name: string | undefined, words: readonly { text: string }[]): boolean {
  if (name === undefined) return false;
  if (name !== "[" && name !== "test") return !constant.has(name);
  return words.some(({ text }) => /^-[a-hkLprstuwxGNOS]$|^-(nt|ot|ef)$/.test(text));
}

function assigns(lists: readonly CompoundList[], names: ReadonlySet<string>): boolean {
  let isFound = false;
  for (const list of lists) {
    visit(list, (node) => {
      if (node.type === "Assignment") isFound ||= names.has(node.name);
      if (node.type === "Word") isFound ||= names.has(node.value);
      if (node.type === "ArithmeticUnary") isFound ||= /^(\+\+|--)$/.test(node.operator);
      if (node.type === "ArithmeticBinary") isFound ||= /[^=!<>]=$|^=$/.test(node.operator);
    });
  }
  return isFound;
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

/** What a process substitution does beyond the end of the command that it belongs to. */
export function mayOutlive(substitution: string): boolean {
  return /\b(sleep|while|until|for|select|tail|read|wait)\b/.test(substitution);
}
