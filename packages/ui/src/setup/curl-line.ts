/** A command for a POSIX shell: all data is in single quotes. */

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

export interface CurlLine {
  /** `https://hub.example/api/v1/service-requests`. */
  readonly url: string
  readonly key: string
  readonly service: string
  readonly operation: string
  readonly payload: unknown
}

/** The placeholder for an unknown key: the shell expands it. */
export const unknownKey = "$AGENT_KEY"

export const curlLine = ({ key, operation, payload, service, url }: CurlLine): string => {
  const bearer = key === unknownKey ? `"authorization: Bearer ${unknownKey}"` : quoted(`authorization: Bearer ${key}`)
  const place = /^[\w:/.-]+$/u.test(url) ? url : quoted(url)
  return [
    `curl -s ${place}`,
    `-H ${bearer}`,
    `-H 'content-type: application/json'`,
    `-d ${quoted(JSON.stringify({ service, operation, payload }))}`
  ].join(" \\\n  ")
}
