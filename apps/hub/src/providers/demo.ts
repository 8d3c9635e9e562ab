/** The services of the workspace `Demo`: answers from templates in `settings.answers`, without a network. */
import { isJsonObject } from "@countersign/domain/json"
import { resolvePointer } from "@countersign/domain/pointer"
import { operationOf, type ServiceDefinition } from "@countersign/domain/services"
import { renderBody } from "@countersign/domain/template"
import { Effect, Result } from "effect"
import { type Adapter, type AdapterOutcome, failed } from "./adapter.ts"
import { asResult } from "./answer.ts"

const answersOf = (definition: ServiceDefinition): Readonly<Record<string, unknown>> => {
  const answers = definition.kind === "builtin" ? definition.settings?.["answers"] : undefined
  return isJsonObject(answers) ? answers : {}
}

export const demoAdapter: Adapter = {
  execute: (definition, call) =>
    Effect.sync((): AdapterOutcome => {
      const operation = operationOf(definition, call.operation)
      const template = answersOf(definition)[call.operation] ?? {}
      const answer = renderBody(template, { payload: call.payload, request: { id: call.requestId } })
      if (operation === undefined || Result.isFailure(answer)) {
        return failed(`The service has no response for "${call.operation}".`)
      }
      const result = asResult(answer.success)
      const pointer = operation.price.type === "quoted" ? operation.price.actual : undefined
      if (pointer === undefined) return { kind: "executed", result }
      const actual = resolvePointer(result, pointer)
      return actual.found
        ? { kind: "executed", result, actual: actual.value, actualFound: true }
        : { kind: "executed", result, actualFound: false }
    })
}
