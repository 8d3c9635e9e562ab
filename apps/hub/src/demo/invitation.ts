/** The command that a person pastes to see a paid request of the demo's agent. */
export const tryLine = (url: string, apiKey: string): string =>
  `curl -s ${url}/api/v1/service-requests -H 'authorization: Bearer ${apiKey}' -H 'content-type: application/json' ` +
  `-d '{"service":"echo","operation":"say","payload":{"text":"hello"}}'`
