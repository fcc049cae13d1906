import { Prose } from "../../parts/prose.tsx";
import { useStore } from "../../state/store.ts";
import type { TranscriptLoader } from "./transcript-loader.ts";

const says = { thinks: "thinks", writes: "writes", runs: "runs a tool" } as const;

/** What the member says at this moment, below everything that its transcript has. */
export function LiveTextsView({ reader, member }: { reader: TranscriptLoader; member: string }) {
  const texts = useStore(reader.live, (live) => live.texts);
  return (
    <>
      {texts.map(({ key, kind, text }) => (
        <article key={`${kind} ${key}`} class={`row live ${kind}`}>
          <p class="row-title">
            {member} {says[kind]}…
          </p>
          {kind === "writes" ? <Prose text={text} /> : <pre class="live-text">{text}</pre>}
        </article>
      ))}
    </>
  );
}
