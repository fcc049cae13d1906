import type { MemberName } from "../src/protocol/ids.ts";
import type { Message } from "../src/protocol/message.ts";

/** A message that shows whether it is whole, its sender, and its number. */
export interface Letter {
  sender: MemberName;
  number: number;
}

export function letterKey({ sender, number }: Letter): string {
  return `${sender} ${number}`;
}

export function letterText(letter: Letter, length: number): string {
  const filling = String.fromCharCode("a".charCodeAt(0) + (letter.number % 26));
  return `${letterKey(letter)} ${length} `.padEnd(length, filling);
}

/** The letter in a message; undefined if it was changed. */
export function readLetter({ from, content }: Message): Letter | undefined {
  const match = /^\S+ (\d+) (\d+) /.exec(content);
  const letter = { sender: from, number: Number(match?.[1]) };
  return match && content === letterText(letter, Number(match[2])) ? letter : undefined;
}

/** The result for the letters. All but `sent` and `seen` must be zero. */
export interface Tally {
  /** Sends that returned. */
  sent: number;
  /** Deliveries in the transcript. */
  seen: number;
  /** Sent, but neither in the transcript nor visibly undelivered. */
  lost: number;
  /** In the transcript more than once, or both there and undelivered. */
  twice: number;
  /** Deliveries that are no whole letter of their sender. */
  torn: number;
  /** Letters that were delivered after a later one of the same sender. */
  misordered: number;
}

export interface TallyOptions {
  /** The keys of letters whose sending returned. */
  sent: ReadonlySet<string>;
  seen: AsyncIterable<Message> | Iterable<Message>;
  undelivered?: ReadonlySet<string>;
}

export async function tallyLetters(options: TallyOptions): Promise<Tally> {
  const { sent, seen, undelivered = new Set() } = options;
  const tally = { sent: sent.size, seen: 0, lost: 0, twice: 0, torn: 0, misordered: 0 };
  const arrived = new Set<string>(undelivered);
  const newest = new Map<MemberName, number>();
  for await (const message of seen) {
    tally.seen++;
    const letter = readLetter(message);
    if (!letter) {
      tally.torn++;
      continue;
    }
    const { sender, number } = letter;
    const key = letterKey(letter);
    const isLate = number < (newest.get(sender) ?? -1);
    if (arrived.has(key)) tally.twice++;
    // If sending threw, the sender knows that delivery is uncertain.
    else if (isLate && sent.has(key)) tally.misordered++;
    arrived.add(key);
    newest.set(sender, Math.max(number, newest.get(sender) ?? -1));
  }
  tally.lost = [...sent].filter((key) => !arrived.has(key)).length;
  return tally;
}

/** The faults in a tally, as text. */
export function faultsIn({ lost, twice, torn, misordered }: Tally): string[] {
  return Object.entries({ lost, twice, torn, misordered })
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name}`);
}
