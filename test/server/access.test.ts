import { expect, test } from "vitest";
import { Access, type SignedRequest } from "../../src/server/access.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { answerOf, proofOf, type Session, sessionOf, tokenSession } from "./door.ts";

const hour = 60 * 60 * 1000;
const week = 7 * 24 * hour;

function accessBy(time = new ManualClock(), start = 1): Access {
  return new Access({ secret: Buffer.alloc(32, start), now: () => time.now() });
}

/** Asks to be let in by a token, or by whatever else `signer` is. */
function enter(access: Access, signer: Session) {
  const asked = { method: "POST", path: "/api/session", body: "{}" };
  const opened = access.admit({ ...asked, proof: proofOf(signer, asked), target: asked.path });
  return typeof opened === "string" ? opened : "let-in";
}

function signed(session: Session, asked: Partial<SignedRequest> = {}): SignedRequest {
  const { method = "GET", target = "/api/look?x=1", body = "" } = asked;
  const proof = proofOf(session, { method, path: target, body });
  return { method, target, body, proof, ...asked };
}

test("a token admits one browser, once", () => {
  const access = accessBy();
  const token = tokenSession(access.newToken());

  expect(enter(access, token)).toBe("let-in");
  expect(enter(access, token)).toBe("token-used");
  expect(enter(access, tokenSession(access.newToken()))).toBe("let-in");
});

test("a token expires after an hour, used or not", () => {
  const time = new ManualClock();
  const access = accessBy(time);
  const [late, used] = [tokenSession(access.newToken()), tokenSession(access.newToken())];

  time.advance(hour - 1);
  expect(enter(access, used)).toBe("let-in");
  time.advance(1);

  expect(enter(access, late)).toBe("token-expired");
  expect(enter(access, used)).toBe("token-expired");
});

test("the holder of the secret can create tokens for the running server only", () => {
  const time = new ManualClock();
  const token = tokenSession(accessBy(time).newToken());

  expect(enter(accessBy(time, 2), token)).toBe("token-wrong");
  expect(enter(accessBy(time), token)).toBe("let-in");
});

test("a token with any change is invalid, and so is a session in its place", () => {
  const access = accessBy();
  const { id, key } = tokenSession(access.newToken());
  const changed = (text: string) =>
    [...text].map((letter, index) => {
      const other = letter === "0" ? "1" : "0";
      return `${text.slice(0, index)}${other}${text.slice(index + 1)}`;
    });
  const wrong = [
    ...changed(id).map((other) => ({ id: other, key })),
    ...changed(key).map((other) => ({ id, key: other })),
    sessionOf(access),
    ...["", ".", `${id}.`, ` ${id}`, `${id}\n`, id.toUpperCase()].map((odd) => ({ id: odd, key })),
  ];

  for (const each of wrong) expect(enter(access, each)).toBe("token-wrong");
  expect(enter(access, { id, key })).toBe("let-in");
});

test("a session is valid for a week", () => {
  const time = new ManualClock();
  const access = accessBy(time);
  const session = sessionOf(access);

  time.advance(week - 1);
  expect(access.judge(signed(session))).toBe("let-in");
  time.advance(1);

  expect(access.judge(signed(session))).toBe("refused");
});

test("a session ends with the server: the next start knows neither its id nor its key", () => {
  const time = new ManualClock();
  const before = accessBy(time);
  const session = sessionOf(before);
  const captured = signed(session);
  const after = accessBy(time, 2);

  expect(after.knows(captured.proof)).toBe(false);
  expect(after.judge(captured)).toBe("refused");
  expect(after.judge(signed(session))).toBe("refused");
  // Nor does one of the very same secret: what was opened is in the memory of its server alone.
  expect(accessBy(time).judge(captured)).toBe("refused");
  expect(before.judge(captured)).toBe("let-in");
});

test("a signature is valid only for its method, target and body", () => {
  const access = accessBy();
  const session = sessionOf(access);
  const sent = signed(session, { method: "POST", target: "/api/act?a=b", body: '{"x":1}' });
  const odd: Partial<SignedRequest>[] = [
    ...[{ method: "GET" }, { target: "/api/act" }, { target: "/api/stop?a=b" }],
    ...[{ body: '{"x":2}' }, { body: "" }, { proof: undefined }, { proof: "" }],
    { proof: sent.proof?.toUpperCase() },
    { proof: sent.proof?.replace(session.id, sessionOf(access).id) },
    { proof: `${sent.proof} ` },
    { proof: signed(sessionOf(access)).proof },
  ];

  for (const change of odd) expect(access.judge({ ...sent, ...change })).toBe("refused");
  expect(access.judge(sent)).toBe("let-in");
});

test("a repeated request is not carried out again, but can be read again", () => {
  const access = accessBy();
  const session = sessionOf(access);
  const [look, act] = [signed(session), signed(session, { method: "POST" })];

  expect([access.judge(act), access.judge(act)]).toEqual(["let-in", "repeated"]);
  expect([access.judge(look), access.judge(look)]).toEqual(["let-in", "let-in"]);
});

test("answers prove the server to sessions and to holders of its tokens", () => {
  const time = new ManualClock();
  const access = accessBy(time);
  const [session, token] = [sessionOf(access), tokenSession(access.newToken())];

  for (const signer of [session, token]) {
    const proof = proofOf(signer, { path: "/api/look" });
    expect(access.answerTo(proof, 200)).toBe(answerOf(signer, proof, 200));
    expect(access.answerTo(proof, 401)).not.toBe(access.answerTo(proof, 200));
    expect(accessBy(time, 2).answerTo(proof, 200)).not.toBe(answerOf(signer, proof, 200));
  }
  expect(accessBy(time, 2).answerTo(proofOf(session, { path: "/" }), 200)).toBeUndefined();
  expect(access.answerTo(undefined, 200)).toBeUndefined();
});

test("no answer can be used as the proof of a request", () => {
  const access = accessBy();
  const session = sessionOf(access);
  const sent = signed(session);
  const [id = "", nonce = ""] = (sent.proof ?? "").split(" ");

  const answer = access.answerTo(sent.proof, 200);

  expect(access.judge({ ...sent, proof: `${id} ${nonce} ${answer}` })).toBe("refused");
});

test("only a limited number of sessions is kept, the newest", () => {
  const access = accessBy();
  const [first, ...others] = Array.from({ length: 201 }, () => sessionOf(access));

  expect(access.judge(signed(first ?? tokenSession("")))).toBe("refused");
  for (const session of others) expect(access.judge(signed(session))).toBe("let-in");
});
