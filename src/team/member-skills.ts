import { TeamError } from "../errors.ts";
import { nearest } from "../lib/nearest.ts";
import { type FoundSkills, findSkills } from "../skills/find-skills.ts";
import type { GuidancePlaces } from "../skills/guidance-places.ts";
import type { Skill } from "../skills/skill.ts";
import { type SkillList, skillList, skillText } from "../skills/skill-texts.ts";
import { failure, success, type ToolOutput } from "../tools/tool.ts";

/** More would hide what else is told at a start. */
const maxWarnings = 5;

/** The skills of one member, as they were found when it was opened. */
export class MemberSkills {
  readonly #found: FoundSkills;
  /** What it is told of them. */
  readonly list: SkillList;

  private constructor(found: FoundSkills) {
    this.#found = found;
    this.list = skillList(found);
  }

  /** Tells the person once what cannot be used, or not be described. */
  static async find(
    places: Omit<GuidancePlaces, "below">,
    onWarning: (message: string) => void,
  ): Promise<MemberSkills> {
    const found = await findSkills(places);
    const skills = new MemberSkills(found);
    const broken = found.unused.filter(({ isBroken }) => isBroken);
    for (const { path, reason } of broken.slice(0, maxWarnings)) {
      onWarning(`${path} is not used as a skill: ${reason}`);
    }
    const left = broken.length - maxWarnings;
    if (left > 0) onWarning(`${left} more skills are not used. See them with troupe skills.`);
    const { undescribed } = skills.list;
    const hidden = undescribed.length + found.left;
    if (hidden > 0) {
      onWarning(
        `${hidden} skills are not described to members: there are too many, or their descriptions are too long. See them with troupe skills.`,
      );
    }
    return skills;
  }

  get directories(): string[] {
    return this.#found.skills.map(({ directory }) => directory);
  }

  get(name: string): Skill | undefined {
    return this.#found.skills.find((skill) => skill.name === name);
  }

  /** Throws `spawn-refused` where one of them is not there. */
  require(names: readonly string[]): void {
    const missing = names.find((name) => !this.get(name));
    if (missing === undefined) return;
    const known = this.#found.skills.map(({ name }) => name);
    throw new TeamError("spawn-refused", `There is no skill '${missing}', which the role names`, {
      hint: advice(missing, known),
    });
  }

  /** The text of a skill that a member is given whole; undefined, with a warning, where that cannot be used. */
  async textOf(name: string, onWarning: (message: string) => void): Promise<string | undefined> {
    const skill = this.get(name);
    try {
      if (skill) return await skillText(skill);
      onWarning(`The skill ${name} is gone, which a role names. Its members go on without it.`);
    } catch (error) {
      if (!(error instanceof TeamError)) throw error;
      onWarning(error.message);
    }
    return undefined;
  }

  /** Those that a member may read by itself. */
  get namesForModel(): string[] {
    return this.#found.skills.flatMap(({ name, isForModel }) => (isForModel ? name : []));
  }
}

/** A skill as its tool answers. */
export async function readSkill(
  skills: MemberSkills | undefined,
  name: string,
): Promise<ToolOutput> {
  const names = skills?.namesForModel ?? [];
  const skill = skills?.get(name);
  if (!skill)
    return failure(`Error: There is no skill ${JSON.stringify(name)}. ${advice(name, names)}`);
  if (!skill.isForModel) {
    return failure(`Error: The skill ${name} is only for the person, who calls it as /${name}.`);
  }
  try {
    return success(await skillText(skill));
  } catch (error) {
    if (!(error instanceof TeamError)) throw error;
    return failure(`Error: ${error.message}.`);
  }
}

function advice(name: string, names: readonly string[]): string {
  if (names.length === 0) return "There are none.";
  const meant = nearest(name, names);
  if (meant !== undefined) return `Did you mean ${meant}?`;
  const left = names.length - maxNamed;
  return `Skills: ${names.slice(0, maxNamed).join(", ")}${left > 0 ? `, and ${left} others` : ""}.`;
}

const maxNamed = 50;
