/** The hub of `hub start` on its database: prepares it, serves, and drains. */
import { Effect, Layer, Option, Redacted, Schedule } from "effect"
import { flushCompileCache } from "node:module"
import { announce, announceSecret, removeSetupLink, secretFiles } from "./announcements.ts"
import { ensureBreakGlass } from "./auth/break-glass.ts"
import { FirstOwner } from "./auth/first-owner.ts"
import { Settings } from "./config.ts"
import { tryLine } from "./demo/invitation.ts"
import type { DemoKey } from "./demo/rotation.ts"
import { ensureDemo } from "./demo/workspace.ts"
import { Dispatch } from "./dispatch/pipeline/service.ts"
import { warmDocumentation } from "./documentation/http.ts"
import { beginDraining } from "./draining.ts"
import { HubLive, ServicesLive } from "./hub.ts"
import { Database } from "./platform/db.ts"
import { releaseStartMemory } from "./platform/memory.ts"
import { beginServing, Readiness } from "./platform/readiness.ts"

/** Until `/ready` answers 200: every worker has finished its first round. Bounded, because one may fail and repeat. */
const firstRounds = Effect.flatMap(Readiness, (readiness) =>
  Effect.sync(() => readiness.silent().length === 0).pipe(
    Effect.repeat({ until: (isDone) => isDone, schedule: Schedule.spaced("5 millis") }),
    Effect.timeoutOption("10 seconds")
  ))

/** Completes the preparations of a start, then accepts requests and prints how to use the hub. */
const completeStart = Effect.gen(function*() {
  const settings = yield* Settings
  const owners = yield* FirstOwner
  const url = settings.publicUrl.origin
  if (Option.isSome(settings.owner)) {
    yield* owners.ensureOwner(settings.owner.value.email, Redacted.value(settings.owner.value.password))
  }
  yield* ensureBreakGlass
  const { embedded } = yield* Database
  const loopback = ["127.0.0.1", "::1", "localhost"].includes(settings.host)
  const demo = Option.getOrElse(settings.demo, () => embedded && loopback && Option.isNone(settings.owner))
  const made = demo ? yield* ensureDemo({ asked: Option.isSome(settings.demo) }) : Option.none<DemoKey>()
  const token = yield* owners.newSetupToken
  yield* beginServing
  yield* firstRounds
  announce(settings, `Countersign is ready on ${url}`, { url })
  if (Option.isSome(token)) {
    announceSecret(
      settings,
      secretFiles.setupLink,
      "No owner yet. The setup link",
      `No owner yet. The setup link: ${url}/setup#token=${token.value}\n` +
        `or, without a console:\n  curl -s ${url}/api/v1/auth/setup -H 'content-type: application/json' -d ` +
        `'{"token":"${token.value}","email":"you@example.com","password":"at least 12 characters"}'`
    )
  } else removeSetupLink(settings)
  if (Option.isSome(made)) {
    announceSecret(
      settings,
      secretFiles.demoKey,
      "The workspace Demo is ready to try. Its agent's key",
      `The workspace Demo is ready to try. An agent's paid request:\n  ${tryLine(url, made.value.apiKey)}`
    )
  }
})

/** Waits for service requests in progress before their connections are closed. */
const finishRequests = Effect.gen(function*() {
  const dispatch = yield* Dispatch
  const readiness = yield* Readiness
  yield* Effect.addFinalizer(() =>
    Effect.gen(function*() {
      while (dispatch.inFlight() > 0 && readiness.drainMillisLeft() > 0) yield* Effect.sleep("20 millis")
    })
  )
})

/** Serves until the drain, which `accept` gets once the hub is ready. */
export const serving = (accept: (drain: () => void) => void) =>
  Effect.gen(function*() {
    yield* finishRequests
    const drain = Effect.provideContext(beginDraining, yield* Effect.context<Effect.Services<typeof beginDraining>>())
    yield* completeStart
    releaseStartMemory()
    // Node writes the compiled code at the end of a process, which a killed one does not reach.
    yield* Effect.forkScoped(Effect.delay(Effect.sync(() => flushCompileCache()), "1 second"))
    yield* Effect.forkScoped(warmDocumentation)
    yield* Effect.callback<void>((resume) => accept(() => resume(drain)))
  }).pipe(Effect.scoped, Effect.provide(HubLive.pipe(Layer.provideMerge(ServicesLive))))
