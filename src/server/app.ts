import { type Context, Hono } from "hono";
import { jsonText } from "../lib/json-text.ts";
import type { Secrets } from "../lib/secrets.ts";
import type { Admission } from "../protocol/dashboard.ts";
import { SessionBody } from "../protocol/dashboard-requests.ts";
import type { Access, TokenRefusal } from "./access.ts";
import { guard, protect } from "./guard.ts";
import { masked } from "./masked.ts";
import { isApiPath, type Refusal, refuse } from "./refusal.ts";
import type { StaticFiles } from "./static-files.ts";

interface DashboardAppOptions {
  /** What is behind the door, without `/api` in its paths. */
  api: Hono;
  access: Access;
  files: StaticFiles;
  /** Masked in whatever the API says. */
  secrets: Secrets;
  port: number;
  /** Told of failures that are nobody's intention. */
  onFailure(error: unknown): void;
}

/** The dashboard as it answers requests: files for everybody, a team for the person alone. */
export function dashboardApp(options: DashboardAppOptions): Hono {
  const { api, access, files, port, onFailure } = options;
  const app = new Hono();
  app.use(protect());
  app.use(guard(port));
  app.use("/api/*", async (c, next) => {
    await next();
    const answer = masked(c.res, options);
    // Set twice, Hono would put the headers of the two together.
    c.res = undefined;
    c.res = answer;
  });
  app.post("/api/session", (c) => openSession(c, access));
  app.use("/api/*", async (c, next) => {
    const shown = { cookies: c.req.header("cookie"), proof: c.req.header("x-troupe-proof") };
    return access.hasSession(shown) ? next() : refuse(c, sessionMissing);
  });
  app.route("/api", api);
  app.get("*", async (c, next) =>
    isApiPath(c.req.path) ? next() : ((await files.answer(c)) ?? next()),
  );
  app.notFound((c) => refuse(c, notFound));
  app.onError((error, c) => {
    onFailure(error);
    return refuse(c, failed);
  });
  return app;
}

async function openSession(c: Context, access: Access): Promise<Response> {
  const body = SentSession.safeParse(await c.req.text());
  const refusal = body.success ? access.redeem(body.data.token) : "token-wrong";
  if (refusal) return refuse(c, tokenRefusals[refusal]);
  const { cookie, proof } = access.newSession();
  c.header("Set-Cookie", cookie);
  const admission: Admission = { proof };
  return c.json(admission);
}

const SentSession = jsonText(SessionBody);

const hint = "Run `troupe web` again for a new address.";

const tokenRefusals: Readonly<Record<TokenRefusal, Refusal>> = {
  "token-wrong": {
    status: 401,
    code: "token-wrong",
    message: "This address is not one of this dashboard's.",
    hint,
  },
  "token-expired": {
    status: 401,
    code: "token-expired",
    message: "This address has expired: it lets you in for an hour.",
    hint,
  },
  "token-used": {
    status: 401,
    code: "token-used",
    message: "This address was used before: each lets one browser in.",
    hint,
  },
};

const sessionMissing: Refusal = {
  status: 401,
  code: "session-missing",
  message: "This browser has not been let in, or that was more than a week ago.",
  hint,
};

const notFound: Refusal = {
  status: 404,
  code: "not-found",
  message: "There is nothing here.",
  hint: null,
};

const failed: Refusal = {
  status: 500,
  code: "failed",
  message: "The dashboard could not answer that. The team goes on; troupe has said why.",
  hint: "Try it again.",
};
