/** Callbacks of webhook steps. Spec: reference/workflows.md "Webhooks". */
import { type ApiError, conflict, invalidRequest, noSuch, payloadTooLarge } from "@countersign/domain/errors"
import { idPattern } from "@countersign/domain/ids"
import { canonicalize, type Json } from "@countersign/domain/json"
import { runValueBytesMax } from "@countersign/domain/workflow-definition"
import { ByteSize, Context, Effect, Layer, Option } from "effect"
import { HttpIncomingMessage, type HttpServerRequest } from "effect/http"
import { createHash } from "node:crypto"
import { bodyError, jsonOf } from "../edge/request-body.ts"
import { CallbackAddresses } from "./callback-addresses.ts"
import { CallbacksRepository } from "./callbacks-repository.ts"
import { RunEngine } from "./engine.ts"

const stepIdPattern = idPattern("stp")

export class RunCallbacks extends Context.Service<RunCallbacks, {
  /** Keeps the first callback of an attempt: the same body again changes nothing, another one is 409. 404 for any other token. */
  readonly receive: (
    step: string,
    token: string,
    request: HttpServerRequest.HttpServerRequest
  ) => Effect.Effect<void, ApiError>
  readonly page: string
}>()("@countersign/hub/runs/RunCallbacks") {
  static readonly layer = Layer.effect(
    RunCallbacks,
    Effect.gen(function*() {
      const repository = yield* CallbacksRepository
      const addresses = yield* CallbackAddresses
      const engine = yield* RunEngine
      return RunCallbacks.of({
        page: "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Callback address</title>" +
          "<p>A workflow waits for a POST to this address. Opening it changes nothing.</p></html>",
        receive: Effect.fn("RunCallbacks.receive")(function*(step, token, request) {
          const found = stepIdPattern.test(step) ? yield* repository.findStep(step) : Option.none()
          if (Option.isNone(found) || !addresses.isToken(step, found.value.attempt, token)) {
            return yield* Effect.fail(noSuch("callback address"))
          }
          if (Number(request.headers["content-length"] ?? 0) > runValueBytesMax) {
            return yield* Effect.fail(payloadTooLarge(`The body is larger than ${runValueBytesMax} bytes.`))
          }
          const bytes = yield* request.arrayBuffer.pipe(
            Effect.provideService(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(runValueBytesMax)),
            Effect.mapError((error) => bodyError(error, runValueBytesMax))
          )
          const body = yield* jsonOf(bytes)
          if (body === undefined) return yield* Effect.fail(invalidRequest("Send a JSON body."))
          const digest = createHash("sha256").update(canonicalize(body.value)).digest("hex")
          const { attempt, org_id: org } = found.value
          const kept = yield* repository.keep(org, step, attempt, digest, JSON.stringify(body.value as Json))
          if (kept === undefined) return yield* Effect.fail(noSuch("callback address"))
          if (kept !== digest) {
            return yield* Effect.fail(conflict("conflict", "Another body was received at this address before."))
          }
          engine.wake([step])
        })
      })
    })
  )
}
