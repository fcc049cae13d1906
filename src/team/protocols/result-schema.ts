import { z } from "zod";
import { reasonOf, TeamError } from "../../errors.ts";
import type { ToolInput } from "../../tools/tool.ts";

/** The schema of a result: of Zod 4.2 or newer, or a JSON Schema. */
export type ResultSchema<T> = ResultInput<T> | Readonly<Record<string, unknown>>;

/** The used parts of a Zod schema, whose checks may be asynchronous. */
export interface ResultInput<T> extends Pick<ToolInput<T>, "toJSONSchema"> {
  /** Checks a value, and resolves to the parsed one or to what is wrong with it. */
  safeParseAsync(value: unknown): Promise<ReturnType<ToolInput<T>["safeParse"]>>;
}

type CheckedResult =
  /** `submitted` is the value as it was submitted, and `value` what the schema made of it. */
  { type: "right"; submitted: unknown; value: unknown } | { type: "wrong"; problem: string };

/** Never throws: a check of the program's own that fails makes the value wrong. */
export type ResultCheck = (submitted: unknown) => Promise<CheckedResult>;

/** The check of a schema, and the schema as JSON. Throws `config-invalid` where it is not one. */
export function readSchema(schema: ResultSchema<unknown>): {
  check: ResultCheck;
  json: Record<string, unknown>;
} {
  if (!isZod(schema)) return { check: jsonSchemaCheck(schema), json: { ...schema } };
  try {
    const json = schema.toJSONSchema({ io: "input", override: () => undefined });
    return { check: zodCheck(schema), json: { ...json } };
  } catch (error) {
    throw unusable(error);
  }
}

export function jsonSchemaCheck(schema: unknown): ResultCheck {
  try {
    return zodCheck(z.fromJSONSchema(z.record(z.string(), z.unknown()).parse(schema)));
  } catch (error) {
    throw unusable(error);
  }
}

/** Some models write an object as a text that has it as JSON. */
export async function orFromText(check: ResultCheck, submitted: unknown): Promise<CheckedResult> {
  const checked = await check(submitted);
  if (checked.type === "right" || typeof submitted !== "string") return checked;
  const { data } = z.json().safeParse(parsed(submitted));
  const again = data === undefined ? checked : await check(data);
  return again.type === "right" ? again : checked;
}

function isZod(schema: ResultSchema<unknown>): schema is ResultInput<unknown> {
  return typeof schema.safeParseAsync === "function" && typeof schema.toJSONSchema === "function";
}

function zodCheck(schema: Pick<ResultInput<unknown>, "safeParseAsync">): ResultCheck {
  return async (submitted) => {
    try {
      const parsed = await schema.safeParseAsync(submitted);
      if (parsed.success) return { type: "right", submitted, value: parsed.data };
      const problems = parsed.error.issues.map(({ path, message }) =>
        path.length > 0 ? `${path.join(".")}: ${message}` : message,
      );
      return { type: "wrong", problem: problems.slice(0, 10).join("; ") };
    } catch (error) {
      return { type: "wrong", problem: `the program's own check failed: ${reasonOf(error)}` };
    }
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function unusable(error: unknown): TeamError {
  return new TeamError("config-invalid", `The schema of a result is wrong: ${reasonOf(error)}`, {
    hint: "Give a schema of Zod, or a JSON Schema without references to other documents.",
  });
}
