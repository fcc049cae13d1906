import type { Io } from "./command.ts";

type PipedInput = Pick<Io, "terminal" | "schedule" | "err" | "signal">;

/** How long a pipe may be silent at the start before the prompt is taken alone. */
const silentMs = 3_000;
/** More than a message may have: what comes after it is not kept, and the message is refused. */
const maxBytes = 512 * 1024;

/** The prompt with what was piped into the program after it; for the prompt `-`, that alone. */
export async function withPipedText(prompt: string, io: PipedInput): Promise<string> {
  const isAsked = prompt === "-";
  const text = await readAll(io, isAsked ? undefined : silentMs);
  if (text === undefined) {
    io.err("note: nothing came from standard input in 3 seconds, so it is left out.");
    return prompt;
  }
  if (isAsked) return text;
  return text.trim() === "" ? prompt : `${prompt}\n\n<stdin>\n${text.replace(/\n$/, "")}\n</stdin>`;
}

/** Everything until the end; undefined if nothing came within `startMs`. */
async function readAll(
  { terminal, schedule, signal }: PipedInput,
  startMs: number | undefined,
): Promise<string | undefined> {
  const { input } = terminal;
  const chunks: string[] = [];
  let bytes = 0;
  return await new Promise((resolve, reject) => {
    let cancel = () => {};
    const end = (text: string | undefined) => {
      cancel();
      input.off("data", onData);
      input.off("end", onEnd);
      input.pause();
      resolve(text);
    };
    const onData = (chunk: string | Buffer) => {
      cancel();
      bytes += Buffer.byteLength(chunk);
      if (bytes <= maxBytes) chunks.push(chunk.toString());
    };
    const onEnd = () => end(chunks.join(""));
    if (startMs !== undefined) cancel = schedule(startMs, () => end(undefined));
    input.setEncoding("utf8");
    input.on("data", onData);
    input.on("end", onEnd);
    input.once("error", reject);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    input.resume();
  });
}
