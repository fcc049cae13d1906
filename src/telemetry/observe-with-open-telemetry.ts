import { reasonOf } from "../errors.ts";
import { systemClock } from "../lib/clock.ts";
import { wait } from "../lib/wait.ts";
import type { AgentEvent } from "../protocol/events.ts";
import { systemEnvironment } from "../team/system-place.ts";
import type { Team } from "../team/team.ts";
import type { TelemetrySettings } from "./otlp-settings.ts";
import { type TelemetryEnvironment, wantsTelemetry } from "./wants-telemetry.ts";

/** How long the end waits until a collector has taken what is left. */
const flushMs = 2_000;

/** How a team is observed. */
export interface TelemetryOptions {
  /** Has the variables of OpenTelemetry, such as `OTEL_EXPORTER_OTLP_ENDPOINT` (default: the environment of this process). */
  env?: TelemetryEnvironment;
  /** Is told once if the telemetry cannot be sent (default: nobody). */
  onWarning?: (message: string) => void;
}

/**
 * Sends spans and metrics of a team to the collector that the environment names, and loads and does nothing where
 * it names none. It only reads the events of the team, which it can neither delay nor fail. Dispose it after the team: then it
 * waits for the collector for at most two seconds.
 */
export async function observeWithOpenTelemetry(
  team: Pick<Team, "events" | "view">,
  { env = systemEnvironment(), onWarning = () => {} }: TelemetryOptions = {},
): Promise<AsyncDisposable> {
  if (!wantsTelemetry(env)) return { async [Symbol.asyncDispose]() {} };
  // Before anything is loaded, so that no event is missed meanwhile.
  const stop = new AbortController();
  const events = team.events(stop.signal);
  const [{ telemetrySettings }, { openSdk }, { TeamSpans }, { TeamMetrics }] = await Promise.all([
    import("./otlp-settings.ts"),
    import("./open-sdk.ts"),
    import("./team-spans.ts"),
    import("./team-metrics.ts"),
  ]);
  const settings = telemetrySettings(env);
  for (const problem of settings.problems) onWarning(problem);
  const warn = once(onWarning);
  const sdk = openSdk(settings, (url, reason) =>
    warn(`Telemetry cannot be sent to ${url.origin}: ${reason}. The team works without it.`),
  );
  const { tracer, meter } = sdk;
  const spans = tracer && new TeamSpans({ ...settings, tracer });
  const metrics = meter && new TeamMetrics(meter);
  const mailOf = readerOfMail(team, settings);
  const observe = async () => {
    for await (const event of events) {
      const mail = spans && (await mailOf(event));
      if (mail && event.member) spans.addMail(event.member, mail);
      spans?.take(event);
      if (event.type === "model-call") metrics?.count(event);
    }
  };
  // Whatever is wrong with the telemetry, the team is not to notice it.
  const observed = observe().catch((error: unknown) =>
    warn(`Telemetry has ended: ${reasonOf(error)}. The team works without it.`),
  );
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await within(flushMs, async () => {
        await observed;
        spans?.end(systemClock.now());
        await sdk.shutdown();
      });
      const unsent = sdk.unsentSpans();
      sdk.abort();
      if (unsent > 0)
        warn(`${unsent} spans of telemetry were not sent: the collector was too slow.`);
    },
  };
}

/** Reads the message that an event is about, where contents are sent. */
function readerOfMail(team: Pick<Team, "view">, { hasContents }: TelemetrySettings) {
  return async (event: AgentEvent): Promise<string | undefined> => {
    if (!hasContents || event.type !== "message-delivered" || !event.member) return undefined;
    // Mail that cannot be read, such as of a team that is closed now, is only missing.
    const found = await team
      .view()
      .message(event.member, event.id)
      .catch(() => undefined);
    return found && "message" in found ? found.message.content : undefined;
  };
}

/** Resolves when the work is done, or earlier when the time is over. */
async function within(timeMs: number, work: () => Promise<unknown>): Promise<void> {
  const done = new AbortController();
  const late = wait(systemClock, timeMs, done.signal).catch(() => undefined);
  await Promise.race([work(), late]);
  done.abort();
}

function once(tell: (message: string) => void): (message: string) => void {
  let isTold = false;
  return (message) => {
    if (!isTold) tell(message);
    isTold = true;
  };
}
