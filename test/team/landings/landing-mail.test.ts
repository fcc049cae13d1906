import { expect, test } from "vitest";
import { TeamError } from "../../../src/errors.ts";
import { newLanding } from "../../../src/landing/landing-rules.ts";
import { CommitId, LandingId } from "../../../src/protocol/ids.ts";
import type { Landing, LandingCheck, LandingState } from "../../../src/protocol/landing.ts";
import type { MessageDraft } from "../../../src/protocol/message.ts";
import type { MemberRecord } from "../../../src/protocol/team.ts";
import { mailOfLanding } from "../../../src/team/landings/landing-mail.ts";
import { exampleTeam } from "../../../src/testing/conformance/roster.ts";
import { alice, target } from "../../support/landings.ts";
import { member } from "../../support/team.ts";

const commit = CommitId.parse("a".repeat(40));
const checkout = { path: "/checkout", base: commit, target };
const ref = "refs/troupe/team/alice/1";
const failed: LandingCheck = {
  ...{ command: "npm test", exit_code: 1, reason: "It ended with exit code 1", output: "1 failed" },
};

interface Told {
  to: string;
  draft: MessageDraft;
}

function landing(state: LandingState, fields: Partial<Landing> = {}): Landing {
  const draft = { member: alice, ref, commit, base: commit, target };
  const made = newLanding(draft, { id: LandingId.parse("7"), at: new Date(0) });
  return { ...made, state, ...fields };
}

/** What members are told of a landing. Mail to those of `gone` is refused. */
async function tell(
  about: Landing,
  {
    files = [],
    members = [],
    gone = [],
  }: { files?: string[]; members?: MemberRecord[]; gone?: string[] } = {},
): Promise<Told[]> {
  const told: Told[] = [];
  await mailOfLanding(about, files, {
    roster: async () => ({ ...exampleTeam(), members }),
    post: {
      send: async (to, draft) => {
        if (gone.includes(to)) throw new TeamError("member-ended", `'${to}' has ended`);
        told.push({ to, draft });
      },
    },
  });
  return told;
}

const textsOf = (told: readonly Told[]) =>
  told.map(({ draft }) => ("content" in draft ? draft.content : ""));

test("what has landed is told to the lead, its member, and all who have a checkout", async () => {
  const members: MemberRecord[] = [
    { ...member("alice"), checkout },
    { ...member("bob"), checkout },
    member("carol"),
    { ...member("dave", "shutdown"), checkout },
  ];

  const told = await tell(landing("landed", { merge_commit: commit }), {
    ...{ members, files: ["a.txt", "b.txt"] },
  });

  expect(told.map(({ to }) => to)).toEqual(["lead", "alice", "bob"]);
  expect(told[0]?.draft).toMatchObject({
    ...{ type: "landing_notification", from: "system", landing_id: "7", landing_state: "landed" },
  });
  const advice = `\nBefore you change the same files: git fetch origin && git merge origin/${target}`;
  const changed = "(aaaaaaaaaaaa). Changed:\n- a.txt\n- b.txt";
  expect(textsOf(told)).toEqual([
    `The work of alice is on ${target} now ${changed}`,
    `Your work is on ${target} now ${changed}${advice}`,
    `The work of alice is on ${target} now ${changed}${advice}`,
  ]);
});

test("a member without a checkout hears of its own work, and of many files the first are named", async () => {
  const files = Array.from({ length: 31 }, (_, index) => `${index}.txt`);

  const [, own] = await tell(landing("landed"), { files, members: [member("alice")] });
  const [full] = textsOf(await tell(landing("landed"), { files: files.slice(1) }));

  expect(own?.to).toBe("alice");
  expect(textsOf(own ? [own] : [])[0]).toContain("- 29.txt\n- and 1 more\n");
  expect(full).toMatch(/- 30\.txt$/);
  expect(textsOf(await tell(landing("landed")))).toEqual([
    `The work of alice is on ${target} now.`,
  ]);
});

const sentBack: [LandingState, Partial<Landing>, RegExp][] = [
  ["conflict", { files: ["a.txt"] }, /^Your work cannot be merged with .*In conflict:\n- a\.txt\n/],
  ["rejected", { check: failed }, /has not passed the check there: npm test\n.*exit code 1\. The/],
  [
    "rejected",
    { check: { ...failed, output: "", output_path: "/outputs/check.txt" } },
    /exit code 1\. It printed nothing\.\n\(The whole output is in \/outputs\/check\.txt\.\)\n/,
  ],
  ["rejected", {}, /has not passed the check there\.\n/],
];

test.each(sentBack)(
  "what is sent back as %s wakes its member, which is told how to solve it",
  async (state, fields, text) => {
    const [told, ...others] = await tell(landing(state, { attempt: 2, ...fields }));

    expect(others).toEqual([]);
    expect(told).toMatchObject({ to: "alice", draft: { type: "message", from: "system" } });
    const [content = ""] = textsOf(told ? [told] : []);
    expect(content).toMatch(text);
    expect(content).toMatch(/git merge origin\/troupe\/default.*this was attempt 2 of 3\.$/s);
  },
);

test("where its member has ended, the lead is told where the work is", async () => {
  const [told] = await tell(landing("conflict", { files: ["a.txt"] }), { gone: ["alice"] });

  expect(told?.to).toBe("lead");
  expect(textsOf(told ? [told] : [])[0]).toMatch(
    /^The work of alice cannot be merged.*kept as refs/s,
  );
});

const givenUp: [Partial<Landing>, RegExp][] = [
  [
    { files: ["a.txt"], reason: "Given up" },
    /has not landed\. Given up\n- a\.txt\n\nIt is kept as refs/,
  ],
  [{ check: failed }, /has not landed\. It has failed: npm test\n/],
];

test.each(givenUp)("the lead acts on what is given up", async (fields, text) => {
  const [told] = await tell(landing("failed", fields));

  expect(told).toMatchObject({ to: "lead", draft: { type: "message" } });
  expect(textsOf(told ? [told] : [])[0]).toMatch(text);
});

test("what waits is told to the lead, and what is discarded to its member, if it is there", async () => {
  const waiting = await tell(landing("taken", { reason: "It changes submodules" }));
  const discarded = await tell(landing("discarded", { reason: "too large" }));

  expect(waiting).toMatchObject([{ to: "lead", draft: { landing_state: "taken" } }]);
  expect(textsOf(waiting)[0]).toMatch(/waits for the person: It changes submodules\./);
  expect(discarded).toMatchObject([{ to: "alice", draft: { landing_state: "discarded" } }]);
  expect(textsOf(discarded)[0]).toContain("(landing 7): too large. It will not land");
  expect(textsOf(await tell(landing("discarded")))[0]).toContain("(landing 7). It will not land");
  expect(await tell(landing("discarded"), { gone: ["alice"] })).toEqual([]);
  for (const state of ["merged", "replaced"] as const) {
    expect(await tell(landing(state))).toEqual([]);
  }
});

test("an error that has nothing to do with the recipient is not overlooked", async () => {
  const post = { send: () => Promise.reject(new TeamError("write-failed", "no space")) };
  const options = { post, roster: async () => exampleTeam() };

  for (const state of ["landed", "conflict"] as const) {
    const telling = mailOfLanding(landing(state), [], options);
    await expect(telling).rejects.toMatchObject({ code: "write-failed" });
  }
});

test("the same is told once, and each state, version and recipient for itself", async () => {
  const idsOf = async (about: Landing, members: MemberRecord[] = []) =>
    (await tell(about, { members })).map(({ draft }) => draft.id);
  const members = [{ ...member("bob"), checkout }];
  const first = landing("landed", { version: 3 });

  const [toLead, toBob] = await idsOf(first, members);

  expect(await idsOf(first, members)).toEqual([toLead, toBob]);
  expect(toBob).not.toBe(toLead);
  expect(await idsOf(landing("landed", { version: 4 }))).not.toEqual([toLead]);
  const [waiting] = await idsOf(landing("taken", { version: 3 }));
  expect(waiting).not.toBe(toLead);
});
