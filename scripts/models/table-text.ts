import type { KnownModels } from "../../src/model/model-facts.ts";

export interface TableOrigin {
  /** The package and its version. */
  readonly source: string;
  /** The day on which its data was made. */
  readonly date: string;
}

/** The file of a provider's table: one line for each model. */
export function tableText(provider: string, table: KnownModels, origin: TableOrigin): string {
  const rows = Object.entries(table).map(([id, facts]) => `  ${quoted(id)}: ${literal(facts)},`);
  return [
    `// Models of ${provider} that take tools, as of ${origin.date}, by ${origin.source}.`,
    "// Made by `npm run models:update`; what the source has wrong is corrected in scripts/models.",
    'import type { KnownModels } from "../model-facts.ts";',
    "",
    "export const models: KnownModels = {",
    ...rows,
    "};",
    "",
  ].join("\n");
}

/** The file with the origin of all tables. */
export function originText({ source, date }: TableOrigin): string {
  return [
    "// Made by `npm run models:update`.",
    "/** The day on which the data of all tables was made. */",
    `export const tableDate = ${quoted(date)};`,
    `export const tableSource = ${quoted(source)};`,
    "",
  ].join("\n");
}

/** As TypeScript, whose keys need no quotes. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object" || value === null) return quoted(value);
  const fields = Object.entries(value).map(([name, each]) => `${name}: ${literal(each)}`);
  return `{ ${fields.join(", ")} }`;
}

function quoted(value: unknown): string {
  return JSON.stringify(value);
}
