import {
  type ArithmeticExpression,
  forEachChild,
  type ParsedScript,
  type SyntaxNode,
  type TestExpression,
  type Word,
} from "unbash";
import { type Argument, knownValue } from "./argument.ts";
import { evaluateWord } from "./evaluate-word.ts";
import { deepest } from "./limits.ts";
import type { ShellVariables } from "./shell-variables.ts";

/** Whoever walks a line, as its words need to know it. */
export interface Walker {
  readonly variables: ShellVariables;
  /** Walks a script that runs within a word. */
  script(script: ParsedScript): void;
  doubt(reason: string): void;
}

const incalculable = "it calculates with what is not known";
const mysterious = "it has an expansion that is not understood";

/** Walks the scripts within a word, and doubts expansions that do more than to put text in. */
export function lookInside(node: SyntaxNode, walker: Walker, depth = 0): void {
  if (depth > deepest) {
    walker.doubt("it is nested too deeply");
    return;
  }
  switch (node.type) {
    case "CommandExpansion":
    case "ProcessSubstitution":
    case "ArithmeticCommandExpansion":
      if (node.script) walker.script(node.script);
      else walker.doubt("it has a substitution that cannot be parsed");
      return;
    case "ArithmeticExpansion":
      lookIntoArithmetic(node.expression, walker);
      return;
    default: {
      const reason = expansionDoubt(node);
      if (reason) walker.doubt(reason);
      forEachChild(node, (child) => lookInside(child, walker, depth + 1));
    }
  }
}

function expansionDoubt(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case "Word":
      return hasWildBraces(node) ? "it has braces that are not understood" : undefined;
    // bash calculates with an index, and so runs the substitutions in it.
    case "Assignment":
      return node.index ? "it assigns by an index" : undefined;
    case "ArrayValue":
      return node.elements.some(({ text }) => /^\W*\[/.test(text))
        ? "it assigns by an index"
        : undefined;
    case "FileDescriptorVariable":
      return "it keeps a descriptor in a variable";
    case "LocaleString":
    case "ExtendedGlob":
    case "Unknown":
    case "Transform":
      return mysterious;
    case "ParameterExpansion":
      return node.prefix === "!" || (node.index && !/^[@*\d]+$/.test(node.index.text))
        ? mysterious
        : undefined;
    case "Default":
      return node.operator.endsWith("=") ? "it assigns in an expansion" : undefined;
    case "Slice":
      return [node.offset, node.length].every((word) => /^\s*-?\d*\s*$/.test(word?.text ?? ""))
        ? undefined
        : incalculable;
    default:
      return undefined;
  }
}

/** Braces can multiply to more words than a machine can hold. */
function hasWildBraces(word: Word): boolean {
  const hasBraces = word.parts?.some(({ type }) => type === "BraceExpansion") ?? false;
  return hasBraces && evaluateWord(word)[0]?.type === "unknown";
}

/** bash runs the substitutions in a variable's *value* when it calculates with it. */
export function lookIntoArithmetic(
  expression: ArithmeticExpression | undefined,
  walker: Walker,
): void {
  if (!expression) {
    walker.doubt(incalculable);
    return;
  }
  forEachInside(expression, (node) => {
    walker.variables.forgetCalculated(node);
    if (node.type === "ArithmeticCommandExpansion") {
      walker.doubt("it calculates with what a command prints");
      lookInside(node, walker);
    }
    if (node.type !== "ArithmeticWord") return;
    for (const part of node.parts ?? []) lookInside(part, walker);
    const isNumber = /^(\d+|\$[?#])$/.test(node.value);
    const isKnown = isNumber || isNumeric(walker.variables.get(node.value.replace(/^\$/, "")));
    if (!isKnown) walker.doubt(incalculable);
  });
}

/** Some tests of `[[ … ]]` calculate with what they compare. */
export function lookIntoTest(expression: TestExpression, walker: Walker): void {
  forEachInside(expression, (node) => {
    if (node.type === "Word") lookInside(node, walker);
    if (node.type !== "TestUnary" && node.type !== "TestBinary") return;
    if (!/^-(v|R|eq|ne|lt|le|gt|ge)$/.test(node.operator)) return;
    const operands = node.type === "TestUnary" ? [node.operand] : [node.left, node.right];
    const isKnown = operands.every((word) => isNumeric(evaluateWord(word, walker.variables)[0]));
    if (!isKnown) walker.doubt(incalculable);
  });
}

function forEachInside(node: SyntaxNode, visit: (node: SyntaxNode) => void, depth = 0): void {
  if (depth > deepest) throw new RangeError("it is nested too deeply");
  visit(node);
  if (node.type === "Word" || node.type === "ArithmeticWord") return;
  forEachChild(node, (child) => forEachInside(child, visit, depth + 1));
}

function isNumeric(argument: Argument | undefined): boolean {
  if (argument?.type === "unknown") return argument.isNumber;
  return /^-?\d+$/.test(knownValue(argument) ?? "");
}
