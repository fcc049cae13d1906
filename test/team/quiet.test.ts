import { expect, test } from "vitest";
import { systemClock } from "../../src/lib/clock.ts";
import { lead, user } from "../../src/protocol/ids.ts";
import { MemoryTeamStore } from "../../src/team/memory-team-store.ts";
import { Team } from "../../src/team/team.ts";
import type { MemberStore } from "../../src/team/team-store.ts";
import { ScriptedModel, says } from "../../src/testing/scripted-model.ts";
import { temporaryDirectory } from "../../src/testing/temporary-directory.ts";
import { teamPlace } from "../support/team.ts";

test("P22 a team is not quiet while a member has mail that it was not woken for", async () => {
  await using fixture = await openDeafTeam([says("Ready."), says("Done.")]);
  const { team, store } = fixture;
  await team.prompt("Go.");
  await team.quiet();

  await store.send(lead, { type: "message", from: user, content: "One thing more." });
  const { result } = await team.quiet();

  expect(result).toBe("Done.");
});

test("P22 mail that wakes nobody does not keep a team from being quiet, however often it is checked", async () => {
  await using fixture = await openDeafTeam([says("Ready.")]);
  const { team, store } = fixture;
  await team.prompt("Go.");
  await store.send(lead, { type: "idle_notification", from: user, content: "" });

  expect((await team.quiet()).result).toBe("Ready.");
  expect((await team.quiet()).result).toBe("Ready.");
});

/** A team whose members hear of mail only when they look for it, as over a wire that is slow. */
async function openDeafTeam(script: ConstructorParameters<typeof ScriptedModel>[0]) {
  const workspace = await temporaryDirectory();
  const store = new DeafStore({ clock: systemClock });
  const team = await Team.open({
    place: teamPlace(workspace.path, { onWarning: () => undefined }),
    cwd: workspace.path,
    model: "scripted",
    openModel: () => new ScriptedModel(script),
    store,
  });
  return {
    team,
    store,
    async [Symbol.asyncDispose]() {
      await team.close();
      await workspace[Symbol.asyncDispose]();
    },
  };
}

class DeafStore extends MemoryTeamStore {
  override async openMember(
    ...given: Parameters<MemoryTeamStore["openMember"]>
  ): Promise<MemberStore> {
    const own = await super.openMember(...given);
    const { reader } = own;
    return {
      ...own,
      reader: {
        unread: () => reader.unread(),
        acknowledge: (upTo) => reader.acknowledge(upTo),
        giveBack: (upTo) => reader.giveBack(upTo),
        withdraw: (id) => reader.withdraw(id),
        onWake: () => () => undefined,
        [Symbol.asyncDispose]: () => reader[Symbol.asyncDispose](),
      },
    };
  }
}
