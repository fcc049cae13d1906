import { memberInstructions } from "../instructions/instructions.ts";
import { contains } from "../lib/contains.ts";
import type { Permissions } from "../permissions/permissions.ts";
import { hasGuidance } from "../skills/guidance-places.ts";
import { skillDirectories } from "../skills/skill-directories.ts";
import { skillTool, skillToolName } from "../tools/skill.ts";
import { spawnToolName } from "../tools/team/teammates.ts";
import type { Tool } from "../tools/tool.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Equipment } from "./equipment.ts";
import type { MemberSkills } from "./member-skills.ts";
import type { MemberDefinition } from "./members/member-definition.ts";

/** Where the person's own guidance for members is, which they have beside the repository's. */
export interface GuidanceOptions {
  /** The absolute path of the file of the person's own instructions (default: there is none). */
  readonly instructions?: string | undefined;
  /** The absolute paths of directories with the person's own skills, in order of precedence (default: none). */
  readonly skills?: readonly string[] | undefined;
  /** The absolute paths of directories with the person's own commands, in order of precedence (default: none). */
  readonly commands?: readonly string[] | undefined;
}

interface GuidedMember {
  workspace: Workspace;
  permissions: Pick<Permissions, "mayRead">;
  definition: Pick<MemberDefinition, "skills">;
}

/** What files tell one member: instructions, and skills if there are any. */
export class MemberGuidance {
  readonly #equipment: Equipment;
  readonly #member: GuidedMember;
  readonly #skills: MemberSkills | undefined;

  private constructor(
    equipment: Equipment,
    member: GuidedMember,
    skills: MemberSkills | undefined,
  ) {
    this.#equipment = equipment;
    this.#member = member;
    this.#skills = skills;
  }

  static async open(equipment: Equipment, member: GuidedMember): Promise<MemberGuidance> {
    const { layout, guidance } = equipment;
    const { workspace, definition } = member;
    const places = {
      ...{ workspace, teamDirectory: layout.directory, personal: guidance.skills ?? [] },
    };
    // Most have none, and to look is much cheaper than to load what reads them.
    const isAnyNamed = (definition.skills?.length ?? 0) > 0;
    if (!isAnyNamed && !(await hasGuidance({ ...places, below: skillDirectories }))) {
      return new MemberGuidance(equipment, member, undefined);
    }
    const { MemberSkills } = await import("./member-skills.ts");
    const skills = await MemberSkills.find(places, (message) => equipment.warnOnce(message));
    // Those elsewhere have files, too, which their texts tell a member to read.
    workspace.letRead(skills.directories.filter((path) => !contains(workspace.root, path)));
    return new MemberGuidance(equipment, member, skills);
  }

  /** True if it is to be told of skills. */
  get hasSkills(): boolean {
    return this.#skills?.list.text !== undefined;
  }

  skillTool(): Tool {
    return skillTool(async (name) => {
      const { readSkill } = await import("./member-skills.ts");
      return readSkill(this.#skills, name);
    });
  }

  /** The texts of its first turn, which a compaction repeats, as they are now. */
  async texts(tools: ReadonlyMap<string, unknown>): Promise<readonly string[]> {
    const { place, layout, guidance } = this.#equipment;
    const { workspace: member, permissions } = this.#member;
    const instructions = await memberInstructions({
      ...{ member, teamDirectory: layout.directory },
      ...{ home: place.keyPlace.home, personal: guidance.instructions },
      mayRead: (path) => permissions.mayRead(path),
      onWarning: (message) => this.#equipment.warnOnce(message),
    });
    const skills = tools.has(skillToolName) ? this.#skills?.list.text : undefined;
    const roles = tools.has(spawnToolName) ? await this.#equipment.roles.introduction() : undefined;
    const texts = [instructions, skills, ...(await this.#given()), roles];
    return texts.filter((text) => text !== undefined);
  }

  /** Throws `spawn-refused` where a skill is not there that it is to be given. */
  requireSkills(): void {
    this.#skills?.require(this.#member.definition.skills ?? []);
  }

  /** The skills that it is given whole. One that was there at its spawn may be gone. */
  async #given(): Promise<string[]> {
    const { skills: names = [] } = this.#member.definition;
    const texts = names.map((name) =>
      this.#skills?.textOf(name, (message) => this.#equipment.warnOnce(message)),
    );
    return (await Promise.all(texts)).flatMap((text) => text ?? []);
  }
}
