/** An agent's request as a shell command. */
import { isMask } from "@countersign/domain/mask"

/** In single quotes, inside which a shell expands nothing; a quote itself is closed, escaped, and opened again. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Whether a value contains a mask. */
export const holdsMask = (value: unknown): boolean =>
  isMask(value) || (typeof value === "object" && value !== null && Object.values(value).some(holdsMask))

export interface Asked {
  readonly service: string
  readonly operation: string
  readonly payload: unknown
}

/** `origin` of the hub, without a path. The key is a variable: only the agent has it. */
export const curlOf = (origin: string, { operation, payload, service }: Asked): string =>
  [
    `curl -sS ${quoted(`${origin}/api/v1/service-requests`)}`,
    `  -H "authorization: Bearer $AGENT_KEY"`,
    `  -H ${quoted("content-type: application/json")}`,
    `  -d ${quoted(JSON.stringify({ service, operation, payload }))}`
  ].join(" \\\n")
