import type { z } from "zod";

/** The options that the parent gave this process. */
export function childOptions<Options>(schema: z.ZodType<Options>): Options {
  return schema.parse(JSON.parse(process.argv[2] ?? "{}"));
}

/** Answers the parent's questions until the parent exits. An error ends the process. */
export function serve<Question>(
  schema: z.ZodType<Question>,
  answer: (question: Question) => Promise<object>,
): void {
  process.on("message", (message) => {
    answer(schema.parse(message)).then(reply, fail);
  });
  process.on("disconnect", () => process.exit());
  reply({});
}

function reply(answer: object): void {
  process.send?.(answer);
}

function fail(error: unknown): void {
  console.error(error);
  process.exit(1);
}
