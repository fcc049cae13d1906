import type { z } from "zod";
import { ProviderFigures, ProviderUrl, type Scene, TeamFigures } from "./contract.ts";
import type { Workbench } from "./workbench.ts";

export interface Play {
  /** Names the directory it is played in. */
  name: string;
  scene: z.infer<typeof Scene>;
  teammates?: number;
  times?: number;
}

export interface Performance {
  provider: ProviderFigures;
  team: TeamFigures;
}

/** A team in a process of its own, on a provider in another. */
export async function play(
  workbench: Workbench,
  { name, scene, teammates = 1, times = 1 }: Play,
): Promise<Performance> {
  const directory = await workbench.directory(name);
  await using provider = await workbench.start("provider", { scene, teammates });
  const { url } = await provider.ask({ question: "url" }, ProviderUrl);
  await using team = await workbench.start("team", { directory, url, scene, teammates, times });
  const figures = await team.ask({}, TeamFigures);
  const seen = await provider.ask({ question: "figures" }, ProviderFigures);
  const expected = scene === "reports-at-once" ? times * teammates : times;
  if (seen.gapsMs.length !== expected) {
    throw new Error(
      `${seen.gapsMs.length} of ${expected} were seen; the lead said: ${figures.result}`,
    );
  }
  return { provider: seen, team: figures };
}
