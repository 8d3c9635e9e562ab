/**
 * Drives the runs that this hub owns. Each is an actor: events go in, a pure function decides the next state, the state is
 * saved behind the fence of its epoch, and only then the commands are carried out. Spec: reference/workflows.md
 * "Ownership".
 */
import { isServiceRequestId } from "@countersign/domain/ids"
import {
  awaited,
  newRunState,
  nextDue,
  type PastAttempt,
  type RunCommand,
  type RunEvent,
  type RunState,
  stepOf,
  transition
} from "@countersign/domain/run-state"
import { dayMillis } from "@countersign/domain/time"
import { runDaysDefault, type StepType } from "@countersign/domain/workflow-definition"
import { isRunEnded } from "@countersign/domain/workflow-runs"
import { Cause, Context, Effect, Layer, Option } from "effect"
import { RequestWaiters } from "../dispatch/pipeline/waiters.ts"
import { DueWork } from "../platform/due-work.ts"
import { Owner } from "../platform/owner.ts"
import { Readiness } from "../platform/readiness.ts"
import { repeatRounds } from "../platform/rounds.ts"
import { Signals } from "../platform/signals.ts"
import { counting, runsActive, runsEnded } from "../platform/telemetry.ts"
import { RunAgentWork } from "./agent-work.ts"
import { CallbackAddresses } from "./callback-addresses.ts"
import { RunCalls } from "./calls.ts"
import { type EffectReport, RunLost, type StepCall, type StepEffect, type StopReport } from "./effects.ts"
import { type CompiledVersion, environmentOf } from "./environment.ts"
import type { NewRunOwned, RunReceiver } from "./handover.ts"
import { RunPeople } from "./people.ts"
import { endSignalOf, type OwnedRun, runFlags, type RunRecord, stepIdOf } from "./records.ts"
import { type ClaimedRun, openRuns, RunsRepository } from "./repository.ts"
import { makeSaves, mayRelease } from "./saves.ts"
import { Versions } from "./versions.ts"

/** Runs that one hub drives at the same time. */
export const activeRunsMax = 2_000
const roundMillis = 1_000
/** A wake-up may be lost with its connection. */
const sweepMillis = 5_000
const claimMax = 200
/** Wake-ups within this time are looked up together. */
const coalesceMillis = 20
/** An effect whose start or stop failed for a reason of the hub is tried again after this long. */
const againMillis = 500

const wakePattern = /^(?:apr|arq|dlg|stp|run)_/u

interface Actor {
  readonly run: RunRecord
  readonly version: CompiledVersion
  readonly epoch: number
  state: RunState
  /** Of the last save. */
  saved: RunState
  rev: number
  /** Flags that the next save takes into account. */
  seen: number
  queue: Array<RunEvent>
  past: Array<PastAttempt>
  commands: Array<RunCommand>
  /** Effects under way in this process, by label and attempt. */
  readonly inFlight: Set<string>
  busy: boolean
  lost: boolean
  /** Open effects are being looked up. */
  looking: boolean
  timer: NodeJS.Timeout | undefined
  /** Called after the next save. */
  waiting: Array<(ok: boolean) => void>
}

export class RunEngine extends Context.Service<RunEngine, {
  /** The owner number for a new run: this hub's, or 0 when it drives enough runs. */
  readonly ownerOfNew: () => number
  readonly first: RunReceiver["first"]
  /** Drives a run that this hub owns. Call it after the commit. */
  readonly adopt: (owned: NewRunOwned, version: CompiledVersion) => void
  /** Takes an ended run that this hub has claimed, and applies a repetition; resolves once it is saved. */
  readonly repeat: (owned: OwnedRun, version: CompiledVersion, event: RunEvent) => Promise<boolean>
  /** Flags the runs that wait for one of these effects, and claims them. */
  readonly wake: (refs: ReadonlyArray<string>) => void
  /** Looks for due and flagged runs soon. */
  readonly nudge: () => void
  readonly onEnded: (listener: (run: RunRecord, state: RunState) => void) => void
  readonly active: () => number
  /** This hub drives the run, and will signal its end. */
  readonly drives: (run: string) => boolean
}>()("@countersign/hub/runs/RunEngine") {
  static readonly layer = Layer.effect(
    RunEngine,
    Effect.gen(function*() {
      const repository = yield* RunsRepository
      const versions = yield* Versions
      const calls = yield* RunCalls
      const people = yield* RunPeople
      const work = yield* RunAgentWork
      const addresses = yield* CallbackAddresses
      const owner = yield* Owner
      const signals = yield* Signals
      const readiness = yield* Readiness
      const dueWork = yield* DueWork
      const waiters = yield* RequestWaiters
      const context = yield* Effect.context<never>()
      const run = Effect.runPromiseWith(context)
      const countEnded = counting(runsEnded, context)
      const save = makeSaves({ repository, run, stopped: signals.stopped })

      const actors = new Map<string, Actor>()
      const listeners = new Set<(run: RunRecord, state: RunState) => void>()
      /** The database's clock, less this process's. */
      let offset = 0
      let stopping = false
      const now = () => Date.now() + offset

      let publishing = false
      /** Signals a save to readers here and on other hubs, but not to this engine. */
      const publish = (subject: string) => {
        publishing = true
        signals.object(subject)
        publishing = false
      }

      /** By the type of a step; conditions and delays have none. */
      const effects: Readonly<Record<string, unknown>> = {
        service_call: calls,
        run_workflow: calls,
        webhook: calls,
        approval: people.approval,
        agent_request: people.agentRequest,
        delegation: work.delegation,
        memory_read: work.memoryRead,
        memory_write: work.memoryWrite
      }
      const effectOf = (call: StepCall) => effects[call.step.type] as StepEffect<StepType> | undefined

      const callOf = (actor: Actor, label: string): StepCall | undefined => {
        const step = actor.version.plan.steps.get(label)
        if (step === undefined) return undefined
        const state = stepOf(actor.state, label)
        return {
          run: actor.run,
          epoch: actor.epoch,
          step,
          stepId: stepIdOf(actor.run.id, actor.version.places.get(label) ?? 0),
          state,
          input: state.input ?? null,
          ref: state.ref ?? ""
        }
      }

      const forget = (actor: Actor) => {
        actor.lost = true
        clearTimeout(actor.timer)
        if (actors.get(actor.run.id) === actor) actors.delete(actor.run.id)
        runsActive.updateUnsafe(actors.size, context)
        for (const resolve of actor.waiting.splice(0)) resolve(false)
      }

      const push = (actor: Actor, ...events: ReadonlyArray<RunEvent>) => {
        if (actor.lost) return
        actor.queue.push(...events)
        if (!actor.busy) void drive(actor)
      }

      const eventOf = (label: string, attempt: number, report: EffectReport | StopReport): RunEvent => {
        switch (report.kind) {
          case "opened":
            return {
              kind: "opened",
              label,
              attempt,
              ...(report.ref === undefined ? {} : { ref: report.ref }),
              ...(report.dueAt === undefined ? {} : { due_at: report.dueAt })
            }
          case "ended":
            return { kind: "ended", label, attempt, outcome: report.outcome }
          case "stopped":
            return { kind: "stopped", label, attempt, left: report.left }
        }
      }

      /** Carries out a command until the hub could, or the run is lost. */
      const carryOut = async (actor: Actor, command: RunCommand): Promise<void> => {
        const { attempt, label } = command
        const key = `${label} ${attempt}`
        const isStart = command.kind === "start"
        const wasInFlight = actor.inFlight.has(key)
        if (isStart) actor.inFlight.add(key)
        try {
          for (let again = isStart && command.again; !actor.lost && !stopping; again = true) {
            const call = callOf(actor, label)
            const effect = call === undefined ? undefined : effectOf(call)
            if (call === undefined || effect === undefined || call.state.attempt !== attempt) return
            try {
              const report: EffectReport | StopReport = isStart
                ? await run(effect.start(call, again))
                : await run(effect.stop(call))
              // It was not found, but its start is still under way here: it may yet begin.
              const isHidden = report.kind === "stopped" && report.left === "nothing" && wasInFlight
              actor.inFlight.delete(isStart ? key : "")
              return push(actor, eventOf(label, attempt, isHidden ? { kind: "stopped", left: "effect" } : report))
            } catch (error) {
              if (error instanceof RunLost) return forget(actor)
              void run(
                Effect.logWarning(
                  `step ${label} of run ${actor.run.id} could not be ${isStart ? "started" : "stopped"} yet`,
                  Cause.die(error)
                )
              )
              await new Promise((resolve) => setTimeout(resolve, againMillis))
            }
          }
        } finally {
          if (isStart) actor.inFlight.delete(key)
        }
      }

      /** The ends of open effects that this run waits for. */
      const look = async (actor: Actor): Promise<ReadonlyArray<RunEvent>> => {
        const events: Array<RunEvent> = []
        for (const label of actor.version.plan.labels) {
          const call = callOf(actor, label)
          if (call?.state.phase !== "open") continue
          const report = await run(effectOf(call)?.look(call) ?? Effect.succeed(undefined))
          if (report !== undefined) events.push(eventOf(label, call.state.attempt, report))
        }
        for (const { ref } of actor.state.late) {
          const cost = isServiceRequestId(ref) ? await run(calls.late(actor.run.org, ref)) : 0
          if (cost !== undefined) events.push({ kind: "late", ref, cost_cents: cost })
        }
        return events
      }

      const setTimer = (actor: Actor) => {
        clearTimeout(actor.timer)
        const due = nextDue(actor.state)
        if (due === undefined || actor.lost) return
        actor.timer = setTimeout(() => push(actor, { kind: "time" }), Math.min(Math.max(0, due - now()), 2 ** 31 - 1))
      }

      /** Applies what is queued, saves it, and carries out its commands, until nothing is left. */
      const drive = async (actor: Actor): Promise<void> => {
        actor.busy = true
        try {
          while (!actor.lost) {
            const at = now()
            const environment = environmentOf(actor.run, actor.version, { now: at, callbackUrlOf: addresses.urlOf })
            for (const event of actor.queue.splice(0)) {
              const next = transition(actor.version.plan, actor.state, event, environment)
              actor.state = next.state
              actor.past.push(...next.past)
              actor.commands.push(...next.commands)
            }
            const idle = actor.inFlight.size === 0 && actor.commands.length === 0
            const changed = actor.state !== actor.saved && !sameState(actor.state, actor.saved)
            if (!changed && actor.seen === 0 && !mayRelease(actor.state, idle, at)) {
              // Commands of a resumed run: its state was saved before.
              for (const command of actor.commands.splice(0)) void carryOut(actor, command)
              for (const resolve of actor.waiting.splice(0)) resolve(true)
              break
            }
            const [before, state, past, commands, waiting] = [
              actor.saved,
              actor.state,
              actor.past.splice(0),
              actor.commands.splice(0),
              actor.waiting.splice(0)
            ]
            const saved = await save({
              run: actor.run,
              epoch: actor.epoch,
              rev: actor.rev + 1,
              before,
              state,
              past,
              seen: actor.seen,
              idle: idle && actor.queue.length === 0,
              now: at
            })
            if (saved.kind === "lost") {
              for (const resolve of waiting) resolve(false)
              return forget(actor)
            }
            offset = saved.at - Date.now()
            actor.saved = state
            actor.rev++
            actor.seen = 0
            for (const resolve of waiting) resolve(true)
            publish(actor.run.id)
            if (isRunEnded(state.status) && !isRunEnded(before.status)) {
              publish(endSignalOf(actor.run.id))
              countEnded({ status: state.status })
              signals.log(actor.run.org)
              for (const listener of listeners) listener(actor.run, state)
            }
            for (const command of commands) void carryOut(actor, command)
            const isOver = isRunEnded(state.status) && state.late.length === 0
            if ((isOver || saved.owner === 0) && actor.queue.length === 0) {
              forget(actor)
              // An effect may have ended before the run was registered as waiting for it.
              if (awaited(state).length > 0) {
                anyWaiting = true
                wakeEnded([actor.run.id])
              }
              return
            }
            if (saved.owner === 0) {
              // It was given back while an event came in: claim it again.
              forget(actor)
              wakeNow(actor.run)
              return
            }
            if (saved.flags !== 0) noteFlags(actor, saved.flags)
            if (actor.queue.length === 0) break
          }
        } catch (error) {
          forget(actor)
          await run(Effect.logError(`run ${actor.run.id} could not be saved; it will be tried again`, Cause.die(error)))
        } finally {
          actor.busy = false
          if (!actor.lost) {
            setTimer(actor)
            if (actor.queue.length > 0) void drive(actor)
          }
        }
      }

      const noteFlags = (actor: Actor, flags: number) => {
        if ((flags & runFlags.cancel) !== 0) {
          actor.seen |= runFlags.cancel
          push(actor, { kind: "cancel" })
        }
        if ((flags & runFlags.wake) === 0 || actor.looking) return
        actor.looking = true
        look(actor).then(
          (events) => {
            actor.looking = false
            // The flag is cleared by the save that takes these events into account.
            actor.seen |= runFlags.wake
            push(actor, ...events)
          },
          (error: unknown) => {
            actor.looking = false
            void run(
              Effect.logWarning(`run ${actor.run.id} could not be looked at; it will be tried again`, Cause.die(error))
            )
          }
        )
      }

      const actorOf = (owned: OwnedRun, version: CompiledVersion): Actor => ({
        run: owned.run,
        version,
        epoch: owned.epoch,
        state: owned.state,
        saved: owned.state,
        rev: owned.rev,
        seen: owned.flags,
        queue: [],
        past: [],
        commands: [],
        inFlight: new Set(),
        busy: false,
        lost: false,
        looking: false,
        timer: undefined,
        waiting: []
      })

      const enter = (actor: Actor, ...events: ReadonlyArray<RunEvent>) => {
        const before = actors.get(actor.run.id)
        if (before !== undefined) forget(before)
        actors.set(actor.run.id, actor)
        runsActive.updateUnsafe(actors.size, context)
        push(actor, ...events)
      }

      /** Runs that were claimed and are being loaded. */
      const taking = new Set<string>()
      const take = async (claimed: ClaimedRun): Promise<void> => {
        const { epoch, run_id: id } = claimed
        if (actors.get(id)?.epoch === epoch || taking.has(id)) return
        taking.add(id)
        try {
          const owned = await run(repository.load(claimed))
          if (Option.isNone(owned)) return
          const version = await run(versions.find(claimed.org_id, owned.value.run.version))
          if (version === undefined) {
            return await run(Effect.logError(`version ${owned.value.run.version} of run ${id} is gone`))
          }
          const actor = actorOf(owned.value, version)
          const isCanceled = (owned.value.flags & runFlags.cancel) !== 0
          enter(
            actor,
            { kind: "resume" },
            ...await look(actor),
            { kind: "time" },
            ...(isCanceled ? [{ kind: "cancel" } as const] : [])
          )
        } finally {
          taking.delete(id)
        }
      }

      const takeAll = (claimed: ReadonlyArray<ClaimedRun>) =>
        Effect.forEach(claimed, (one) =>
          Effect.promise(() => take(one)).pipe(
            Effect.catchCause((cause) =>
              Effect.logWarning(`run ${one.run_id} could not be resumed; it will be tried again`, cause)
            )
          ), { concurrency: 8, discard: true })

      const round = Effect.gen(function*() {
        if (stopping) return
        for (const { flags, run_id } of yield* repository.flagged(owner.num())) {
          const actor = actors.get(run_id)
          if (actor !== undefined) noteFlags(actor, flags)
        }
        const free = Math.min(claimMax, activeRunsMax - actors.size)
        if (free > 0 && owner.alive()) yield* takeAll(yield* repository.claim(owner.num(), free))
      })

      let nudged: NodeJS.Timeout | undefined
      const nudge = () => {
        if (stopping) return
        nudged ??= setTimeout(() => {
          nudged = undefined
          void run(Effect.catchCause(round, (cause) => Effect.logWarning("due runs could not be claimed", cause)))
        }, coalesceMillis)
      }

      const woken = (rows: ReadonlyArray<{ readonly run_id: string; readonly owner: number }>) => {
        for (const row of rows) if (row.owner !== 0 && row.owner !== owner.num()) signals.object(row.run_id)
        if (rows.length > 0) nudge()
      }
      const quietly = <A>(effect: Effect.Effect<A>) =>
        void run(
          Effect.catchCause(
            Effect.asVoid(effect),
            (cause) => Effect.logWarning("runs could not be woken up yet", cause)
          )
        )
      const wakeEnded = (runs: ReadonlyArray<string>) => quietly(Effect.map(repository.wakeEnded(runs), woken))
      const wakeNow = ({ id, org }: RunRecord) => quietly(Effect.map(repository.wakeRun(org, id), () => nudge()))

      /** Runs wait somewhere; without any, no settled request is looked up. */
      let anyWaiting = true
      let refs = new Set<string>()
      let flushing: NodeJS.Timeout | undefined
      const wake = (ids: ReadonlyArray<string>) => {
        for (const id of ids) refs.add(id)
        flushing ??= setTimeout(() => {
          flushing = undefined
          const batch = [...refs]
          refs = new Set()
          quietly(Effect.map(repository.wake(batch), woken))
        }, coalesceMillis)
      }

      yield* Effect.acquireRelease(
        Effect.sync(() => [
          waiters.subscribe((id) => {
            if (anyWaiting) wake([id])
          }),
          signals.subscribe((signal) => {
            if (publishing) return
            if (signal.kind === "object" && signal.id.startsWith("run_")) {
              if (!actors.has(signal.id)) return
              nudge()
            } else if (signal.kind === "object" && wakePattern.test(signal.id)) wake([signal.id])
            else if (signal.kind === "resync") nudge()
          })
        ]),
        (unsubscribe) => Effect.sync(() => unsubscribe.forEach((one) => one()))
      )

      let swept = 0
      yield* repeatRounds(
        readiness,
        "runs",
        roundMillis,
        Effect.gen(function*() {
          if (performance.now() - swept >= sweepMillis) {
            swept = performance.now()
            woken(yield* repository.wakeEnded())
            anyWaiting = (yield* repository.waitingCount) > 0
            yield* takeAll(yield* repository.stranded(owner.num(), [...actors.keys()], claimMax))
          }
          yield* round
        }),
        dueWork.wait(openRuns)
      )
      // An orderly stop gives the runs to other hubs, or to this one's next start.
      yield* Effect.addFinalizer(() =>
        Effect.suspend(() => {
          stopping = true
          clearTimeout(nudged)
          clearTimeout(flushing)
          const own = [...actors.keys()]
          for (const actor of actors.values()) forget(actor)
          return own.length === 0 ? Effect.void : Effect.ignoreCause(repository.release(owner.num(), own))
        })
      )

      return RunEngine.of({
        ownerOfNew: () => actors.size < activeRunsMax && owner.alive() && !stopping ? owner.num() : 0,
        first: (id, version, input) => {
          if (version.readsStart) return undefined
          const at = now()
          const environment = environmentOf({ id, createdAt: at }, version, { now: at, callbackUrlOf: addresses.urlOf })
          const before = newRunState(input, at + runDaysDefault * dayMillis)
          const { commands, state } = transition(version.plan, before, { kind: "resume" }, environment)
          return isRunEnded(state.status) ? undefined : { state, commands }
        },
        adopt: (owned, version) => {
          const actor = actorOf(owned, version)
          if (owned.commands === undefined) return enter(actor, { kind: "resume" })
          actor.commands.push(...owned.commands)
          enter(actor)
        },
        repeat: (owned, version, event) =>
          new Promise((resolve) => {
            const actor = actorOf(owned, version)
            actor.waiting.push(resolve)
            enter(actor, event)
          }),
        wake,
        nudge,
        onEnded: (listener) => void listeners.add(listener),
        active: () => actors.size,
        drives: (id) => actors.has(id)
      })
    })
  )
}

const sameState = (one: RunState, other: RunState): boolean =>
  one.status === other.status && one.ending === other.ending && one.late === other.late &&
  one.output === other.output &&
  one.error === other.error && one.ended_at === other.ended_at && one.deadline_at === other.deadline_at &&
  Object.keys(one.steps).length === Object.keys(other.steps).length &&
  Object.entries(one.steps).every(([label, step]) => other.steps[label] === step)
