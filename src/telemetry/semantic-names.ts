/** The names of providers in the conventions of OpenTelemetry, where they are not our own. */
const providerNames: Readonly<Record<string, string>> = {
  "amazon-bedrock": "aws.bedrock",
  azure: "azure.ai.openai",
  bedrock: "aws.bedrock",
  google: "gcp.gemini",
  mistral: "mistral_ai",
  vertex: "gcp.vertex_ai",
  xai: "x_ai",
};

/** The attributes that name a model, which is `provider/model`. */
export function modelAttributes(id: string): Record<string, string> {
  const [provider = id, ...name] = id.split("/");
  return {
    "gen_ai.provider.name": providerNames[provider] ?? provider,
    "gen_ai.request.model": name.join("/") || id,
  };
}
