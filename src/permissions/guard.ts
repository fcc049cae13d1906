import { basename } from "node:path";
import type { Place } from "../workspace/place.ts";
import type { Surroundings } from "./case.ts";
import type { PlaceUse, ResolvedCommand, ResolvedLine } from "./commands/resolve-line.ts";
import { uncoveredArgument } from "./commands/rule-coverage.ts";
import { isWithin } from "./protected-paths.ts";

export function closedPlace(
  { real }: Place,
  { teamDirectory, keyDirectory }: Surroundings,
): "team" | "keys" | undefined {
  if (isWithin(real, keyDirectory)) return "keys";
  return isWithin(real, teamDirectory) ? "team" : undefined;
}

/**
 * Why a line could tamper with the team itself: it would write its records, reach its keys, or run
 * `troupe`. Such a line asks in every mode, and is refused where nothing is asked.
 */
export function tampering(
  text: string,
  { commands, doubts }: ResolvedLine,
  surroundings: Surroundings,
): string | undefined {
  for (const command of commands) {
    const reason = commandTampering(command, surroundings);
    if (reason) return reason;
  }
  const isCode = doubts.length > 0 || commands.some(runsCode);
  return isCode && mentions(text, surroundings) ? "it names the team's own records" : undefined;
}

function commandTampering(
  command: ResolvedCommand,
  surroundings: Surroundings,
): string | undefined {
  const { kind, uses, opened, layers, directory } = command;
  const all = [...uses, ...opened];
  if (all.some(({ place }) => closedPlace(place, surroundings) === "keys")) {
    return "it would reach the team's keys";
  }
  if (all.some((use) => use.use === "write" && isClosedTo(use, surroundings))) {
    return "it would write into the team's own records";
  }
  if (kind === "reads") return undefined;
  if (closedPlace(directory, surroundings)) return "it would run among the team's own records";
  if (layers.some(([name, inner]) => isTroupe(name) || (isRunner(name) && isTroupe(inner)))) {
    return "it would run troupe";
  }
  return undefined;
}

/** True for what is told in words of its own what to do, so that nobody can say what that is. */
function runsCode({ kind, words, doubt, caution }: ResolvedCommand): boolean {
  if (kind === "reads") return false;
  return (doubt ?? caution ?? uncoveredArgument(words, 1)) !== undefined;
}

function isClosedTo({ place, isTree }: PlaceUse, surroundings: Surroundings): boolean {
  if (closedPlace(place, surroundings)) return true;
  const { teamDirectory, keyDirectory } = surroundings;
  return isTree && [teamDirectory, keyDirectory].some((closed) => isWithin(closed, place.real));
}

function isTroupe(word: string | undefined): boolean {
  return /^(.*\/)?troupe(@.*|\.js)?$/s.test(word ?? "");
}

function isRunner(word: string | undefined): boolean {
  return /^(.*\/)?(npx|bunx|pnpx|uvx|node|tsx|bun|deno)$/.test(word ?? "");
}

/** True when code that nobody can judge names the team's directory, its keys, or troupe. */
function mentions(text: string, { teamDirectory, keyDirectory }: Surroundings): boolean {
  const isNamed = (name: string) => {
    const at = text.indexOf(name);
    return at >= 0 && !/[\w-]/.test(text[at + name.length] ?? "");
  };
  return isNamed(basename(teamDirectory)) || isNamed(keyDirectory) || /\btroupe\b/.test(text);
}
