/**
 * What a click of a linked account does: the same decisions, by the same services, as in the console. Spec:
 * reference/notice-channels.md "Decisions".
 */
import type { UserPrincipal } from "@countersign/domain/auth"
import type { ApiError } from "@countersign/domain/errors"
import type { MessengerKind } from "@countersign/domain/notice-channels"
import { asSentence } from "@countersign/domain/text"
import { Context, Effect, Layer, Metric, Option, Result } from "effect"
import { AgentRequestsRepository } from "../agent-requests/repository.ts"
import { AgentRequests } from "../agent-requests/service.ts"
import { Approvals } from "../approvals/service.ts"
import { Rights } from "../auth/rights.ts"
import { BudgetRequests } from "../budget-requests/service.ts"
import { type Click, MessengerLinks } from "../messenger-links/service.ts"
import { type MessageRow, NoticeMessagesRepository } from "../notice-channels/messages-repository.ts"
import { type ButtonValue, type DecisionButton, readButtonValue, type Verb } from "../notice-channels/notice.ts"
import { NoticeSubjects, type Subject } from "../notice-channels/subjects.ts"
import { Db } from "../platform/db.ts"
import { ProviderEvents } from "../platform/provider-events.ts"
import { Signals } from "../platform/signals.ts"
import { messengerCalls } from "../platform/telemetry.ts"
import { awaitSignal } from "../platform/waiting.ts"

/** How long a click waits for the place of its message. */
const sendingMillis = 1_500

/** The message that a click names: by its place, or, in a form that Slack sends, by our id. */
export type Place =
  | { readonly kind: "message"; readonly place: string; readonly message: string }
  | { readonly kind: "notice"; readonly id: string }

/** A button that is offered now, and the message that it belongs to. */
export interface Offered {
  readonly kind: "offered"
  readonly message: MessageRow
  readonly button: DecisionButton
  readonly decide: (text: string | undefined) => Effect.Effect<Decided>
}

export interface Decided {
  /** Only the person who clicked sees it. */
  readonly text: string
  readonly isDone: boolean
}

/** The reason why nothing can be decided; only the person sees it. */
export interface Refused {
  readonly kind: "refused"
  readonly text: string
}

const refused = (text: string): Refused => ({ kind: "refused", text })

export const outdated = "This message is out of date. Open Countersign to decide."
export const repeated = "This click was handled before."
export const linkFirst = (provider: MessengerKind): string =>
  "Link your account first: create a code in Countersign under Settings, Linked accounts, then enter " +
  `/countersign link CODE here. ${provider === "slack" ? "Slack" : "Discord"} shows this to you only.`

const verbWords: Readonly<Record<Verb, string>> = {
  approve: "Approved",
  reject: "Rejected",
  answer: "Answered",
  dismiss: "Dismissed",
  option: "Answered"
}

const errorText = ({ error }: ApiError, url: string): string => {
  if (error.code === "step_up_required") {
    return `Deciding about this amount requires signing in again. Open it in Countersign: ${url}`
  }
  const by = error.data?.["decided_by"] as { readonly name?: unknown; readonly email?: unknown } | null | undefined
  const name = typeof by?.name === "string" && by.name !== "" ? by.name : by?.email
  return `${asSentence(error.message)}${typeof name === "string" ? ` Decided by ${name}.` : ""}`
}

export class MessengerDecisions extends Context.Service<MessengerDecisions, {
  /** The button of a click, if its message offers it now to this account; otherwise the reason. It decides nothing yet. */
  readonly find: (click: Click, at: Place, value: string) => Effect.Effect<Offered | Refused>
}>()("@countersign/hub/messengers/MessengerDecisions") {
  static readonly layer = Layer.effect(
    MessengerDecisions,
    Effect.gen(function*() {
      const links = yield* MessengerLinks
      const messages = yield* NoticeMessagesRepository
      const subjects = yield* NoticeSubjects
      const events = yield* ProviderEvents
      const approvals = yield* Approvals
      const agentRequests = yield* AgentRequests
      const agentRequestRows = yield* AgentRequestsRepository
      const budgetRequests = yield* BudgetRequests
      const rights = yield* Rights
      const signals = yield* Signals
      const db = yield* Db

      const count = (provider: MessengerKind, result: string) =>
        Metric.update(Metric.withAttributes(messengerCalls, { provider, result }), 1)

      const approve = Effect.fnUntraced(function*(user: UserPrincipal, id: string, digest: string, text?: string) {
        const { approval, service_request } = yield* approvals.approve(user, id, {
          payload_digest: digest,
          ...(text === undefined ? {} : { comment: text })
        })
        if (approval.status === "pending") {
          const given = approval.decisions.filter(({ decision }) => decision === "approve").length
          return `Your approval is recorded: ${given} of ${approval.required_approvals}.`
        }
        return service_request === undefined ? "Approved." : `Approved. The request is ${service_request.status}.`
      })

      const ofApproval = Effect.fnUntraced(
        function*(user: UserPrincipal, { digest, subject, verb }: ButtonValue, text?: string) {
          if (verb === "approve") return yield* approve(user, subject, digest, text)
          yield* approvals.reject(user, subject, {
            payload_digest: digest,
            ...(text === undefined ? {} : { comment: text })
          })
          return "Rejected."
        }
      )

      const ofAgentRequest = Effect.fnUntraced(
        function*(user: UserPrincipal, { option, subject, verb }: ButtonValue, text?: string) {
          const row = Option.getOrUndefined(yield* agentRequestRows.find(user.org_id, subject))
          const answer = verb === "option" ? row?.options?.[option] : text
          yield* agentRequests.answer(
            user,
            subject,
            verb === "dismiss"
              ? { status: "dismissed", ...(text === undefined ? {} : { comment: text }) }
              : { status: "answered", ...(answer === undefined ? {} : { answer }) }
          )
          return `${verbWords[verb]}.`
        }
      )

      /** The click counts once in the transaction that decides. */
      const ofBudgetRequest = Effect.fnUntraced(
        function*(caller: UserPrincipal, { subject, verb }: ButtonValue, text?: string) {
          const user = yield* rights.hold(caller)
          yield* budgetRequests.decide(user, subject, {
            status: verb === "approve" ? "approved" : "rejected",
            ...(text === undefined ? {} : { comment: text })
          })
          return `${verbWords[verb]}.`
        },
        db.transaction
      )

      const decide = (
        click: Click,
        user: UserPrincipal,
        { notice }: Subject,
        value: ButtonValue
      ) =>
        Effect.fnUntraced(function*(text: string | undefined): Effect.fn.Return<Decided> {
          const by = notice.subject.type === "approval"
            ? ofApproval
            : notice.subject.type === "agent_request"
            ? ofAgentRequest
            : ofBudgetRequest
          const result = yield* Effect.result(by(user, value, text))
          if (Result.isSuccess(result)) {
            yield* count(click.by.provider, "done")
            return { text: result.success, isDone: true }
          }
          yield* count(click.by.provider, "refused")
          return { text: errorText(result.failure, notice.url), isDone: false }
        })

      /** A click may come before the hub has stored where its message is. */
      const messageAt = Effect.fnUntraced(function*(
        provider: MessengerKind,
        { message, place }: Extract<Place, { readonly kind: "message" }>,
        subject: string
      ) {
        const read = messages.at(provider, place, message, subject)
        const found = yield* read
        if (found !== undefined) return found
        // Stored since the first read, or never.
        if (!(yield* messages.isBeingSent(provider, subject))) return yield* read
        return yield* awaitSignal(signals, subject, sendingMillis, read, (row) => row !== undefined)
      })

      const find = Effect.fn("MessengerDecisions.find")(
        function*(click: Click, at: Place, text: string): Effect.fn.Return<Offered | Refused> {
          const { event } = click
          const { provider } = click.by
          if (yield* events.isRecorded(provider, event)) {
            yield* count(provider, "repeated")
            return refused(repeated)
          }
          const ignored = (why: string) => Effect.as(count(provider, "ignored"), refused(why))
          const value = readButtonValue(text)
          if (value === undefined) return yield* ignored(outdated)
          const message = at.kind === "notice"
            ? yield* messages.byId(provider, at.id)
            : yield* messageAt(provider, at, value.subject)
          // A button counts only in the message that it was sent with, and for the action that was shown there.
          if (message === undefined || message.subject_id !== value.subject || message.digest !== value.digest) {
            return yield* ignored(outdated)
          }
          const person = yield* links.linked(click.by)
          if (person === undefined) return yield* ignored(linkFirst(provider))
          const user = yield* links.principalIn(message.org_id, person, click)
          if (user === undefined) {
            return yield* ignored("Your Countersign account does not belong to the workspace of this message.")
          }
          const subject = yield* subjects.find(message.org_id, message.subject_type, message.subject_id)
          if (subject === undefined || subject.digest !== value.digest) return yield* ignored(outdated)
          const { buttons, isOpen, states, url } = subject.notice
          const button = buttons.find((each) => each.value === text)
          if (button === undefined) {
            return yield* ignored(isOpen ? `${states.at(-1) ?? outdated} ${url}` : `${states[0] ?? "Already decided"}.`)
          }
          return { kind: "offered", message, button, decide: decide(click, user, subject, value) }
        }
      )

      return MessengerDecisions.of({ find })
    })
  )
}
