/**
 * `hub doctor`: checks the money core while the hub runs. Spec: reference/budgets-and-ledger.md "Doctor". Rows from
 * before a moment are read in short statements; newer rows are read repeatedly until few are left; these and the
 * figures to compare with are read in one short snapshot. A check without a finding reports 0.
 */
import { idFloor, type OrgId } from "@countersign/domain/ids"
import { dayOf } from "@countersign/domain/time"
import { Clock, Context, Effect, Layer } from "effect"
import { AuditTrail } from "../audit/trail.ts"
import { DoctorRepository, scanPage, type Window } from "./doctor-repository.ts"
import { Check, type CheckName, checkNames, type Checks, Tally } from "./doctor-tally.ts"

/**
 * The part that may be left for the last snapshot, in milliseconds of the workspace's time, and the number of tries to
 * come that near.
 */
const tailMillis = 2_000
const catchUpsMax = 10
/** The hub's clock makes an id before the row is stored, at most this much earlier, in milliseconds. */
const idSlackMillis = 6 * 3_600_000

/** A notice and not a fault. */
const withoutSearchIndex =
  "The database has no search index, so a search reads the newest 20,000 requests. Create the extensions pg_trgm and btree_gin, then the index by: create index request_texts_search on request_texts using gin (org_id, text gin_trgm_ops)."

export interface Diagnosis {
  readonly check: CheckName
  readonly bad: number
  /** Examples of the faults. */
  readonly detail?: string
}

export class Doctor extends Context.Service<Doctor, {
  /** Every check over every workspace, in order of name. */
  readonly examine: Effect.Effect<ReadonlyArray<Diagnosis>>
  /** Facts for an operator that are not faults, one sentence each. */
  readonly notices: Effect.Effect<ReadonlyArray<string>>
}>()("@countersign/hub/ledger/Doctor") {
  static readonly layer = Layer.effect(
    Doctor,
    Effect.gen(function*() {
      const repository = yield* DoctorRepository
      const trail = yield* AuditTrail

      /**
       * Returns the smallest id that a transfer of the next window can have. The scan either read that transfer, or it
       * was stored after the scan began. The workspace's time does not bound ids, because it can be ahead of the clock.
       */
      const scan = Effect.fnUntraced(function*(org: OrgId, tally: Tally, window: Window) {
        let nextId: string = idFloor("led", (yield* Clock.currentTimeMillis) - idSlackMillis)
        for (let after = "";;) {
          const rows = yield* repository.transfers(org, window, after)
          for (const row of rows) {
            if (!row.is_later) tally.transfer(row)
            else if (row.id < nextId) nextId = row.id
          }
          if (rows.length < scanPage) break
          after = rows.at(-1)!.id
        }
        for (let after: { readonly at: Date; readonly id: string } | undefined;;) {
          const { groups, last, read } = yield* repository.settlements(org, window, after)
          for (const group of groups) tally.settlement(group)
          if (read < scanPage || last === undefined) break
          after = last
        }
        for (let after = 0;;) {
          const page = yield* repository.verdicts(org, window, after)
          tally.verdict(page)
          if (page.read < scanPage || page.last === null) break
          after = page.last
        }
        return nextId
      })

      const rollUps = Effect.fnUntraced(function*(
        org: OrgId,
        tally: Tally,
        days: { readonly from?: string; readonly before?: string }
      ) {
        for (let after;;) {
          const rows: ReadonlyArray<Parameters<Tally["usageDay"]>[0]> = yield* repository.usageDays(org, days, after)
          for (const row of rows) tally.usageDay(row)
          if (rows.length < scanPage) break
          after = rows.at(-1)
        }
        tally.missingDays(days.before)
      })

      const money = Effect.fnUntraced(function*(org: OrgId, checks: Checks) {
        const tally = new Tally(checks, org)
        const first = yield* repository.settledUntil(org)
        let until = first
        let fromId: string | undefined
        if (first !== undefined) {
          fromId = yield* scan(org, tally, { from: undefined, to: first, fromId })
          yield* rollUps(org, tally, { before: dayOf(first.getTime()) })
        }
        for (let count = 0; count < catchUpsMax; count++) {
          const now = yield* repository.settledUntil(org)
          if (now === undefined || until === undefined || now.getTime() - until.getTime() < tailMillis) break
          fromId = yield* scan(org, tally, { from: until, to: now, fromId })
          until = now
        }
        const differ = yield* repository.inOneSnapshot(Effect.gen(function*() {
          yield* scan(org, tally, { from: until, to: undefined, fromId })
          yield* rollUps(org, tally, first === undefined ? {} : { from: dayOf(first.getTime()) })
          const commitments = yield* repository.commitments(org)
          checks.commitments.found(`${org} ${commitments.example}`, commitments.bad)
          return tally.conclude(
            yield* repository.limits(org),
            yield* repository.held(org),
            yield* repository.ended(org)
          )
        }))
        if (differ.charges) {
          for (const found of yield* repository.unmatchedCharges(org)) {
            checks.charged_without_movement.note(`${org} ${found}`)
          }
        }
        if (differ.verdicts) {
          for (const found of yield* repository.unmatchedVerdicts(org)) {
            checks.settlement_without_audit.note(`${org} ${found}`)
          }
        }
      })

      const examineOrg = Effect.fnUntraced(function*(org: OrgId, checks: Checks) {
        yield* money(org, checks)
        for (let after = "";;) {
          const page = yield* repository.requestStates(org, after)
          checks.request_state.found(`${org} ${page.example}`, page.bad)
          if (page.read < scanPage || page.last === null) break
          after = page.last
        }
        const promo = yield* repository.promoCredits(org)
        checks.promo_credits.found(`${org} ${promo.example}`, promo.bad)
        const payments = yield* repository.paymentCredits(org)
        checks.payment_credits.found(`${org} ${payments.example}`, payments.bad)
        const approvals = yield* repository.decidedApprovals(org)
        checks.pending_approval.found(`${org} ${approvals.example}`, approvals.bad)
        const wallets = yield* repository.teamWallets(org)
        checks.team_wallets.found(`${org} ${wallets.example}`, wallets.bad)
        const objects = yield* repository.storedBytes(org)
        checks.storage_bytes.found(`${org} ${objects.example}`, objects.bad)
        const lost = yield* repository.missingObjects(org)
        checks.storage_missing.found(`${org} ${lost.example}`, lost.bad)
        const knowledge = yield* repository.passages(org)
        checks.knowledge_passages.found(`${org} ${knowledge.example}`, knowledge.bad)
        const memories = yield* repository.countedMemories(org)
        checks.memory_counts.found(`${org} ${memories.example}`, memories.bad)
        const workflows = yield* repository.liveWorkflows(org)
        checks.live_workflows.found(`${org} ${workflows.example}`, workflows.bad)
        const firings = yield* repository.lostFirings(org)
        checks.firings.found(`${org} ${firings.example}`, firings.bad)
        const webhooks = yield* repository.webhooks(org)
        checks.webhooks.found(`${org} ${webhooks.example}`, webhooks.bad)
        const notices = yield* repository.notices(org)
        checks.notices.found(`${org} ${notices.example}`, notices.bad)
        const channels = yield* repository.noticeChannels(org)
        checks.notice_channels.found(`${org} ${channels.example}`, channels.bad)
        const runs = yield* repository.runs(org)
        checks.runs.found(`${org} ${runs.example}`, runs.bad)
        const chats = yield* repository.chats(org)
        checks.chats.found(`${org} ${chats.example}`, chats.bad)
        const signIns = yield* repository.signIns(org)
        checks.sign_in.found(`${org} ${signIns.example}`, signIns.bad)
        const holds = yield* repository.deadHolds(org)
        checks.dead_holds.found(`${org} ${holds.example}`, holds.bad)
        const chain = yield* trail.verify(org)
        if (!chain.ok) checks.audit_chain.found(`${org} entry ${chain.first_bad_seq}`)
      })

      const examine = Effect.gen(function*() {
        const checks = Object.fromEntries(checkNames.map((name) => [name, new Check()])) as unknown as Checks
        for (const org of yield* repository.orgs) yield* examineOrg(org, checks)
        const codes = yield* repository.promoCounts
        checks.promo_credits.found(codes.example, codes.bad)
        const begun = yield* repository.begunSignIns
        checks.sign_in.found(begun.example, begun.bad)
        const searchIndexed = yield* repository.searchIndexed
        const clock = yield* repository.clock
        if (clock.doubted_ahead !== null) {
          checks.clock.found(`the database clock is ${Math.round(clock.doubted_ahead)} s off the expected time`)
        }
        for (const org of clock.ahead) checks.clock.found(`${org} is ahead of the database clock`)
        return checkNames.map((check): Diagnosis => {
          const { bad, examples } = checks[check]
          if (check === "search_index" && !searchIndexed) return { check, bad: 0, detail: withoutSearchIndex }
          return { check, bad, ...bad === 0 || examples.length === 0 ? {} : { detail: examples.join("; ") } }
        })
      }).pipe(Effect.withSpan("Doctor.examine"))

      const notices = Effect.gen(function*() {
        const found: Array<string> = []
        for (const org of yield* repository.orgs) {
          const count = yield* repository.entriesWithInputs(org)
          if (count > 0) {
            found.push(
              `${org}: ${count} audit entries hold whole inputs of device commands (action device_command.queued). ` +
                "An earlier version wrote them; the hash chain keeps them as they are."
            )
          }
          const kept = yield* repository.keptTooLong(org)
          if (kept > 0) {
            found.push(
              `${org}: ${kept} device commands keep input and output longer than device_output_days. ` +
                "A running hub removes them within minutes; look for its warnings if they stay."
            )
          }
        }
        return found
      }).pipe(Effect.withSpan("Doctor.notices"))

      return Doctor.of({ examine, notices })
    })
  )
}

/** One run of all checks, for the command and for tests. */
export const doctor = Effect.flatMap(Doctor, ({ examine }) => examine)
