import { forEachChild, type SyntaxNode, type TestExpression, type Word } from "unbash";
import { type Argument, isNumeric, knownValue } from "./argument.ts";
import { incalculable, lookIntoArithmetic } from "./arithmetic.ts";
import { maxDepth } from "./command-collector.ts";
import { mayOutlive } from "./endless.ts";
import { evaluateWord, hasBraces } from "./evaluate-word.ts";
import type { Walker } from "./walker.ts";

const mysterious = "it has an expansion that is not understood";

/** Walks the scripts within a word, and doubts expansions that do more than insert text. */
export function lookInside(node: SyntaxNode, walker: Walker, depth = 0): void {
  if (depth > maxDepth) {
    walker.doubt("it is nested too deeply");
    return;
  }
  const shown = shownVariable(node);
  if (shown !== undefined && walker.variables.isPrivate(shown)) {
    walker.doubt(`it shows $${shown}, which may be a secret`);
  }
  switch (node.type) {
    case "CommandExpansion":
    case "ProcessSubstitution":
    case "ArithmeticCommandExpansion":
      // Backslashes in backticks are read twice, and differently in quotes.
      if (/^`.*\\/s.test(node.text)) walker.doubt(mysterious);
      if (node.type === "ProcessSubstitution" && mayOutlive(node.text)) {
        walker.doubt("it may leave a command running");
      }
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

function shownVariable(node: SyntaxNode): string | undefined {
  if (node.type === "SimpleExpansion") return node.text.slice(1);
  return node.type === "ParameterExpansion" ? node.parameter : undefined;
}

/**
 * The text that `${…}` may have besides a name. Whether quotes, escapes and substitutions mean
 * anything there depends on the operator and on the quotes or the here-document around it.
 */
const plainExpansion = /^\$\{(?:[^'"\\`<>{}$~\n]|\$[A-Za-z_]\w*)*\}$/;

function expansionDoubt(node: SyntaxNode): string | undefined {
  switch (node.type) {
    case "Word":
      if (isMisread(node)) return mysterious;
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
      if (node.prefix === "!" || !plainExpansion.test(node.text)) return mysterious;
      return node.index && !/^[@*\d]+$/.test(node.index.text) ? mysterious : undefined;
    case "Default":
      if (/[*?[]/.test(node.operand?.text ?? "")) return "it has a pattern in an expansion";
      return node.operator.endsWith("=") ? "it assigns in an expansion" : undefined;
    case "Slice":
      return [node.offset, node.length].every((word) => /^\s*-?\d*\s*$/.test(word?.text ?? ""))
        ? undefined
        : incalculable;
    default:
      return undefined;
  }
}

/**
 * True for text that the parser takes for plain, although bash would run something in it: text
 * after the `)` of an array's value turns the whole into a word, for instance.
 */
function isMisread({ parts, text }: Word): boolean {
  return !parts && /[`$()<>]/.test(text.replace(/\\./gs, ""));
}

/** Braces can multiply to more words than a machine can hold. */
function hasWildBraces(word: Word): boolean {
  return hasBraces(word) && evaluateWord(word)[0]?.type === "unknown";
}

/** Some tests of `[[ … ]]` calculate with what they compare. */
export function lookIntoTest(expression: TestExpression, walker: Walker): void {
  forEachInside(expression, (node) => {
    if (node.type === "Word") lookInside(node, walker);
    if (node.type !== "TestUnary" && node.type !== "TestBinary") return;
    if (!/^-(v|R|eq|ne|lt|le|gt|ge)$/.test(node.operator)) return;
    const operands = node.type === "TestUnary" ? [node.operand] : [node.left, node.right];
    const isPlain = node.type === "TestUnary" ? isName : isNumeric;
    const isKnown = operands.every((word) => isPlain(evaluateWord(word, walker.variables)[0]));
    if (!isKnown) walker.doubt(incalculable);
  });
}

/** `-v` calculates the index of the variable that it is given. */
function isName(argument: Argument | undefined): boolean {
  return /^[A-Za-z_]\w*$/.test(knownValue(argument) ?? "");
}

function forEachInside(node: SyntaxNode, visit: (node: SyntaxNode) => void, depth = 0): void {
  if (depth > maxDepth) throw new RangeError("it is nested too deeply");
  visit(node);
  if (node.type === "Word") return;
  forEachChild(node, (child) => forEachInside(child, visit, depth + 1));
}
