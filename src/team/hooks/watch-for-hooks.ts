import { user } from "../../protocol/ids.ts";
import type { TeamRequest } from "../../protocol/request.ts";
import type { Supervisor } from "../supervisor.ts";

/**
 * Tells hooks that are commands what happens to the whole team: that it begins, needs the person, or is quiet. Returns how to stop;
 * undefined where there are none.
 */
export function watchForHooks(supervisor: Supervisor): (() => void) | undefined {
  const { members, protocols, options } = supervisor;
  const hooks = options.commandHooks();
  if (!hooks) return undefined;
  hooks.reportTo((event) => protocols.hub.say(event));
  const { recordedEnd, isCutShort } = members.lead.state;
  hooks.begin(recordedEnd || isCutShort ? "resume" : "startup");
  let runs = 0;
  const stops = [
    options.store.requests.onChange((request) => {
      if (isForPerson(request)) {
        hooks.notify(
          `${request.type}_prompt`,
          `${request.from} waits for your answer.`,
          request.from,
        );
      }
    }),
    members.onChange(() => {
      const sum = members.all.reduce((count, { state }) => count + state.runs, 0);
      if (sum === runs || supervisor.isClosing || !supervisor.isQuiet) return;
      runs = sum;
      hooks.becameQuiet();
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function isForPerson({ state, to, type }: TeamRequest): boolean {
  return state === "pending" && to === user && type !== "result";
}
