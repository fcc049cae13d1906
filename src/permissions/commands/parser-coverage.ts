import { forEachChild, type ParsedScript, type SyntaxNode } from "unbash";
import { maxDepth } from "./command-collector.ts";

/** What may be between the words of a script: blanks, separators, reserved words, comments. */
const between =
  /^(?:[\s;&|(){}]|\\\n|\b(?:if|then|elif|else|fi|for|select|while|until|do|done|case|in|esac|function|coproc)\b|(?<![^\s;&|(){}])#[^\n]*(?=\n|$))*$/;
const betweenTests = /^(?:\[\[|\]\]|[\s()!<>|&]|==?|=~|-[A-Za-z]{1,2}\b)*$/;

interface SourceSpan {
  readonly pos: number;
  readonly end: number;
}

/**
 * True when every character of the source belongs to a node that the judge looks at, so that
 * nothing runs of which the tree does not know. The parser is tolerant; the judge is not.
 */
export function isCovered(script: ParsedScript, source: string): boolean {
  return isRegionCovered(script, { source, from: 0, to: source.length, depth: 0 });
}

interface SourceRegion {
  readonly source: string;
  readonly from: number;
  readonly to: number;
  readonly depth: number;
}

function isRegionCovered(script: ParsedScript, region: SourceRegion): boolean {
  const { source, from, to, depth } = region;
  if (depth > maxDepth || script.errors?.length) return false;
  const found: CollectedSpans = { spans: [], isSound: true };
  collect(script, found, { source, depth });
  return found.isSound && areGapsEmpty(found.spans, { source, from, to }, between);
}

interface CollectedSpans {
  readonly spans: SourceSpan[];
  isSound: boolean;
}

interface SourceText {
  readonly source: string;
  readonly depth: number;
}

/** Collects the words and files of a script. What is inside each is checked on its own. */
function collect(node: SyntaxNode, found: CollectedSpans, reading: SourceText): void {
  switch (node.type) {
    case "Word":
    case "Assignment":
    case "Redirect":
    case "HereString":
    case "Time":
    case "Negation":
    case "ArithmeticBinary":
    case "ArithmeticUnary":
    case "ArithmeticTernary":
    case "ArithmeticGroup":
    case "ArithmeticWord":
    case "ArithmeticCommand":
      found.spans.push(node);
      found.isSound &&= isInnerSound(node, reading);
      return;
    case "HereDoc":
      found.isSound &&= node.closing !== undefined && isInnerSound(node.body, reading);
      found.spans.push(node, node.body, ...(node.closing ? [node.closing] : []));
      return;
    case "TestCommand":
      found.spans.push(node);
      found.isSound &&= isTestCovered(node, reading);
      return;
    default:
      forEachChild(node, (child) => collect(child, found, reading));
  }
}

function isTestCovered(node: SyntaxNode & SourceSpan, reading: SourceText): boolean {
  const found: CollectedSpans = { spans: [], isSound: true };
  const visit = (child: SyntaxNode, depth: number): void => {
    if (depth > maxDepth) found.isSound = false;
    else if (child.type === "Word") collect(child, found, reading);
    else forEachChild(child, (inner) => visit(inner, depth + 1));
  };
  visit(node, 0);
  const region = { source: reading.source, from: node.pos, to: node.end };
  return found.isSound && areGapsEmpty(found.spans, region, betweenTests);
}

/** Looks into a word: its parts must follow each other without a gap, and their scripts be covered. */
function isInnerSound(node: SyntaxNode & SourceSpan, { source, depth }: SourceText): boolean {
  if (depth > maxDepth) return false;
  if (node.type === "Word" && node.parts && !areAdjacent(node.parts, node)) return false;
  if ("script" in node) {
    const { script } = node;
    if (!script) return false;
    const own = script.source;
    const inner = own ?? source;
    const from = own === undefined ? node.pos + openerLength(node.text) : 0;
    const to = own === undefined ? node.end - 1 : inner.length;
    return isRegionCovered(script, { source: inner, from, to, depth: depth + 1 });
  }
  let isSound = true;
  forEachChild(node, (child) => {
    isSound &&= isInnerSound(child, { source, depth: depth + 1 });
  });
  return isSound;
}

/** Of `$(`, `<(`, `>(` and of a backtick. */
function openerLength(text: string): number {
  return text.startsWith("`") ? 1 : 2;
}

function areAdjacent(parts: readonly SourceSpan[], { pos, end }: SourceSpan): boolean {
  let expected = pos;
  for (const part of parts) {
    if (part.pos !== expected) return false;
    expected = part.end;
  }
  return expected === end;
}

function areGapsEmpty(
  spans: readonly SourceSpan[],
  { source, from, to }: Omit<SourceRegion, "depth">,
  allowed: RegExp,
): boolean {
  let position = from;
  for (const { pos, end } of [...spans].sort((a, b) => a.pos - b.pos)) {
    if (pos < position) return false;
    if (!allowed.test(source.slice(position, pos))) return false;
    position = end;
  }
  return allowed.test(source.slice(position, to));
}
