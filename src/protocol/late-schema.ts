import { z } from "zod";

/**
 * The same as the schema that `make` returns, which is made for the first value: of a field that few records
 * have, no start makes the schemas.
 */
export function lateSchema<T>(make: () => z.ZodType<T>): z.ZodType<T, T> {
  return z.custom<T>().superRefine((value, context) => {
    const { error } = make().safeParse(value);
    for (const { message, path } of error?.issues ?? []) {
      context.addIssue({ code: "custom", message, path: [...path] });
    }
  });
}
