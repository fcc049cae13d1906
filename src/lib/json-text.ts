import { z } from "zod";
import { readJson, TooDeep } from "./read-json.ts";

/** Text that is JSON of `schema`. */
export function jsonText<Schema extends z.ZodType>(schema: Schema) {
  return z
    .string()
    .transform((text, context): unknown => {
      try {
        return readJson(text);
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        const message = error instanceof TooDeep ? error.message : "is not JSON";
        context.addIssue({ code: "custom", message });
        return z.NEVER;
      }
    })
    .pipe(schema);
}
