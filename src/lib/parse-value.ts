import type { z } from "zod";

/** After so many values it pays to compile the parser of a schema. */
const compileAfter = 100;
const parsedValues = new WeakMap<z.ZodType, number>();

/**
 * Parses `value` by `schema`. Zod compiles a parser when a schema is first used, which takes milliseconds
 * of every start; the first values of each schema are parsed without.
 */
export function parseValue<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  const count = parsedValues.get(schema) ?? 0;
  if (count >= compileAfter) return schema.safeParse(value);
  parsedValues.set(schema, count + 1);
  return schema.safeParse(value, { jitless: true });
}
