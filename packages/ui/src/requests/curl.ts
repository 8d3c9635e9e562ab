/** An agent's request as a command that can be pasted into a shell. */
import { isMasked } from "../patterns/json-lines.ts"

/** In single quotes, where a shell reads nothing; a quote itself is closed, escaped, opened again. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Whether something was hidden from the reader. */
export const holdsMask = (value: unknown): boolean =>
  isMasked(value) || (typeof value === "object" && value !== null && Object.values(value).some(holdsMask))

export interface Asked {
  readonly service: string
  readonly operation: string
  readonly payload: unknown
}

/** `origin` of the hub, without a path. The key is a variable: nobody but the agent has it. */
export const curlOf = (origin: string, { operation, payload, service }: Asked): string =>
  [
    `curl -sS ${quoted(`${origin}/api/v1/service-requests`)}`,
    `  -H "authorization: Bearer $AGENT_KEY"`,
    `  -H ${quoted("content-type: application/json")}`,
    `  -d ${quoted(JSON.stringify({ service, operation, payload }))}`
  ].join(" \\\n")
