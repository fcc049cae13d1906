import { traitsOf } from "../protocol/tool-traits.ts";

/** For a tool without a main field, the first of these arguments is shown. */
const tellingFields = ["command", "path", "pattern", "name", "to", "subject"];

/** The main argument of a call: what it runs, or where it works; of a search, both. */
export function summarizeCall(tool: string, input: unknown): string {
  if (typeof input !== "object" || input === null) return String(input);
  const { mainField, placeField } = traitsOf(tool);
  if (mainField !== undefined && mainField in input) {
    const main = String(Reflect.get(input, mainField));
    const place: unknown = placeField === undefined ? undefined : Reflect.get(input, placeField);
    return typeof place === "string" ? `${main} in ${place}` : main;
  }
  const field = tellingFields.find((name) => name in input);
  const first: unknown = field === undefined ? undefined : Reflect.get(input, field);
  if (typeof first === "string") return first;
  return Object.keys(input).length === 0 ? "" : JSON.stringify(input);
}
