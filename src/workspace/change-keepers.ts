import type { Secrets } from "../lib/secrets.ts";
import { type MemberName, user } from "../protocol/ids.ts";
import type { ChangeHistory, ComingChange, NotedChange } from "./change-history.ts";

/** Keeps what files had in them before a change. */
export interface ChangeKeeper {
  /** When it resolves, a rewind knows of the change that is about to be made. */
  keep(change: ComingChange): Promise<void>;
}

/** The history of a team's files, as its tools and a rewind write it. */
export class ChangeKeepers {
  readonly #history: ChangeHistory;
  readonly #secrets: Pick<Secrets, "mask">;

  constructor(history: ChangeHistory, secrets: Pick<Secrets, "mask">) {
    this.#history = history;
    this.#secrets = secrets;
  }

  /** For the tools of one member. */
  of(member: MemberName): ChangeKeeper {
    return this.#keeper({ member, makesRoom: true });
  }

  /** For a rewind, which may need all that is kept. */
  ofRewind(): ChangeKeeper {
    return this.#keeper({ member: user, makesRoom: false });
  }

  #keeper(changer: Pick<NotedChange, "member" | "makesRoom">): ChangeKeeper {
    return {
      keep: (change) => {
        const isSecret = change.before !== undefined && this.#hasSecret(change.before);
        return this.#history.keep({ ...change, ...changer, isSecret });
      },
    };
  }

  #hasSecret(content: Buffer): boolean {
    const text = content.toString("latin1");
    return this.#secrets.mask(text) !== text;
  }
}
