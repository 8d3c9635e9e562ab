/**
 * What answers test-mode keys: no network, always the same. An operation's `test.result`, else a value shaped by its
 * `response_schema`, else `{}`. Spec: contract 2 "Test-mode keys".
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
    // It has no network to mock, and its answer is its whole point.
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
