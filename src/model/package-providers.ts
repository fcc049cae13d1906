import type { ApiKey, ProviderRow } from "./built-in-providers.ts";
import type { EnvironmentVariables } from "./provider-settings.ts";

/** A provider whose code is a package of the AI SDK, which the person installs. */
export interface ProviderPackage {
  /** What is imported for a model: the package's name, and a path in it if it has several parts. */
  moduleFor(model: string): string;
  /** The major version to install (default: the newest). */
  readonly version?: string;
  /**
   * The settings for the package, besides its key and base URL. `send` is for what the package asks
   * others than the provider.
   */
  settings(env: EnvironmentVariables, send: typeof fetch): Readonly<Record<string, unknown>>;
  /** The package's setting for the key (default: `apiKey`). */
  keySetting?(key: ApiKey): string;
  /** How the person gets the credentials that the package finds by itself. */
  readonly loginHint?: string;
  /** The variables to set, in words, if something is missing. */
  missing(env: EnvironmentVariables): string | undefined;
  /** The SDK's options of every request. */
  readonly requestOptions?: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
}

/** A package that needs nothing but a key. */
export function plainPackage(module: string): ProviderPackage {
  return { moduleFor: () => module, settings: () => ({}), missing: () => undefined };
}

const common = { family: "package", headersMs: 60_000, authHeaders: () => ({}) } as const;

// The versions are those that run on every Node that we support.
export const packageProviders = {
  azure: {
    ...common,
    label: "Azure",
    keyVariables: ["AZURE_API_KEY"],
    needsKey: true,
    baseUrlVariable: "AZURE_BASE_URL",
    package: {
      moduleFor: () => "@ai-sdk/azure",
      version: "3",
      settings: ({ AZURE_RESOURCE_NAME: resourceName, AZURE_API_VERSION: apiVersion }) => ({
        resourceName,
        apiVersion,
      }),
      missing: (env) =>
        env.AZURE_RESOURCE_NAME || env.AZURE_BASE_URL
          ? undefined
          : "AZURE_RESOURCE_NAME or AZURE_BASE_URL",
      // As with OpenAI itself: nothing is stored there.
      requestOptions: { azure: { store: false } },
    },
  },
  bedrock: {
    ...common,
    label: "Amazon Bedrock",
    keyVariables: ["AWS_BEARER_TOKEN_BEDROCK", "AWS_SECRET_ACCESS_KEY"],
    // A command that had only some of them would find no others.
    secretVariables: ["AWS_ACCESS_KEY_ID", "AWS_SESSION_TOKEN"],
    needsKey: true,
    baseUrlVariable: "AWS_ENDPOINT_URL_BEDROCK_RUNTIME",
    package: {
      moduleFor: () => "@ai-sdk/amazon-bedrock",
      version: "4",
      settings: (env) => ({
        region: env.AWS_REGION || env.AWS_DEFAULT_REGION,
        accessKeyId: env.AWS_ACCESS_KEY_ID,
        sessionToken: env.AWS_SESSION_TOKEN,
      }),
      keySetting: ({ name }) => (name === "AWS_SECRET_ACCESS_KEY" ? "secretAccessKey" : "apiKey"),
      missing(env) {
        if (!env.AWS_REGION && !env.AWS_DEFAULT_REGION) return "AWS_REGION";
        const hasKey = env.AWS_BEARER_TOKEN_BEDROCK || env.AWS_ACCESS_KEY_ID;
        return hasKey ? undefined : "AWS_ACCESS_KEY_ID";
      },
    },
  },
  vertex: {
    ...common,
    label: "Vertex AI",
    keyVariables: ["GOOGLE_VERTEX_API_KEY"],
    fileVariable: "GOOGLE_APPLICATION_CREDENTIALS",
    needsKey: false,
    baseUrlVariable: "GOOGLE_VERTEX_BASE_URL",
    package: {
      moduleFor: (model) =>
        model.startsWith("claude-") ? "@ai-sdk/google-vertex/anthropic" : "@ai-sdk/google-vertex",
      version: "4",
      settings: (env, send) => ({
        project: env.GOOGLE_VERTEX_PROJECT,
        location: env.GOOGLE_VERTEX_LOCATION,
        googleAuthOptions: {
          keyFilename: env.GOOGLE_APPLICATION_CREDENTIALS,
          clientOptions: { transporterOptions: { fetchImplementation: send } },
        },
      }),
      loginHint:
        "Log in with `gcloud auth application-default login`, or set GOOGLE_APPLICATION_CREDENTIALS or GOOGLE_VERTEX_API_KEY.",
      missing(env) {
        const needed = ["GOOGLE_VERTEX_PROJECT", "GOOGLE_VERTEX_LOCATION"];
        const unset = needed.filter((name) => !env[name]);
        return env.GOOGLE_VERTEX_API_KEY || unset.length === 0 ? undefined : unset.join(" and ");
      },
    },
  },
} satisfies Readonly<Record<string, ProviderRow>>;
