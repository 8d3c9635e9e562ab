/**
 * A yes passes through here and nowhere else: main reads each approval again, compares its digest with the one that was drawn, and above
 * the profile's limit asks in a window of its own. A page that was taken over can neither decide what was not shown nor more than the
 * limit. Spec: desktop E10.
 */
import type { Approval, DecideInput, DecideResult } from "@countersign/domain/approvals"
import type { AnyInput, Output } from "@countersign/ui/hub/contract"
import { HubError, isHubError } from "@countersign/ui/hub/error"
import { formatMoney } from "@countersign/ui/components/money-text"
import type { BridgedOptions, ConfirmFacts } from "../bridge/contract.ts"
import type { Connection } from "./hub/connection.ts"
import type { Profile } from "./profiles/profile.ts"

/** Approvals that are read again at once. */
const readsAtOnce = 8
/** Rows that the window names; the rest is counted. */
const linesMax = 12

export interface Asking {
  readonly profile: Profile
  readonly connection: Connection
  /** Resolves to true only when a person said yes in main's own window. */
  readonly confirm: (facts: ConfirmFacts) => Promise<boolean>
}

const refused = (status: number, code: string, message: string, data: Readonly<Record<string, unknown>> = {}) =>
  new HubError({ status, code, message, data })
const changed = (id: string) =>
  refused(409, "digest_mismatch", "This approval is not the one that was shown. Look at it again.", { approval_id: id })
const noDigest = () => refused(400, "invalid_request", "A yes names the payload_digest of what was shown.")
const notConfirmed = () => refused(403, "not_confirmed", "Not approved: it was not confirmed in the app's own window.")

const readAgain = (connection: Connection, id: string, { workspace }: BridgedOptions): Promise<Approval> =>
  connection.call("approvals.get", { params: { id } }, { workspace }) as Promise<Approval>

/** What a yes lets go at most: this one's ceiling, or what a remembered yes would let pass after it. */
const worth = ({ cost_cents }: Approval, remember: { readonly max_cost_cents: number; readonly max_total_cents?: number } | undefined): number =>
  Math.max(cost_cents, remember?.max_cost_cents ?? 0, remember?.max_total_cents ?? 0)

const lineOf = ({ agent, cost_cents, kind, operation, service }: Approval) => ({
  label: `${agent.name}: ${service === undefined ? kind.replaceAll("_", " ") : `${service}.${operation ?? ""}`}`,
  text: formatMoney(cost_cents)
})

/** Above the limit a person confirms; `more` is what the total holds beside the approvals themselves. */
const withinLimit = async ({ confirm, profile }: Asking, approvals: ReadonlyArray<Approval>, total: number, more?: string): Promise<void> => {
  const { limit_cents } = profile
  if (limit_cents === undefined || total <= limit_cents) return
  const rest = approvals.length - linesMax
  const yes = await confirm({
    title: approvals.length === 1 ? "Approve this?" : `Approve these ${approvals.length}?`,
    hub: `${profile.name} (${profile.url})`,
    lines: [
      ...approvals.slice(0, linesMax).map(lineOf),
      ...rest > 0 ? [{ label: `and ${rest} more`, text: "" }] : [],
      ...more === undefined ? [] : [{ label: "Remembered for later", text: more }]
    ],
    total: formatMoney(total),
    limit: formatMoney(limit_cents)
  })
  if (!yes) throw notConfirmed()
}

type ApproveBody = {
  readonly payload_digest?: string
  readonly remember?: { readonly max_cost_cents: number; readonly max_total_cents?: number; readonly max_uses?: number }
}

export const approve = async (asking: Asking, input: AnyInput, options: BridgedOptions): Promise<unknown> => {
  const id = String(input.params?.["id"])
  const body = (input.payload ?? {}) as ApproveBody
  if (body.payload_digest === undefined) throw noDigest()
  const approval = await readAgain(asking.connection, id, options)
  if (approval.payload_digest !== body.payload_digest) throw changed(id)
  const { remember } = body
  const uses = remember?.max_uses === undefined ? "" : ` each, ${remember.max_uses} times`
  const more = remember === undefined ? undefined
    : remember.max_total_cents === undefined ? `up to ${formatMoney(remember.max_cost_cents)}${uses}` : `up to ${formatMoney(remember.max_total_cents)} in all`
  const repeated = remember?.max_uses === undefined ? 0 : remember.max_cost_cents * remember.max_uses
  await withinLimit(asking, [approval], Math.max(worth(approval, remember), repeated), more)
  return asking.connection.call("approvals.approve", input, options)
}

const inTurns = async <A, B>(items: ReadonlyArray<A>, work: (item: A) => Promise<B>): Promise<Array<B>> => {
  const done: Array<B> = []
  for (let at = 0; at < items.length; at += readsAtOnce) done.push(...await Promise.all(items.slice(at, at + readsAtOnce).map(work)))
  return done
}

/** Those that are not what was drawn are left out and answered as such; the rest is sent. */
export const decide = async (asking: Asking, input: AnyInput, options: BridgedOptions): Promise<unknown> => {
  const body = input.payload as typeof DecideInput.Type
  if (body.decision === "reject") return asking.connection.call("approvals.decide", input, options)
  if (body.items === undefined) throw noDigest()
  type Row = Output<"approvals.decide">["results"][number]
  const read = await inTurns(body.items, async ({ id, payload_digest }): Promise<Approval | Row> => {
    try {
      const approval = await readAgain(asking.connection, id, options)
      if (approval.payload_digest === payload_digest) return approval
      throw changed(id)
    } catch (error) {
      if (!isHubError(error) || error.status === 401) throw error
      return { id, error: { code: error.code, message: error.message } }
    }
  })
  const same = read.filter((row): row is Approval => "payload_digest" in row)
  const others = read.filter((row): row is Row => !("payload_digest" in row))
  if (same.length === 0) return { results: others }
  await withinLimit(asking, same, same.reduce((sum, { cost_cents }) => sum + cost_cents, 0))
  const kept = new Set<string>(same.map(({ id }) => id))
  const items = body.items.filter(({ id }) => kept.has(id))
  const { results } = await asking.connection.call("approvals.decide", { payload: { ...body, items } }, options) as typeof DecideResult.Type
  return { results: [...results, ...others] }
}
