import type { ConsentNeed } from "../../roles/consent-needs.ts";
import { RoleFiles } from "../../roles/role-files.ts";
import { oneLine } from "../render/one-line.ts";
import { answerOn } from "./consent.ts";
import type { RepositoryFile, RepositoryPlace } from "./repository-files.ts";
import { userRoleDirectories } from "./standard-places.ts";

/** The role files of a workspace and of the person. */
export function roleFiles({ workspace, processInfo }: RepositoryPlace): RoleFiles {
  return new RoleFiles({
    workspace,
    own: userRoleDirectories(processInfo),
    trusts: async (file) => (await answerOn({ kind: "role", ...file }, processInfo)) === "trusted",
  });
}

/** Those of the repository that need consent. One that cannot be used needs none. */
export async function roleRepositoryFiles(place: RepositoryPlace): Promise<RepositoryFile[]> {
  const { roles } = await roleFiles(place).find();
  const files: RepositoryFile[] = [];
  for (const { path, realPath, sha256, needs, problems } of roles) {
    if (needs.length === 0 || problems.length > 0) continue;
    const identity = { kind: "role", realPath, sha256 } as const;
    const answer = await answerOn(identity, place.processInfo);
    files.push({ ...identity, path, answer, needs: linesOf(needs), wording });
  }
  return files;
}

function linesOf(needs: readonly ConsentNeed[]): string[] {
  return needs.flatMap(({ lines }) => lines).map((line) => oneLine(line, Number.POSITIVE_INFINITY));
}

const wording = {
  asked: "is a role that may loosen what you permit, or cost more",
  trusted: "Members can have this role, with these fields",
  untrusted: "No member can have this role, because of these fields",
  withheld: "no member can have their roles",
};
