import { type KnownArgument, knownValue } from "./argument.ts";

/** `-v` and `-R` calculate the index of the variable they are given, and that may run a command. */
const naming = /^-[vR]$/;
const unary = /^-[a-zA-Z]$/;
const binary = /^(==?|!=|<|>|-eq|-ne|-lt|-le|-gt|-ge|-nt|-ot|-ef)$/;

/**
 * What is wrong with the operands of `test`. Where one is not known, it must stand where bash cannot
 * take it for an operator: beside one that is known, in a test of at most three words.
 */
export function testProblem(operands: readonly KnownArgument[]): string | undefined {
  const values = operands.map(knownValue);
  if (values.some((value) => naming.test(value ?? ""))) return "a variable's name";
  const isSure = (operand: KnownArgument) => operand.type === "literal" && !operand.isOneOfMany;
  if (operands.every(isSure)) return undefined;
  const isWord = (operand: KnownArgument) => operand.type === "literal" || operand.isOneWord;
  const tested = values[0] === "!" ? values.slice(1) : values;
  const [first, second] = tested;
  const isPlain =
    tested.length === 1 ||
    (tested.length === 2 && unary.test(first ?? "")) ||
    (tested.length === 3 && binary.test(second ?? ""));
  return isPlain && operands.every(isWord) ? undefined : "an argument that is not known";
}
