import { z } from "zod";

/** A text that says something. The check is none of JSON Schema's, and so costs no request a byte. */
export const FilledText = z.string().refine((text) => text.trim() !== "", "must not be empty");

/** The id of a task. Models often write it as a number, though they are told it is a string. */
export const TaskReference = z.preprocess(
  (given) => (typeof given === "number" ? String(given) : given),
  z.string(),
);
