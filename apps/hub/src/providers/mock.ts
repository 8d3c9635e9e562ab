/**
 * The adapter of test mode: no network, deterministic. An operation's `test.result`, otherwise a value shaped by its
 * `response_schema`, otherwise `{}`. Spec: reference/requests.md "Test mode".
 */
import type { Schema as JsonSchema } from "@countersign/domain/json-schema-shape"
import { sample } from "@countersign/domain/sample"
import { operationOf, type ServiceDefinition } from "@countersign/domain/services"
import { Effect } from "effect"
import { type Adapter, failed } from "./adapter.ts"
import { asResult } from "./answer.ts"
import { echoAdapter } from "./echo.ts"

export const mockAdapter: Adapter = {
  execute: (definition, call) => {
    // The echo service has no network to mock, so test mode uses the real one.
    if (isEcho(definition)) return echoAdapter.execute(definition, call)
    const operation = operationOf(definition, call.operation)
    if (operation === undefined) return Effect.succeed(failed(`The service has no operation "${call.operation}".`))
    const scripted = operation.test?.result
    if (scripted !== undefined) return Effect.succeed({ kind: "executed", result: asResult(scripted) })
    const shape = operation.response_schema
    return Effect.succeed({
      kind: "executed",
      result: asResult(shape === undefined ? {} : sample(shape as JsonSchema))
    })
  }
}

const isEcho = (definition: ServiceDefinition) => definition.kind === "builtin" && definition.adapter === "echo"
