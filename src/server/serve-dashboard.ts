import type { OwnModels } from "../model/model-facts.ts";
import { systemEnvironment, systemMachine } from "../team/system-place.ts";
import type { Machine } from "../team/team-place.ts";
import type { TeamView } from "../team/view/team-view.ts";
import type { SecretSources } from "./secret-mask.ts";

/** The port of a dashboard, and which secrets it never shows. */
export interface ServeDashboardOptions extends Omit<SecretSources, "home"> {
  /** The wanted port, or the next free one (default: any free one, another one at each start). */
  port?: number | undefined;
  /** Limits of models that the person has set, by which the page shows how full a context is. */
  models?: OwnModels | undefined;
  /** Where the dashboard is recorded, and who is told of its problems (default: this machine, where they are ignored). */
  machine?: Machine | undefined;
}

/** How to open a dashboard. */
export interface DashboardEntrance {
  /** The TCP port that it listens on. */
  readonly port: number;
  /** The process that serves it. */
  readonly pid: number;
  /** Without a token: it shows nothing to a browser without a session. */
  readonly address: string;
  /** The address with a new token, which gives one browser access within an hour. Anyone who has it can act as the person. */
  newAddress(): string;
}

/** A dashboard that this process serves. */
export interface ServedDashboard extends DashboardEntrance, AsyncDisposable {
  /** The wanted port, if another program has it. */
  readonly missedPort: number | undefined;
  /** Ends the dashboard for all pages at once. */
  close(): Promise<void>;
}

/**
 * Serves the dashboard of a team to browsers on this machine, as `troupe web` does. The team need not exist yet, and may run in
 * any process. Secrets of `env` and `providers` are masked in all that is sent.
 */
export async function serveDashboard(
  view: TeamView,
  {
    port,
    env = systemEnvironment(),
    providers,
    models,
    machine = systemMachine(),
  }: ServeDashboardOptions = {},
): Promise<ServedDashboard> {
  const { Dashboard } = await import("./dashboard.ts");
  const { apiRoutes } = await import("./routes/api.ts");
  const { Room } = await import("./room/room.ts");
  const { pageDirectory } = await import("./page-directory.ts");
  const { secretsInJson } = await import("./masked.ts");
  const { environmentSecrets } = await import("../model/environment-secrets.ts");
  return Dashboard.open({
    ...{ location: view.location, machine },
    port,
    secrets: secretsInJson(environmentSecrets({ env, providers })),
    pageDirectory: pageDirectory(),
    openApi: () => {
      const room = new Room({ view, clock: machine.clock, own: { models, providers } });
      return { routes: apiRoutes(room), [Symbol.asyncDispose]: () => room[Symbol.asyncDispose]() };
    },
  });
}

/** The dashboard of a team that another process of this user serves; on `port` only, if given. */
export async function findDashboard(
  view: Pick<TeamView, "location">,
  { port, machine = systemMachine() }: Pick<ServeDashboardOptions, "port" | "machine"> = {},
): Promise<DashboardEntrance | undefined> {
  const { findServed } = await import("./dashboard.ts");
  return findServed(view.location, { port, machine });
}
