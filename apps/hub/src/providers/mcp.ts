/** MCP services: calls a tool of the service's server. Spec: reference/services.md "MCP services". */
import { operationOf, type ServiceDefinition } from "@countersign/domain/services"
import { Effect } from "effect"
import { type Adapter, type AdapterCall, type AdapterOutcome, failed, unknownFate } from "./adapter.ts"
import { asResult, scrubOf } from "./answer.ts"
import { type ServiceCredentials, serviceCredentials } from "./credentials.ts"
import type { EgressFetch } from "./egress-fetch.ts"
import type { McpFailure, ServerAnswer } from "./mcp-client.ts"

/** Of a result as JSON, in characters. */
const resultLengthMax = 1024 * 1024

const failureOutcome = (failure: McpFailure, credentials: ServiceCredentials): AdapterOutcome => {
  const detail = scrubOf(credentials.secrets).text(failure.detail)
  if (!failure.definite) {
    return unknownFate(`the call was sent and no complete response arrived (${detail}).`)
  }
  switch (failure.kind) {
    case "refused_address":
      return failed(`The call was not made: ${detail}`)
    case "unreachable":
      return failed(`The MCP server could not be reached: ${detail}. Nothing was sent.`)
    case "answered":
      return failed(`The MCP server refused the call: ${detail}`, failure.status)
  }
}

const outcomeOf = ({ isError, structured, text }: ServerAnswer, credentials: ServiceCredentials): AdapterOutcome => {
  const scrub = scrubOf(credentials.secrets)
  if (isError) return failed(text === "" ? "The tool answered with an error." : scrub.text(text))
  const result = asResult(structured === undefined ? { text: scrub.text(text) } : scrub.json(structured))
  return {
    kind: "executed",
    result: JSON.stringify(result).length > resultLengthMax ? { truncated: true } : result
  }
}

export const mcpAdapter = (egress: EgressFetch["Service"]): Adapter => ({
  execute: Effect.fnUntraced(function*(definition: ServiceDefinition, call: AdapterCall) {
    if (definition.kind !== "mcp") return failed("The service is not an MCP service.")
    const operation = operationOf(definition, call.operation)
    if (operation === undefined || !("tool" in operation)) {
      return failed(`The service has no operation "${call.operation}".`)
    }
    const found = yield* Effect.result(serviceCredentials(definition, call))
    if (found._tag === "Failure") return found.failure
    const credentials = found.success
    const problem = credentials.app?.problemOf(definition.url)
    if (problem !== undefined) return failed(`${problem} Nothing was sent.`)
    const send = (credentials: ServiceCredentials) =>
      Effect.promise(async () => {
        const { callServerTool } = await import("./mcp-client.ts")
        return callServerTool(egress, { url: definition.url, credential: credentials }, {
          tool: operation.tool,
          args: call.payload as Readonly<Record<string, unknown>>,
          key: call.requestId,
          timeoutMs: call.timeoutMs
        })
      })
    const first = yield* send(credentials)
    if (first.ok) return outcomeOf(first.value, credentials)
    // The app's token was rejected: the server did nothing, so the call is sent again with a renewed one.
    const { app } = credentials
    const token = app === undefined || first.failure.status !== 401 ? undefined : yield* app.renewed
    if (token === undefined) return failureOutcome(first.failure, credentials)
    const renewed = { headers: { authorization: `Bearer ${token}` }, secrets: [token] }
    const second = yield* send(renewed)
    return second.ok ? outcomeOf(second.value, renewed) : failureOutcome(second.failure, renewed)
  })
})
