import { expect, test } from "vitest";
import { checkSpawnRequest } from "../../src/team/check-spawn-request.ts";
import type { SpawnRequest } from "../../src/tools/team/team-access.ts";

const request = { name: "alice", role: "coder", prompt: "Begin." };

test("right requests are accepted, and undefined fields count as left out", () => {
  const full: Required<SpawnRequest> = {
    ...{ ...request, model: "a/b", tools: ["bash"], mode: "plan", planRequired: true },
    ...{ effort: "low", root: "/copy", cwd: "sub", fresh: true, instructions: "Be brief." },
    sandbox: "required",
    isolation: "checkout",
    agent: "reviewer",
  };

  checkSpawnRequest(full);
  checkSpawnRequest(request);
  checkSpawnRequest({ ...request, model: undefined, planRequired: undefined });
});

test.each([
  [{ plan_required: true }, /no field "plan_required"/, /Did you mean planRequired\?/],
  [{ permission_mode: "plan" }, /no field "permission_mode"/, /The fields are name, role/],
  [{ name: 5 }, /The field name of a spawn is wrong/, /string/],
  [{ role: undefined }, /A spawn needs a role/, /agent/],
  [{ planRequired: "yes" }, /The field planRequired of a spawn is wrong/, /boolean/],
  [{ mode: "yolo" }, /The field mode of a spawn is wrong/, /acceptEdits/],
  [{ tools: "bash" }, /The field tools of a spawn is wrong/, /array/],
])("a spawn with %j is refused", (change, message, hint) => {
  const spawn = () => checkSpawnRequest({ ...request, ...change } as unknown as SpawnRequest);

  expect(spawn).toThrow(
    expect.objectContaining({
      code: "spawn-refused",
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    }),
  );
});
