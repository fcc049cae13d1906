/** The variables of the environment. */
export type TelemetryEnvironment = Readonly<Record<string, string | undefined>>;

/** True if records are to be sent somewhere. Only then is anything else of this folder loaded. */
export function wantsTelemetry(env: TelemetryEnvironment): boolean {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === "true") return false;
  return Boolean(
    env.OTEL_EXPORTER_OTLP_ENDPOINT ||
      env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ||
      env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT,
  );
}
