import { z } from "zod";
import { readJson } from "../../lib/read-json.ts";

/** A provider's description of an error. */
export interface ErrorWords {
  /** For people. */
  readonly message: string;
  /** For programs: the types, codes and states that the provider names. */
  readonly names: string;
}

const name = z.union([z.string(), z.number()]).nullish().catch(undefined);
const details = { type: name, code: name, status: name };
const Described = z.object({ message: z.string(), ...details });

const ErrorBody = z.union([
  z.object({ error: Described }).transform(({ error }) => error),
  Described,
  z.object({ error: z.string(), ...details }).transform(({ error, ...rest }) => {
    return { message: error, ...rest };
  }),
  // The last event of OpenAI's Responses API.
  z
    .object({ response: z.object({ error: Described }) })
    .transform(({ response }) => response.error),
  // Google's compatible endpoint sends a list of one.
  z.tuple([z.object({ error: Described })]).transform(([{ error }]) => error),
]);

/** Reads an error's body. A body in an unknown format is taken as the message. */
export function readWords(body: string): ErrorWords {
  const { data } = ErrorBody.safeParse(parseOrKeep(body));
  const { message = body.trim(), ...names } = data ?? {};
  return { message, names: Object.values(names).join(" ") };
}

/** True for a body that describes an error in a known format. */
export function describesError(body: string): boolean {
  return ErrorBody.safeParse(parseOrKeep(body)).success;
}

/** The value of a JSON text; other texts as they are. */
export function parseOrKeep(text: string): unknown {
  try {
    return readJson(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return text;
  }
}

/** True for the words by which a provider refuses whole countries, which is not about the key. */
export function isNotServedHere(message: string): boolean {
  return /(country|region|territory|location)\b.* not supported/i.test(message);
}
