import { HubApi } from "@countersign/domain/api"
import { CurrentPrincipal, CurrentUser, type Principal } from "@countersign/domain/auth"
import { created } from "@countersign/domain/created"
import { invalidField, notFound } from "@countersign/domain/errors"
import type { ServiceRequest } from "@countersign/domain/service-requests"
import { Effect, Option, Stream } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Approvals } from "../approvals/service.ts"
import { Liveness } from "../auth/liveness.ts"
import { renderRequest } from "../dispatch/requests/view.ts"
import { eventStreamAnswer } from "../platform/event-stream.ts"
import { idempotencyKeyOf, sentHeaders } from "../platform/idempotency-key.ts"
import { idempotencyScope } from "../platform/idempotency.ts"
import { ChatEngine } from "./engine.ts"
import { ChatSessions } from "./service.ts"
import { type Attached, ChatTurnStarts } from "./starts.ts"
import { ChatStreams } from "./streams.ts"
import { ChatTurnsRepository } from "./turns-repository.ts"
import { ChatTurns } from "./turns.ts"

export const ChatHttp = HttpApiBuilder.group(
  HubApi,
  "chat",
  Effect.fn(function*(handlers) {
    const approvals = yield* Approvals
    const engine = yield* ChatEngine
    const liveness = yield* Liveness
    const repository = yield* ChatTurnsRepository
    const sessions = yield* ChatSessions
    const streams = yield* ChatStreams
    const starts = yield* ChatTurnStarts
    const turns = yield* ChatTurns

    const streamOf = Effect.fnUntraced(function*(
      principal: Principal,
      { isNew, org, replayed, turn }: Attached,
      last: string | undefined
    ) {
      const from = yield* streams.position(turn, last)
      const answer = eventStreamAnswer(
        streams.follow(org, turn, from, isNew).pipe(Stream.interruptWhen(liveness.ended(principal)), Stream.encodeText)
      )
      return replayed ? HttpServerResponse.setHeader(answer, "idempotent-replayed", "true") : answer
    })

    return handlers.handleAll({
      list: ({ query }) => CurrentPrincipal.use((principal) => sessions.list(principal, query)),
      create: Effect.fnUntraced(function*({ payload }) {
        const session = yield* sessions.create(yield* CurrentPrincipal, payload)
        return created(`/chat/sessions/${session.id}`, session)
      }),
      close: ({ query }) => CurrentPrincipal.use((principal) => sessions.close(principal, query.session_id)),
      get: ({ params, query }) => CurrentPrincipal.use((principal) => sessions.get(principal, params.id, query)),
      update: ({ params, payload }) =>
        CurrentPrincipal.use((principal) => sessions.update(principal, params.id, payload)),
      turn: Effect.fnUntraced(function*({ payload }) {
        const principal = yield* CurrentPrincipal
        const request = yield* HttpServerRequest.HttpServerRequest
        const { continue_from } = payload
        if (continue_from !== undefined) {
          // A wrong position is refused before the turn is woken.
          yield* streams.position(continue_from, request.headers["last-event-id"])
          const attached = yield* turns.resume(principal, continue_from, payload)
          return yield* streamOf(principal, attached, request.headers["last-event-id"])
        }
        if (payload.tool_results !== undefined) {
          return yield* Effect.fail(invalidField("tool_results", "name the turn that they are for in continue_from"))
        }
        const key = yield* idempotencyKeyOf(sentHeaders(request))
        const scope = idempotencyScope(principal, request.method, request.originalUrl)
        const attached = yield* starts.start(principal, payload, key === undefined ? undefined : { scope, key })
        return yield* streamOf(principal, attached, attached.replayed ? request.headers["last-event-id"] : undefined)
      }),
      getTurn: ({ params }) => CurrentPrincipal.use((principal) => turns.get(principal, params.id)),
      events: Effect.fnUntraced(function*({ params, query }) {
        const principal = yield* CurrentPrincipal
        const request = yield* HttpServerRequest.HttpServerRequest
        yield* turns.get(principal, params.id)
        const attached = { turn: params.id, org: principal.org_id, replayed: false, isNew: false }
        return yield* streamOf(principal, attached, request.headers["last-event-id"] ?? query.last_event_id)
      }),
      cancel: ({ params }) => CurrentPrincipal.use((principal) => turns.cancel(principal, params.id)),
      decide: Effect.fnUntraced(function*({ params, payload: { comment, decision } }) {
        const user = yield* CurrentUser
        const { kind } = yield* approvals.get(user, params.id)
        if (kind !== "chat_tool_call") return yield* Effect.fail(notFound("approval"))
        const input = comment === undefined ? {} : { comment }
        if (decision === "reject") {
          const approval = yield* approvals.reject(user, params.id, input)
          engine.wake(approval.service_request_id)
          return { approval }
        }
        const { approval, service_request } = yield* approvals.approve(user, params.id, input)
        engine.wake(approval.service_request_id)
        return {
          approval,
          ...service_request === undefined
            ? {}
            : { service_request: JSON.parse(renderRequest(service_request)) as ServiceRequest }
        }
      }),
      artifact: Effect.fnUntraced(function*({ params }) {
        const principal = yield* CurrentPrincipal
        const blob = Option.getOrUndefined(yield* repository.blob(principal.org_id, params.id))
        if (blob === undefined) return yield* Effect.fail(notFound("artifact"))
        yield* Effect.mapError(
          sessions.found(principal, blob.session_id),
          (error) => error._tag === "NotFound" ? notFound("artifact") : error
        )
        return HttpServerResponse.uint8Array(blob.body, {
          contentType: blob.content_type,
          headers: {
            "content-disposition": `attachment; filename="${blob.name}"`,
            "cache-control": "no-store",
            "x-content-type-options": "nosniff"
          }
        })
      })
    })
  })
)
