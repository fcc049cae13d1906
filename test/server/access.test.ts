import { expect, test } from "vitest";
import { Access } from "../../src/server/access.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { sessionOf } from "./door.ts";

const hour = 60 * 60 * 1000;
const week = 7 * 24 * hour;
const clock = () => new ManualClock();

function accessBy(
  time: ManualClock,
  { secret = Buffer.alloc(32, 1), port = 4747, since = "2026-01-01T00:00:00.000Z" } = {},
): Access {
  return new Access({ secret, port, since, now: () => time.now() });
}

test("a token lets one in once", () => {
  const access = accessBy(clock());
  const token = access.newToken();

  expect(access.redeem(token)).toBeUndefined();
  expect(access.redeem(token)).toBe("token-used");
  expect(access.redeem(access.newToken())).toBeUndefined();
});

test("a token lets nobody in after an hour, used or not", () => {
  const time = clock();
  const access = accessBy(time);
  const [late, used] = [access.newToken(), access.newToken()];

  time.advance(hour - 1);
  expect(access.redeem(used)).toBeUndefined();
  time.advance(1);

  expect(access.redeem(late)).toBe("token-expired");
  expect(access.redeem(used)).toBe("token-expired");
});

test("who has the secret makes tokens for the server that runs", () => {
  const time = clock();

  const token = accessBy(time).newToken();

  expect(accessBy(time).redeem(token)).toBeUndefined();
});

test("a token that was used does not let anybody in when the server was started again", () => {
  const time = clock();
  const before = accessBy(time);
  const token = before.newToken();
  before.redeem(token);

  const after = accessBy(time, { since: "2026-01-01T00:00:01.000Z" });

  expect(after.redeem(token)).toBe("token-wrong");
});

test("a token of another secret, of another port or with anything changed is wrong", () => {
  const time = clock();
  const access = accessBy(time);
  const token = access.newToken();
  const changed = [...token].map((letter, index) => {
    const other = letter === "0" ? "1" : "0";
    return `${token.slice(0, index)}${other}${token.slice(index + 1)}`;
  });
  const foreign = [
    accessBy(time, { secret: Buffer.alloc(32, 2) }).newToken(),
    accessBy(time, { port: 4748 }).newToken(),
    sessionOf(access).cookie.replace("troupe-4747=", ""),
    sessionOf(access).proof,
    ...["", ".", "..", `${token}.`, ` ${token}`, `${token}\n`, token.toUpperCase()],
  ];

  for (const wrong of [...changed, ...foreign]) expect(access.redeem(wrong)).toBe("token-wrong");
  expect(access.redeem(token)).toBeUndefined();
});

test("no script can read the cookie of a session, and no other site has it sent", () => {
  const [pair, ...attributes] = accessBy(clock()).newSession().cookie.split("; ");

  expect(pair).toMatch(/^troupe-4747=\S+$/);
  expect(attributes).toEqual(["Path=/", "Max-Age=604800", "HttpOnly", "SameSite=Strict"]);
});

test("a session outlives the server, for a week", () => {
  const time = clock();
  const { cookie, proof } = sessionOf(accessBy(time));
  const restarted = accessBy(time, { since: "2026-01-02T00:00:00.000Z" });

  time.advance(week - 1);
  expect(restarted.hasSession({ cookies: `a=b; ${cookie}`, proof })).toBe(true);
  time.advance(1);

  expect(restarted.hasSession({ cookies: cookie, proof })).toBe(false);
});

test("dashboards on two ports share no session", () => {
  const time = clock();
  const { cookie, proof } = sessionOf(accessBy(time));
  const other = accessBy(time, { port: 4748 });

  expect(other.hasSession({ cookies: cookie, proof })).toBe(false);
  expect(other.hasSession({ cookies: cookie.replace("4747", "4748"), proof })).toBe(false);
});

test("a token is no session, and a foreign cookie of the same name hides none", () => {
  const access = accessBy(clock());
  const { cookie, proof } = sessionOf(access);

  expect(access.hasSession({ cookies: `troupe-4747=${access.newToken()}`, proof })).toBe(false);
  expect(access.hasSession({ cookies: undefined, proof })).toBe(false);
  expect(access.hasSession({ cookies: `troupe-4747=x; ${cookie}`, proof })).toBe(true);
});

test("a cookie is no session without its own proof, whatever else is shown for it", () => {
  const time = clock();
  const access = accessBy(time);
  const { cookie: cookies, proof } = sessionOf(access);
  const changed = [...proof].map((letter, index) => {
    const other = letter === "0" ? "1" : "0";
    return `${proof.slice(0, index)}${other}${proof.slice(index + 1)}`;
  });
  const foreign = [
    sessionOf(access).proof,
    sessionOf(accessBy(time, { secret: Buffer.alloc(32, 2) })).proof,
    cookies.replace(/^.*\./, ""),
    ...["", `${proof} `, `${proof}0`, proof.slice(0, -1), proof.toUpperCase()],
  ];

  for (const wrong of [undefined, ...changed, ...foreign]) {
    expect(access.hasSession({ cookies, proof: wrong })).toBe(false);
  }
  expect(access.hasSession({ cookies, proof })).toBe(true);
});

test("of two sessions of one browser, each has to show its own proof", () => {
  const access = accessBy(clock());
  const [one, other] = [sessionOf(access), sessionOf(access)];
  const cookies = `${one.cookie}; ${other.cookie}`;

  expect(access.hasSession({ cookies, proof: other.proof })).toBe(true);
  expect(access.hasSession({ cookies: one.cookie, proof: other.proof })).toBe(false);
});
