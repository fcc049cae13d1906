import { knownValue } from "./commands/argument.ts";
import { interpreters, runnerOf, uncoverable } from "./commands/changing-programs.ts";
import { familyOf } from "./commands/open-programs.ts";
import type { ResolvedCommand } from "./commands/resolved-line.ts";

/** How many words name the action of these programs: `git commit`, `npm run build`. */
const tellingWords: Readonly<Record<string, number>> = {
  "npm run": 3,
  "pnpm run": 3,
  "yarn run": 3,
  "docker compose": 3,
  ...Object.fromEntries(
    `npm pnpm yarn bun git cargo go docker kubectl gh pip pip3 poetry uv dotnet mvn gradle ./gradlew make
    terraform rustup brew apt apt-get bundle rake composer mix`
      .split(/\s+/)
      .map((name) => [name, 2]),
  ),
};

/** Programs whose every use a person would want to see. */
const destructive: ReadonlySet<string> = new Set([
  "rm",
  "rmdir",
  "chmod",
  "chown",
  "truncate",
  "ln",
]);

/** The rule that would allow such commands; undefined if none should. */
export function suggestRule({ words, opened, uses }: ResolvedCommand): string | undefined {
  const written = opened.find(({ use }) => use === "write");
  if (written) return written.place.relative && `edit_file(${written.place.relative})`;
  const outside = uses.find(({ place }) => !place.isInside);
  const values = words.map(knownValue);
  const [program, second] = values;
  if (program === undefined || outside || uncoverable.has(program)) return undefined;
  if (Object.hasOwn(interpreters, familyOf(program))) return scriptRule(values);
  if (destructive.has(program)) return exactRule(values);
  const runner = runnerOf(values);
  const count =
    (runner && runner.length + 1) ??
    tellingWords[`${program} ${second}`] ??
    tellingWords[program] ??
    1;
  const named = values.slice(0, count);
  if (named.length < count || named.slice(1).some((word) => !word || /^-/.test(word)))
    return undefined;
  return isWritable(named) ? `bash(${named.join(" ")}:*)` : undefined;
}

/** For an interpreter: the script that it runs, or the tests of Node. Anything else is other code. */
function scriptRule(values: readonly (string | undefined)[]): string | undefined {
  const named = values.slice(0, 2);
  const [program, script] = named;
  const isNamed = script !== undefined && !/^(-|\/dev\/|\/proc\/)/.test(script);
  if (!isNamed && !(program === "node" && script === "--test")) return undefined;
  return isWritable(named) ? `bash(${named.join(" ")}:*)` : undefined;
}

function exactRule(values: readonly (string | undefined)[]): string | undefined {
  return isWritable(values) ? `bash(${values.join(" ")})` : undefined;
}

/** A rule is split at blanks, so its words can have none. */
function isWritable(words: readonly (string | undefined)[]): boolean {
  return words.every((word) => word !== undefined && /^[^\s()]+$/.test(word));
}
