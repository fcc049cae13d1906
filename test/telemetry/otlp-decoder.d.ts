/** The definitions of OTLP by the OpenTelemetry project, which has no types for them. */
declare module "otlp-decoder/build/src/generated/root.js" {
  interface MessageType {
    decode(bytes: Uint8Array): object;
    toObject(message: object, options: { longs: typeof String; bytes: typeof String }): unknown;
    fromObject(value: unknown): object;
    verify(message: object): string | null;
  }
  const root: {
    opentelemetry: {
      proto: {
        collector: {
          trace: { v1: { ExportTraceServiceRequest: MessageType } };
          metrics: { v1: { ExportMetricsServiceRequest: MessageType } };
        };
      };
    };
  };
  export default root;
}
