import { TeamError } from "../../errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { parseRule, type Rule } from "../../permissions/rule.ts";
import { user } from "../../protocol/ids.ts";
import type { MessageOf } from "../../protocol/message-types.ts";
import type { RuleChange } from "../../protocol/team.ts";
import type { Requests } from "../../requests/requests.ts";
import type { EventHub } from "../event-hub.ts";
import type { MemberHandle } from "../members/member-handle.ts";
import type { RosterKeeper } from "../members/roster-keeper.ts";
import { messageIdFor } from "../message-id-for.ts";
import type { Post } from "../post.ts";
import {
  allowing,
  asTeamRule,
  ruleKey,
  type SourcedChange,
  storedChanges,
  unknownRule,
} from "./added-rules.ts";

/** A permission rule as a person writes it. */
export interface RuleDraft {
  /** What happens to the calls that the rule covers. */
  decision: "allow" | "ask" | "deny";
  /** The tool, and in parentheses what it covers: `bash(npm test:*)`. */
  rule: string;
}

/** A permission rule that applies to all members of a team. */
export interface TeamRule extends RuleDraft {
  /**
   * - `start`: the team was opened with it;
   * - `answer`: the person answered a request with "always";
   * - `person`: it was added to the running team.
   */
  from: "start" | "answer" | "person";
  /** Where a rule of the start was given, such as a flag or the path of a settings file. */
  origin?: string;
  /** Since when it applies, in UTC; for a rule of the start, since the team was opened. */
  since: string;
}

export interface TeamRulesOptions {
  requests: Pick<Requests, "list">;
  keeper: RosterKeeper;
  post: Pick<Post, "send">;
  hub: Pick<EventHub, "say">;
  clock: Clock;
  /** Everybody who is alive, the lead too. */
  members(): readonly MemberHandle[];
  /** The rules that the team was started with. */
  rules: readonly Rule[];
}

/** So many rules can be added to a running team; removing one always works. */
const maxChanges = 1_000;

type ParsedChange = SourcedChange & { parsed: Rule };

/**
 * The rules of a team: those of the start, and over them the person's changes, of which the last one
 * of each rule counts.
 */
export class TeamRules {
  readonly #options: TeamRulesOptions;
  readonly #openedAt: string;
  readonly #changes = new Map<string, ParsedChange>();

  constructor(options: TeamRulesOptions) {
    this.#options = options;
    this.#openedAt = options.clock.now().toISOString();
  }

  /** The rules in force. */
  get inForce(): readonly Rule[] {
    const added = [...this.#changes.values()].filter((each) => this.#isAdded(each));
    return [...this.#options.rules, ...added.map(({ parsed }) => parsed)];
  }

  list(): TeamRule[] {
    const given = this.#options.rules.map(
      ({ decision, text, origin }): TeamRule => ({
        ...{ decision, rule: text, from: "start", since: this.#openedAt },
        ...(origin !== undefined && { origin }),
      }),
    );
    const added = [...this.#changes.values()].filter((each) => this.#isAdded(each));
    return [...given, ...added.map(asTeamRule)];
  }

  /** Restores the person's changes of earlier processes. */
  async restore(): Promise<void> {
    const { requests, keeper } = this.#options;
    const approved = await requests.list({ state: "approved", type: "permission" });
    const { rules } = await keeper.permissions();
    for (const { from, ...change } of storedChanges(approved, rules)) this.#enter(change, from);
  }

  /** Adds a rule for all members. One that is in force already stays as it is. */
  async add(draft: RuleDraft): Promise<TeamRule> {
    parseRule(draft.decision, draft.rule);
    const known = this.#find(draft);
    if (known) return known;
    await this.#change({ ...plain(draft), change: "added", at: this.#nextTime(draft) });
    const added = this.#find(draft);
    if (!added) throw new Error(`The rule ${draft.rule} was not added`);
    return added;
  }

  /** Removes a rule from all members. Throws for one of the start, which would be back at the next. */
  async remove(draft: RuleDraft): Promise<void> {
    const known = this.#find(draft);
    if (!known)
      throw unknownRule(
        draft,
        this.list().filter(({ from }) => from !== "start"),
      );
    if (known.from === "start") throw ruleOfTheStart(known);
    await this.#change({ ...plain(draft), change: "removed", at: this.#nextTime(draft) });
  }

  /** A change that came by mail: nothing where it is known, or older than what is. */
  async takeFromMail(update: MessageOf<"team_permission_update">): Promise<void> {
    const { decision, rule, removed, timestamp } = update;
    const at = new Date(timestamp * 1000).toISOString();
    const last = this.#changes.get(ruleKey(update));
    if (last && Date.parse(last.at) >= Date.parse(at)) return;
    const known = this.#find(update);
    if ((known === undefined) === (removed ?? false)) return;
    if (known?.from === "start") throw ruleOfTheStart(known);
    const change = removed ? "removed" : "added";
    await this.#keep({ decision, rule, change, at });
    this.#announce({ decision, rule, change, at }, "person");
  }

  /** The rule of an answer, which is stored with its request. */
  async takeFromAnswer(rule: string, at: string, cause: string): Promise<void> {
    const change = { ...allowing(rule), at };
    const last = this.#changes.get(ruleKey(change));
    if (last?.change === "removed" && Date.parse(last.at) >= Date.parse(at)) {
      // The clock was set back: a restart would take the removal for the later one.
      await this.#keep({ ...change, at: this.#nextTime(change) });
    }
    if (!this.#find(change)) this.#announce(change, "answer");
    await this.#send(change, cause);
  }

  /** Gives a member the rules as they are by now. */
  async giveTo(member: MemberHandle): Promise<void> {
    await member.order({ type: "set-rules", rules: this.inForce });
  }

  async #change(change: RuleChange): Promise<void> {
    await this.#keep(change);
    this.#announce(change, "person");
    await this.#send(change, `${change.change} at ${change.at}: ${ruleKey(change)}`);
  }

  async #keep(change: RuleChange): Promise<void> {
    const others = (rules: readonly RuleChange[]) =>
      rules.filter((each) => ruleKey(each) !== ruleKey(change));
    const known = others((await this.#options.keeper.permissions()).rules);
    // What was allowed can always be taken back.
    if (change.change === "added" && known.length >= maxChanges) throw tooMany();
    await this.#options.keeper.changePermissions((known) => ({
      ...known,
      rules: [...others(known.rules), change],
    }));
  }

  /** Puts a change into force for everybody, and shows it. */
  #announce(change: RuleChange, from: SourcedChange["from"]): void {
    const { at: _, ...shown } = change;
    this.#enter(change, from);
    for (const member of this.#options.members()) void this.giveTo(member);
    this.#options.hub.say({ type: "rule-change", ...shown });
  }

  /** Sends the change to all members; members that are spawned later have it from the start. */
  async #send({ decision, rule, change, at }: RuleChange, cause: string): Promise<void> {
    const { post, members } = this.#options;
    const time = new Date(at);
    for (const { name } of members()) {
      await post.send(name, {
        id: messageIdFor(`rule of ${cause} for ${name}`, time),
        type: "team_permission_update",
        from: user,
        timestamp: time.getTime() / 1000,
        ...{ rule, decision, ...(change === "removed" && { removed: true }) },
      });
    }
  }

  #enter(change: RuleChange, from: SourcedChange["from"]): void {
    const parsed = parseRule(change.decision, change.rule);
    // At the end of the list again, as after a restart.
    this.#changes.delete(ruleKey(change));
    this.#changes.set(ruleKey(change), { ...change, from, parsed });
  }

  #isAdded(change: ParsedChange): boolean {
    const isGiven = this.#options.rules.some(
      ({ decision, text }) => ruleKey({ decision, rule: text }) === ruleKey(change),
    );
    return change.change === "added" && !isGiven;
  }

  #find(draft: RuleDraft): TeamRule | undefined {
    return this.list().find((rule) => ruleKey(rule) === ruleKey(draft));
  }

  /** Now, but later than the last change of the rule: a restart puts them in order by their times. */
  #nextTime(draft: RuleDraft): string {
    const last = this.#changes.get(ruleKey(draft));
    const nowMs = this.#options.clock.now().getTime();
    return new Date(last ? Math.max(nowMs, Date.parse(last.at) + 1) : nowMs).toISOString();
  }
}

function plain({ decision, rule }: RuleDraft): RuleDraft {
  return { decision, rule };
}

function ruleOfTheStart(rule: TeamRule): TeamError {
  const origin = rule.origin ?? "the options that the team was opened with";
  return new TeamError("config-invalid", `The rule "${ruleKey(rule)}" comes from ${origin}`, {
    hint: "Remove it there, or add a stricter rule: deny counts before ask, and ask before allow.",
  });
}

function tooMany(): TeamError {
  return new TeamError("config-invalid", `The team has had ${maxChanges} changes of rules`, {
    hint: "Write the rules into a settings file, or give them as options.",
  });
}
