import { mkdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { hasErrno } from "../../src/errors.ts";
import { Secrets } from "../../src/lib/secrets.ts";
import { lead, MemberName, newMessageId, user } from "../../src/protocol/ids.ts";
import type { Message } from "../../src/protocol/message.ts";
import type { ReceivedMail, TranscriptEntry } from "../../src/protocol/transcript.ts";
import { teamLayout } from "../../src/team/team-layout.ts";
import { FileTeamView } from "../../src/team/view/file-team-view.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import type { HistoryLimits } from "../../src/workspace/change-history.ts";
import { ChangeKeepers } from "../../src/workspace/change-keepers.ts";
import { FileChangeHistory } from "../../src/workspace/file-change-history.ts";
import { openStore, teamPlace } from "./team.ts";

interface Mail {
  content: string;
  from?: string;
  type?: "message" | "broadcast" | "idle_notification";
}

/** A team that has run in a directory outside of git. Its clock advances with everything that happens. */
export class PromptedTeam {
  readonly root: string;
  readonly clock = new ManualClock();
  readonly #limits: HistoryLimits | undefined;
  #offset = 0;

  private constructor(root: string, limits: HistoryLimits | undefined) {
    this.root = root;
    this.#limits = limits;
  }

  static async make(directory: string, limits?: HistoryLimits): Promise<PromptedTeam> {
    const root = join(await realpath(directory), "work");
    await mkdir(root);
    return new PromptedTeam(root, limits);
  }

  get place() {
    return teamPlace(this.root, { clock: this.clock });
  }

  get view(): FileTeamView {
    return new FileTeamView(this.place);
  }

  get now(): string {
    return this.clock.now().toISOString();
  }

  path(name: string): string {
    return join(this.root, name);
  }

  /** The person prompts the lead. */
  prompt(content: string): Promise<void> {
    return this.record(this.delivery({ content }));
  }

  delivery(mail: Mail): TranscriptEntry {
    return { type: "delivery", at: this.now, ...this.received(mail) };
  }

  received({ content, from = user, type = "message" }: Mail): ReceivedMail {
    this.#offset += 10;
    const message: Message = {
      ...{ id: newMessageId(this.clock.now()), type, from: MemberName.parse(from), to: lead },
      ...{ content, timestamp: this.clock.now().getTime() / 1_000 },
    };
    return { message, position: { generation: 0, offset: this.#offset } };
  }

  /** The lead sees or says something. */
  async record(...entries: TranscriptEntry[]): Promise<void> {
    await using store = await openStore(this.root, { clock: this.clock });
    const { transcript } = await store.openMember(lead, { onSetAside: () => undefined });
    await transcript.append(entries);
    this.clock.advance(1_000);
  }

  /** Changes files as tools do it; a file without a text is removed. */
  async change(texts: Record<string, string | undefined>, root = this.root): Promise<void> {
    await using store = await openStore(this.root, { clock: this.clock });
    const history = new FileChangeHistory({
      ...{ directory: teamLayout(this.place.directory).checkpoints, signer: store.signature },
      ...{ clock: this.clock, onWarning: this.place.onWarning },
      ...(this.#limits && { limits: this.#limits }),
    });
    const keepers = new ChangeKeepers(history, new Secrets(["a-password-of-the-person"]));
    for (const [name, text] of Object.entries(texts)) {
      const path = join(root, name);
      const [before, after] = [await contentOf(path), text && Buffer.from(text)];
      await keepers.of(lead).keep({ root, path, before, after: after || undefined });
      await mkdir(dirname(path), { recursive: true });
      await (after ? writeFile(path, after) : rm(path));
    }
    this.clock.advance(1_000);
  }
}

async function contentOf(path: string): Promise<Buffer | undefined> {
  return readFile(path).catch((error: unknown) => {
    if (hasErrno(error, "ENOENT")) return undefined;
    throw error;
  });
}
