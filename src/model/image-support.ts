import { suitableModels } from "./default-model.ts";
import { loadTable, type ModelFacts } from "./model-facts.ts";

/** Whether a model can be shown images of a kind, as far as that is known: if it is not, it can. */
export type TakesImage = (mediaType: string) => boolean;

/** What is known of the model `id`. Gemini takes no GIF. */
export function takesImage(id: string, { images }: Pick<ModelFacts, "images"> = {}): TakesImage {
  const isGemini = /(?:^|\/)gemini-/.test(id);
  return (mediaType) => images !== false && !(isGemini && mediaType === "image/gif");
}

/** Names models that take images: of the provider of `id`, or else one of each large provider. */
export async function modelsWithImages(id: string): Promise<string> {
  const provider = id.slice(0, Math.max(id.indexOf("/"), 0));
  const suitable = Object.entries(suitableModels);
  const [own] = suitable.filter(([name]) => name === provider);
  if (own) return own[1];
  const table = Object.entries(await loadTable(provider));
  const ids = table.flatMap(([model, { images }]) => (images ? [`${provider}/${model}`] : []));
  return (ids.length > 0 ? ids.slice(0, 3) : suitable.map(([, model]) => model)).join(", ");
}
