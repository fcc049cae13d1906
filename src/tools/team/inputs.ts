import { z } from "zod";

/** A text that is not blank. The check is not in the JSON Schema, so it adds no byte to a request. */
export const FilledText = z.string().refine((text) => text.trim() !== "", "must not be empty");

/** The id of a task. Models often write it as a number, though the schema says it is a string. */
export const TaskReference = z.preprocess(
  (given) => (typeof given === "number" ? String(given) : given),
  z.string(),
);

export const NoInput = z.object({});
