import type { Casting } from "./arrange.ts";
import type { DoneCall } from "./happening.ts";
import { failed, type Play, type Stage, type Told, told } from "./play.ts";
import { listed } from "./words.ts";

/** Spawns teammates. Who is at work already, a task for instance, gets its work by mail. */
export function* spawn(stage: Stage, castings: readonly Casting[]): Play<Told> {
  if (castings.length === 0) return told("");
  const done = yield* stage.perform(
    ...castings.map(({ name, role, prompt, needsPlan }) => ({
      name: "spawn_teammate",
      // Said in any case: one who had to plan before would otherwise have to again.
      input: { name, role, prompt, plan_required: needsPlan },
    })),
  );
  const failure = done.find((call) => call.is_error && !isAtWork(call));
  if (failure) return failed("Not everybody could be spawned", failure);
  const busy = castings.filter((_, index) => done.slice(index, index + 1).some(isAtWork));
  const telling = yield* tellAll(
    stage,
    busy.filter(({ hasWork }) => hasWork),
  );
  if (telling?.is_error) return failed("Not everybody could be told", telling);
  const people = castings.map(({ name, role }) => `${name} (${role})`);
  return told(`${listed(people)} ${people.length === 1 ? "is" : "are"} on the team.`);
}

function isAtWork({ output, is_error }: DoneCall): boolean {
  return is_error && output.includes("is currently working");
}

/** The first that failed. */
function* tellAll(stage: Stage, castings: readonly Casting[]): Play<DoneCall | undefined> {
  if (castings.length === 0) return undefined;
  const calls = castings.map(({ name: to, prompt: content }) => ({
    name: "send_message",
    input: { to, content },
  }));
  return (yield* stage.perform(...calls)).find(({ is_error }) => is_error);
}

/** Those who are not there yet, or have work of their own to begin with. */
export function* missing(stage: Stage, castings: readonly Casting[]): Play<readonly Casting[]> {
  const roster = yield* stage.call("list_teammates", {});
  const living = livingIn(roster.output);
  return castings.filter(({ name, hasWork }) => hasWork || !living.includes(name));
}

/** The teammates in a roster that have not ended. */
export function livingIn(roster: string): string[] {
  return roster.split("\n").flatMap((line) => {
    const [, name, status] = /^\s+([a-z][\w-]*) \(.*\): (\w+)/.exec(line) ?? [];
    return name && status !== "shutdown" ? [name] : [];
  });
}
