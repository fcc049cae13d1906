import type { ArithmeticExpression } from "unbash";
import { isNumeric } from "./argument.ts";
import { maxDepth } from "./command-collector.ts";
import type { Walker } from "./walker.ts";

export const incalculable = "it calculates with what is not known";

const number = /^(\d+|0[xX][0-9a-fA-F]+|\$[?#]|\$\{#[A-Za-z_]\w*\})$/;

/**
 * Walks a calculation. A name in it is replaced by its value, which is calculated again:
 * substitutions in it are run. So all values must be known to be plain numbers.
 */
export function lookIntoArithmetic(
  expression: ArithmeticExpression | undefined,
  walker: Walker,
  depth = 0,
): void {
  const look = (inner: ArithmeticExpression) => lookIntoArithmetic(inner, walker, depth + 1);
  if (!expression || depth > maxDepth) {
    walker.doubt(incalculable);
  } else if (expression.type === "ArithmeticWord") {
    for (const part of expression.parts ?? []) walker.look(part);
    if (!isKnownNumber(expression.value, walker)) walker.doubt(incalculable);
  } else if (expression.type === "ArithmeticGroup") {
    look(expression.expression);
  } else if (expression.type === "ArithmeticBinary") {
    look(expression.left);
    look(expression.right);
    if (/^(=|[^=!<>]=|<<=|>>=)$/.test(expression.operator)) assignsSomething(walker);
  } else {
    // Commands, choices, signs and counting up are rarely written.
    assignsSomething(walker);
    walker.look(expression);
  }
}

function assignsSomething({ variables, doubt }: Walker): void {
  doubt(incalculable);
  variables.forgetAll();
}

function isKnownNumber(text: string, { variables }: Walker): boolean {
  if (number.test(text)) return true;
  const [, braced, plain] = /^(?:\$\{(\w+)\}|\$?(\w+))$/.exec(text) ?? [];
  return isNumeric(variables.get(braced ?? plain ?? ""));
}
