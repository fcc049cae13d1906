import { TeamError } from "../errors.ts";
import { nearest } from "../lib/nearest.ts";
import {
  builtInProviders,
  type ProviderFamily,
  type ProviderRow,
  providerFamilies,
} from "./built-in-providers.ts";
import { plainPackage } from "./package-providers.ts";

/** A provider that a person adds to the built-in ones. */
export interface ProviderDefinition {
  /** The API that it speaks. Either this or `package` is given. */
  readonly family?: ProviderFamily | undefined;
  /** The name of a provider package of the AI SDK, which the person installs. */
  readonly package?: string | undefined;
  /** Default: the family's or package's own address, which OpenAI-compatible ones do not have. */
  readonly baseUrl?: string | undefined;
  /** The environment variable that holds the key. Optional for OpenAI-compatible ones and packages. */
  readonly keyVariable?: string | undefined;
  /** Further headers of its requests, each with the environment variable that holds the value. */
  readonly headerVariables?: Readonly<Record<string, string>> | undefined;
}

/** The providers that a person adds, by the name that model ids begin with. */
export type ProviderDefinitions = Readonly<Record<string, ProviderDefinition>>;

/** How the fields of a definition are called where it was written. */
export type FieldNames = Readonly<Record<keyof ProviderDefinition, string>>;

const ownNames: FieldNames = {
  family: "family",
  package: "package",
  baseUrl: "baseUrl",
  keyVariable: "keyVariable",
  headerVariables: "headerVariables",
};

/** What a definition has in common with others of its family, or all packages with each other. */
export function baseRow({ family, package: name = "" }: ProviderDefinition): ProviderRow {
  if (family) return builtInProviders[family];
  const common = { label: "", keyVariables: [], needsKey: false, headersMs: 60_000 };
  return { ...common, family: "package", package: plainPackage(name), authHeaders: () => ({}) };
}

type Refuse = (problem: string, hint: string) => never;

/**
 * Throws `config-invalid` if a provider cannot be defined like this. The message contains no
 * values.
 */
export function checkProvider(
  name: string,
  definition: ProviderDefinition,
  names: FieldNames = ownNames,
): void {
  const refuse: Refuse = (problem, hint) => {
    throw new TeamError("config-invalid", `The provider "${name}" ${problem}`, { hint });
  };
  checkName(name, refuse);
  checkFields(definition, refuse);
  const { family, package: module, baseUrl, keyVariable, headerVariables = {} } = definition;
  if ((family === undefined) === (module === undefined)) {
    refuse("needs either a family or a package", 'Add "family" or "package", and not both.');
  }
  if (family !== undefined && !providerFamilies.includes(family)) {
    refuse("has an unknown family", `The families are ${providerFamilies.join(", ")}.`);
  }
  if (module !== undefined) checkModule(module, refuse);
  const { needsKey, baseUrl: usual } = baseRow(definition);
  if (keyVariable !== undefined && !isVariable(keyVariable)) {
    const hint = "Name the environment variable that holds the key; the key itself stays there.";
    refuse(`has a ${names.keyVariable} that is not the name of a variable`, hint);
  }
  if (needsKey && keyVariable === undefined) {
    const example = `${name.toUpperCase().replaceAll("-", "_")}_API_KEY`;
    refuse(`has no ${names.keyVariable}`, `Add "${names.keyVariable}", such as "${example}".`);
  }
  checkHeaders(headerVariables, names.headerVariables, refuse);
  if (module === undefined && (baseUrl ?? usual) === undefined) {
    const hint = `Add "${names.baseUrl}", such as "http://localhost:11434/v1".`;
    refuse(`has no ${names.baseUrl}`, hint);
  }
  if (baseUrl !== undefined && !isBaseUrl(baseUrl)) {
    const hint = `Use an address such as https://example.com/v1, ${bareUrl}.`;
    refuse(`has a ${names.baseUrl} that is not the base URL of an API`, hint);
  }
}

function checkHeaders(headers: Readonly<Record<string, string>>, field: string, refuse: Refuse) {
  for (const [header, variable] of Object.entries(headers)) {
    if (!/^[A-Za-z0-9-]{1,100}$/.test(header) || requestHeaders.has(header.toLowerCase())) {
      refuse(`has a header in its ${field} that cannot be set`, "Use a name such as x-team.");
    }
    if (!isVariable(variable)) {
      const hint = "Name the environment variable that holds the value; the value stays there.";
      refuse(`has a header in its ${field} without the name of a variable`, hint);
    }
  }
}

/** Headers that say how a request is sent. */
const requestHeaders: ReadonlySet<string> = new Set([
  "connection",
  "content-length",
  "content-type",
  "expect",
  "host",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

function isVariable(name: string): boolean {
  return /^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(name);
}

function checkName(name: string, refuse: Refuse): void {
  if (Object.hasOwn(builtInProviders, name)) {
    refuse("is built in", "Choose another name, or set the variables of the built-in provider.");
  }
  if (!/^[a-z][a-z0-9_-]{0,31}$/.test(name)) {
    refuse("has a name that cannot be used", "Names match [a-z][a-z0-9_-]{0,31}.");
  }
}

/** A definition from a program may be anything. */
function checkFields(definition: unknown, refuse: Refuse): void {
  const known = Object.values(ownNames);
  const all = `Its fields are ${known.join(", ")}: texts, and an object of texts.`;
  if (typeof definition !== "object" || definition === null) refuse("must be an object", all);
  for (const [field, value] of Object.entries(definition)) {
    const meant = nearest(field, known);
    const hint = meant === undefined ? all : `Did you mean ${meant}?`;
    if (!known.includes(field)) refuse(`has the unknown field "${field}"`, hint);
    if (value === undefined) continue;
    if (field === ownNames.headerVariables) {
      if (!isRecordOfTexts(value)) refuse(`has ${field} that are not an object of texts`, all);
    } else if (typeof value !== "string") refuse(`has a ${field} that is not a text`, all);
  }
}

function isRecordOfTexts(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((each) => typeof each === "string");
}

function checkModule(module: string, refuse: Refuse): void {
  if (!isModule(module)) {
    const hint = 'Give the name of a package, such as "@ai-sdk/groq".';
    refuse("has a package that is not the name of one", hint);
  }
  if (/^@ai-sdk\/(amazon-bedrock|google-vertex)(\/|$)/.test(module)) {
    // They find credentials by themselves, and an address in the settings would get them.
    refuse("has a package that is built in", "Use bedrock/<model> or vertex/<model>.");
  }
}

/** The name of a package, with or without a path in it. */
function isModule(text: string): boolean {
  const word = "[a-z0-9~-][a-z0-9._~-]*";
  return new RegExp(`^(@${word}/)?${word}(/[a-z0-9-]+)*$`).test(text) && text.length <= 200;
}

/** What a base URL does not have, in words. */
export const bareUrl =
  "without user, query or fragment, and without the path of a request such as /chat/completions";

/** Credentials in a URL would be shown wherever the URL is, and `fetch` refuses them anyway. */
export function isBaseUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && !url.username && !url.password && !url.search && !url.hash;
  const isOfRequest = /\/(chat\/completions|v1\/(messages|responses))\/*$/.test(
    url?.pathname ?? "",
  );
  return Boolean(isPlain && !isOfRequest && /^https?:$/.test(url.protocol));
}
