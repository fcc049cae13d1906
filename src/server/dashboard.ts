import { randomBytes } from "node:crypto";
import { get, type IncomingHttpHeaders } from "node:http";
import type { Hono } from "hono";
import { reasonOf, TeamError } from "../errors.ts";
import { Disposables } from "../lib/disposables.ts";
import { LoopbackServer } from "../lib/loopback-server.ts";
import type { Secrets } from "../lib/secrets.ts";
import type { Machine } from "../team/team-place.ts";
import { Access } from "./access.ts";
import { dashboardApp } from "./app.ts";
import { DashboardRecord, type Serving } from "./dashboard-record.ts";
import { protectiveHeaders } from "./guard.ts";
import type { DashboardEntrance, ServedDashboard } from "./serve-dashboard.ts";
import { StaticFiles } from "./static-files.ts";

/** The routes to serve, without `/api` in their paths. */
interface DashboardApi extends AsyncDisposable {
  readonly routes: Hono;
}

interface DashboardOptions {
  /** The location of the team, where none need exist. */
  location: string;
  machine: Machine;
  /** The wanted port (default: any free one, another one at each start). */
  port: number | undefined;
  pageDirectory: string;
  secrets: Secrets;
  openApi(): DashboardApi;
}

interface DashboardParts {
  serving: Serving;
  wanted: number;
  access: Access;
  opened: Disposables;
}

export class Dashboard implements ServedDashboard {
  readonly port: number;
  readonly pid: number;
  readonly address: string;
  readonly missedPort: number | undefined;
  readonly #access: Access;
  readonly #opened: Disposables;

  private constructor({ serving, wanted, access, opened }: DashboardParts) {
    this.port = serving.port;
    this.pid = serving.process.pid;
    this.address = addressOf(serving);
    this.missedPort = wanted === serving.port || wanted === anyPort ? undefined : wanted;
    this.#access = access;
    this.#opened = opened;
  }

  static async open(options: DashboardOptions): Promise<Dashboard> {
    const opened = new Disposables();
    try {
      return new Dashboard(await openParts(options, opened));
    } catch (error) {
      await opened[Symbol.asyncDispose]();
      throw error;
    }
  }

  newAddress(): string {
    return withToken(this.address, this.#access);
  }

  close(): Promise<void> {
    return this.#opened[Symbol.asyncDispose]();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

async function openParts(
  { location, machine, secrets, ...options }: DashboardOptions,
  opened: Disposables,
): Promise<DashboardParts> {
  const files = new StaticFiles(options.pageDirectory);
  await files.check();
  const record = await DashboardRecord.open(location, machine);
  // Another origin each time: at a known port another program may have left a service worker.
  const wanted = options.port ?? anyPort;
  const { routes: api } = opened.use(options.openApi());
  const server = opened.use(await listen(wanted));
  const { port } = server;
  const since = machine.clock.now().toISOString();
  const secret = randomBytes(secretBytes).toString("hex");
  const serving: Serving = { process: await machine.processes.self(), port, since, secret };
  const access = accessTo(serving, machine);
  const onLetIn = (bindings: unknown) => server.keep(bindings);
  const onFailure = tellOnce((message) => machine.onWarning(message));
  const app = dashboardApp({ api, access, files, secrets, port, onLetIn, onFailure });
  server.answerWith(app, protectiveHeaders);
  await record.announce(serving, machine.processes);
  opened.use({ [Symbol.asyncDispose]: () => withdraw(record, serving, machine) });
  return { serving, wanted, access, opened };
}

async function listen(port: number): Promise<LoopbackServer> {
  try {
    return await LoopbackServer.listen(port);
  } catch (error) {
    throw new TeamError("dashboard-failed", `The dashboard cannot be served: ${reasonOf(error)}`, {
      cause: error,
      hint: "Choose another port with `troupe web --port`; ports below 1024 need root.",
    });
  }
}

/** If the record cannot be written, it is out of date, which its readers notice. */
async function withdraw(
  record: DashboardRecord,
  serving: Serving,
  { onWarning }: Machine,
): Promise<void> {
  try {
    await record.withdraw(serving);
  } catch (error) {
    if (!(error instanceof Error && "errno" in error)) throw error;
    onWarning(`The record of the dashboard cannot be written: ${error.message}`);
  }
}

/** The dashboard of the team at a location that another process serves, and that answers. */
export async function findServed(
  location: string,
  { port, machine }: { port: number | undefined; machine: Machine },
): Promise<DashboardEntrance | undefined> {
  const record = await DashboardRecord.open(location, machine);
  for (const serving of await record.running(machine.processes)) {
    if ((port !== undefined && port !== serving.port) || !(await answers(serving))) continue;
    const address = addressOf(serving);
    const newAddress = () => withToken(address, accessTo(serving, machine));
    return { port: serving.port, pid: serving.process.pid, address, newAddress };
  }
  return undefined;
}

function accessTo({ secret }: Serving, { clock }: Machine): Access {
  return new Access({ secret: Buffer.from(secret, "hex"), now: () => clock.now() });
}

/** The fragment of an address is never sent: no log and no referrer has the token. */
function withToken(address: string, access: Access): string {
  return `${address}#token=${access.newToken()}`;
}

function addressOf({ port }: Serving): string {
  return `http://127.0.0.1:${port}/`;
}

function answers(serving: Serving): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(addressOf(serving), { agent: false, timeout: answerWithinMs }, (answer) => {
      answer.resume();
      resolve(isOurs(answer.headers));
    });
    request.on("timeout", () => request.destroy());
    request.on("close", () => resolve(false));
    // Whatever the error is, no dashboard can be used there.
    request.on("error", () => resolve(false));
  });
}

function isOurs(headers: IncomingHttpHeaders): boolean {
  return Object.entries(protectiveHeaders).every(
    ([name, value]) => headers[name.toLowerCase()] === value,
  );
}

/** Reports each failure once: a page repeats its requests. */
function tellOnce(tell: (message: string) => void): (error: unknown) => void {
  const told = new Set<string>();
  return (error) => {
    const message = reasonOf(error);
    if (told.has(message) || told.size >= mostTold) return;
    told.add(message);
    tell(`The dashboard could not answer its page: ${message}`);
  };
}

const anyPort = 0;
const secretBytes = 32;
const answerWithinMs = 2_000;
const mostTold = 100;
