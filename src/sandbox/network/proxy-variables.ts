/** Where programs look for a proxy; most know only some of these. */
export function proxyVariables(address: string): Record<string, string> {
  return {
    ...{ HTTP_PROXY: address, HTTPS_PROXY: address, ALL_PROXY: address },
    ...{ http_proxy: address, https_proxy: address, all_proxy: address },
    ...{ NO_PROXY: "localhost,127.0.0.1,::1", no_proxy: "localhost,127.0.0.1,::1" },
    NODE_USE_ENV_PROXY: "1",
  };
}
