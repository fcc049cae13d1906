import type { ArithmeticExpression } from "unbash";
import { anyNumber, isNumeric } from "./argument.ts";
import { maxDepth } from "./limits.ts";
import type { Walker } from "./walker.ts";

export const incalculable = "it calculates with what is not known";

const number = /^(\d+|0[xX][0-9a-fA-F]+|\$[?#]|\$\{#[A-Za-z_]\w*\})$/;
const name = /^[A-Za-z_]\w*$/;

/**
 * Walks a calculation in the order in which bash does it. A name in it stands for its value, which
 * is calculated once more: the substitutions in it are run. So all that is calculated with must be
 * known to be plain numbers. The target of `=` is not calculated, and is a number from then on.
 */
export function lookIntoArithmetic(
  expression: ArithmeticExpression | undefined,
  walker: Walker,
  depth = 0,
): void {
  if (!expression || depth > maxDepth) {
    walker.doubt(incalculable);
    return;
  }
  const look = (inner: ArithmeticExpression) => lookIntoArithmetic(inner, walker, depth + 1);
  switch (expression.type) {
    case "ArithmeticWord":
      for (const part of expression.parts ?? []) walker.look(part);
      if (!isKnownNumber(expression.value, walker)) walker.doubt(incalculable);
      return;
    case "ArithmeticGroup":
      look(expression.expression);
      return;
    case "ArithmeticUnary":
      look(expression.operand);
      if (/^(\+\+|--)$/.test(expression.operator)) assign(expression.operand, walker);
      return;
    case "ArithmeticBinary":
      lookIntoBinary(expression, walker, depth);
      return;
    case "ArithmeticTernary":
      look(expression.test);
      for (const branch of [expression.consequent, expression.alternate]) {
        walker.variables.perhaps(() => look(branch));
      }
      return;
    case "ArithmeticCommandExpansion":
      walker.doubt("it calculates with what a command prints");
      walker.look(expression);
  }
}

function lookIntoBinary(
  { operator, left, right }: Extract<ArithmeticExpression, { type: "ArithmeticBinary" }>,
  walker: Walker,
  depth: number,
): void {
  const isAssignment = /^(=|[^=!<>]=|<<=|>>=)$/.test(operator);
  const isConditional = operator === "&&" || operator === "||";
  if (operator !== "=") lookIntoArithmetic(left, walker, depth + 1);
  const lookRight = () => lookIntoArithmetic(right, walker, depth + 1);
  if (isConditional) walker.variables.perhaps(lookRight);
  else lookRight();
  if (isAssignment) assign(left, walker);
}

function assign(target: ArithmeticExpression, walker: Walker): void {
  const isPlain = target.type === "ArithmeticWord" && name.test(target.value) && !target.parts;
  if (isPlain) walker.assign(target.value, anyNumber);
  else walker.doubt(incalculable);
}

function isKnownNumber(text: string, { variables }: Walker): boolean {
  if (number.test(text)) return true;
  const [, braced, plain] = /^(?:\$\{(\w+)\}|\$?(\w+))$/.exec(text) ?? [];
  return isNumeric(variables.get(braced ?? plain ?? ""));
}
