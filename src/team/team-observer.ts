import { join } from "node:path";
import { TeamError } from "../errors.ts";
import type { Holder } from "../fence/fence.ts";
import { FileFence } from "../fence/file-fence.ts";
import { Signature } from "../keys/signature.ts";
import { loadTeamKey, openTeamKey, teamKeyPath } from "../keys/team-key.ts";
import { DirectoryWatch } from "../lib/directory-watch.ts";
import { ensurePrivateDirectory } from "../lib/files.ts";
import type { FollowOptions } from "../logs/event-log.ts";
import { FileEventReader } from "../logs/file-event-reader.ts";
import { FileUsageReader } from "../logs/file-usage-reader.ts";
import { FileMailbox } from "../mailbox/file-mailbox.ts";
import { readRecords } from "../mailbox/mail-history.ts";
import { mailLayout } from "../mailbox/mail-layout.ts";
import { MailWriter } from "../mailbox/mail-writer.ts";
import type { MailRecord } from "../mailbox/mailbox.ts";
import type { StoredEvent } from "../protocol/events.ts";
import { type MemberName, newRequestId, parseMemberName, user } from "../protocol/ids.ts";
import type { Message, MessageDraft } from "../protocol/message.ts";
import type { Request } from "../protocol/request.ts";
import type { Task } from "../protocol/task.ts";
import type { TeamRecord } from "../protocol/team.ts";
import type { UsageTotal } from "../protocol/usage.ts";
import { FileRequests } from "../requests/file-requests.ts";
import type { RequestFilter } from "../requests/requests.ts";
import { lastGoodFile, readTeamFile } from "../roster/team-file.ts";
import { FileTaskBoard } from "../tasks/file-task-board.ts";
import { answerMessage, findQuestion, type PersonsAnswer } from "./protocols/persons-answer.ts";
import { findRecipient } from "./recipient.ts";
import { type TeamLayout, teamLayout } from "./team-layout.ts";
import type { TeamPlace } from "./team-place.ts";
import { TranscriptView } from "./transcript-view.ts";

/**
 * A team as seen from any other process, running or not. It looks at everything and changes
 * nothing, but that it can leave mail, as the person, like anybody with the team's key.
 */
export class TeamObserver {
  readonly team: TeamRecord;
  readonly #place: TeamPlace;
  readonly #layout: TeamLayout;
  #signature: Promise<Signature | undefined> | undefined;

  private constructor(place: TeamPlace, team: TeamRecord) {
    this.team = team;
    this.#place = place;
    this.#layout = teamLayout(place.directory);
  }

  static async open(place: TeamPlace): Promise<TeamObserver> {
    const team = await readTeam(place);
    if (team) return new TeamObserver(place, team);
    throw new TeamError("team-missing", `There is no team in ${place.directory}`, {
      hint: "Go to the directory of a team, or name its directory with --team-dir.",
    });
  }

  /** Whoever runs the team; undefined when nobody does. */
  async lead(): Promise<Holder | undefined> {
    const { clock, processes, onWarning } = this.#place;
    const directory = this.#layout.fence;
    const fence = new FileFence({ directory, clock, processes, onNotice: onWarning });
    const holder = await fence.look();
    return holder?.isAlive ? holder : undefined;
  }

  tasks(): Promise<Task[]> {
    const { clock, onWarning } = this.#place;
    return new FileTaskBoard({
      directory: this.#layout.tasks,
      clock,
      onDamage: onWarning,
    }).list();
  }

  /** What happened after event number `after`, then what happens, until `signal` aborts. */
  async *follow(options: FollowOptions): AsyncGenerator<StoredEvent> {
    const { clock, onWarning } = this.#place;
    const { directory, events: path } = this.#layout;
    using wakes = new DirectoryWatch({ directory, clock, onFallback: onWarning });
    yield* new FileEventReader({ path, wakes }).follow(options);
  }

  /** What a member saw, said and did. */
  transcript(name: MemberName): TranscriptView {
    const { clock, onWarning } = this.#place;
    const directory = this.#layout.transcripts;
    return new TranscriptView({
      path: join(directory, `${name}.jsonl`),
      onDamage: ({ reason }) => onWarning(reason),
      watch: () => new DirectoryWatch({ directory, clock, onFallback: onWarning }),
    });
  }

  /** What each member's model calls have cost so far. */
  usage(): Promise<Map<MemberName, UsageTotal>> {
    const onDamage = ({ reason }: { reason: string }) => this.#place.onWarning(reason);
    return new FileUsageReader(this.#layout.usage, { onDamage }).totals();
  }

  /** The lead and everybody who is or was in the team. */
  members(): MemberName[] {
    return [this.team.lead, ...this.team.members.map(({ name }) => name)];
  }

  /** A member by the name a person typed; it may have ended. */
  findMember(name: string): MemberName {
    const member = parseMemberName(name);
    if (this.members().includes(member)) return member;
    throw new TeamError("member-unknown", `Nobody here is named '${member}'`, {
      hint: `Members: ${this.members().join(", ")}.`,
    });
  }

  /** A member's mail, newest first. What waits for a member that has ended is undelivered. */
  async *mail(owner: MemberName): AsyncGenerator<MailRecord> {
    const hasEnded = this.team.members.some(
      ({ name, status }) => name === owner && status === "shutdown",
    );
    const layout = mailLayout(this.#layout.inbox, owner);
    this.#signature ??= this.#loadSignature();
    const signature = await this.#signature;
    for await (const record of readRecords({ layout, owner, signature })) {
      if (hasEnded && record.state === "queued") yield { ...record, state: "undelivered" };
      else yield record;
    }
  }

  /** Leaves a message of the person. It is seen when the team runs. */
  send(to: string, content: string): Promise<Message> {
    return this.#leave(to, { type: "message", from: user, content });
  }

  /** What waits for an answer, approvals and plans for the person among them. */
  openRequests(): Promise<Request[]> {
    return this.requests({ state: "pending" });
  }

  /** All questions of the team's protocols, open and decided, oldest first. */
  async requests(filter: RequestFilter = {}): Promise<Request[]> {
    return this.#requests(await this.#signatureToSend()).list(filter);
  }

  /** Answers a question that is put to the person. Whoever runs the team carries it out. */
  async answer(id: string, answer: PersonsAnswer): Promise<void> {
    const request = await findQuestion(this.#requests(await this.#signatureToSend()), id);
    await this.#leave(request.from, answerMessage(request, answer));
  }

  /** Ends a teammate without asking it; all of them, and the lead's run, unless said. */
  async stop(name: string = this.team.lead): Promise<void> {
    const request_id = newRequestId(this.#place.clock.now());
    await this.#leave(name, { type: "shutdown_request", from: user, request_id });
  }

  async #leave(to: string, draft: MessageDraft): Promise<Message> {
    const owner = findRecipient(this.team, to);
    await ensurePrivateDirectory(this.#layout.inbox);
    using writer = new MailWriter();
    const mailbox = new FileMailbox({
      inbox: this.#layout.inbox,
      owner,
      signature: await this.#signatureToSend(),
      clock: this.#place.clock,
      writer,
      watch: { subscribe: () => () => undefined },
      check: async () => undefined,
      onWarning: this.#place.onWarning,
    });
    return await mailbox.append(draft);
  }

  #requests(signature: Signature): FileRequests {
    const { clock, onWarning } = this.#place;
    return new FileRequests({
      directory: this.#layout.requests,
      signature,
      clock,
      onDamage: onWarning,
      onForgery: onWarning,
    });
  }

  async #loadSignature(): Promise<Signature | undefined> {
    const key = await loadTeamKey({ path: this.#keyPath() });
    if (key) return new Signature(key);
    this.#place.onWarning(
      `The team's key ${this.#keyPath()} is missing: senders are shown as the messages claim.`,
    );
    return undefined;
  }

  async #signatureToSend(): Promise<Signature> {
    const path = this.#keyPath();
    const key = await loadTeamKey({ path });
    if (key) return new Signature(key);
    const lead = await this.lead();
    if (lead) {
      throw new TeamError("key-unavailable", `The team's key ${path} is missing`, {
        hint: `The lead (pid ${lead.pid}) keeps its key in memory, so nobody else can sign. Write to the lead itself, or start it again where that file can be written.`,
      });
    }
    const made = await openTeamKey({ path });
    if (made.origin !== "memory") return made.signature;
    throw new TeamError("key-unavailable", `The team's key ${path} cannot be written`, {
      hint: "Make its directory writable, or set TROUPE_KEY_FILE.",
    });
  }

  #keyPath(): string {
    return teamKeyPath({ teamId: this.team.team_id, ...this.#place.keyPlace });
  }
}

/** The roster, or the last good one while somebody has made nonsense of it. */
async function readTeam({ directory, onWarning }: TeamPlace): Promise<TeamRecord | undefined> {
  try {
    return (await readTeamFile(directory))?.team;
  } catch (error) {
    if (!(error instanceof TeamError) || error.code !== "config-invalid") throw error;
    const lastGood = await readTeamFile(directory, lastGoodFile);
    if (!lastGood) throw error;
    onWarning(`${error.message}. The last good roster is shown.`);
    return lastGood.team;
  }
}
