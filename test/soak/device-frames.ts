/**
 * A device agent against a hub that sends mutated frames and commands. After each of a hundred mutated frames per scale
 * the agent runs a valid command. Of two hundred mutated commands per scale none runs that the rules do not allow and
 * no person approved, and each one that the agent accepts comes to an end. `npm run soak` sends a thousand frames by
 * default.
 */
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { connected, pairedWith } from "../support/device-agent.ts"
import { mutatedCommand, mutatedFrame } from "../support/device-fuzz.ts"
import { type HostileHub, hostileHub, leaseOf } from "../support/hostile-hub.ts"
import { chanceOf } from "../support/random.ts"
import type { SoakOptions, SoakScenario } from "./scenario.ts"

const framesPerScale = 100
const commandsPerScale = 200
/** A safety net: an agent that does not answer within this time has failed. */
const answerMillis = 60_000

const endOf = (frames: ReturnType<HostileHub["about"]>) => frames.find((frame) => frame.type === "done")

const within = <A>(work: Effect.Effect<A>, problem: () => string): Effect.Effect<A> =>
  Effect.timeoutOrElse(work, { duration: answerMillis, orElse: () => Effect.die(new Error(problem())) })

const frames = ({ log, scale, seed }: SoakOptions) =>
  Effect.gen(function*() {
    const chance = chanceOf(seed)
    const hub = yield* hostileHub
    const place = yield* pairedWith(hub.url)
    place.rules([{ effect: "allow", tool: "system.info" }])
    yield* connected(place)
    let known = hub.offer()
    yield* hub.ended(known)
    for (let count = 1; count <= framesPerScale * scale; count++) {
      let connections = hub.connections()
      const sent = mutatedFrame(chance, known)
      hub.send(sent)
      const problem = (how: string) => `the command after frame ${count} ${how}: ${sent.slice(0, 2_000)}`
      let next = hub.offer()
      const done = yield* within(
        hub.seen(() => {
          // After too many malformed frames the agent reconnects, and the hub offers the same commands again.
          if (hub.connections() > connections) {
            connections = hub.connections()
            if (hub.about(next).length === 0) next = hub.offer()
          }
          return endOf(hub.about(next))
        }),
        () => problem("did not run")
      )
      if (done.outcome !== "succeeded") throw new Error(problem(`ended as ${done.outcome}`))
      known = next
    }
    log(
      `${
        framesPerScale * scale
      } mutated frames, ${hub.connections()} connections, ${hub.received.length} frames of the agent`
    )
  })

const commands = ({ log, scale, seed }: SoakOptions) =>
  Effect.gen(function*() {
    const chance = chanceOf(seed + 1)
    const hub = yield* hostileHub
    const place = yield* pairedWith(hub.url)
    const mark = join(place.root, "..", "mark")
    const script = place.script("allowed", "exit 0")
    place.rules([{ effect: "allow", tool: "shell.run", argv: [script] }, { effect: "allow", tool: "system.info" }], {
      ask_via: "hub",
      sandbox: "off"
    })
    yield* connected(place)
    const outcomes = new Map<string, number>()
    for (let count = 0; count < commandsPerScale * scale; count++) {
      const command = mutatedCommand(chance, { allowed: [script], directory: place.root, mark })
      hub.send({ type: "command", command, lease: leaseOf(1) })
      const about = () => hub.about(command.id)
      // The hub first approves a plan that differs from the agent's, then denies the agent's plan.
      const answered = new Set<unknown>()
      const answerConsent = () => {
        for (const frame of about()) {
          if (frame.type !== "state" || frame.state !== "awaiting_consent" || answered.has(frame)) continue
          answered.add(frame)
          const control = { type: "consent", command_id: command.id }
          hub.send({ type: "control", control: { ...control, decision: "approved", plan_digest: "0".repeat(64) } })
          hub.send({ type: "control", control: { ...control, decision: "approved" } })
          hub.send({ type: "control", control: { ...control, decision: "denied", plan_digest: frame.plan_digest } })
        }
        return endOf(about())
      }
      // The agent ignores a command that does not fit the schema: then the next valid one ends without any frame about
      // it.
      const valid = hub.offer()
      const end = yield* within(
        hub.seen(() =>
          answerConsent() ??
            (about().length === 0 && endOf(hub.about(valid)) !== undefined ? "ignored" as const : undefined)
        ),
        () => `command ${count} did not end: ${JSON.stringify(command).slice(0, 500)}`
      )
      const ran = about().some((frame) => frame.type === "state" && frame.state === "running")
      const isAllowed = command.tool === "shell.run" &&
        JSON.stringify((command.input as { readonly argv?: unknown } | null)?.argv) === JSON.stringify([script])
      if (ran && !isAllowed) {
        throw new Error(`command ${count} ran without consent: ${JSON.stringify(command).slice(0, 500)}`)
      }
      if (existsSync(mark)) {
        throw new Error(`command ${count} made a file without consent: ${JSON.stringify(command).slice(0, 500)}`)
      }
      const outcome = end === "ignored" ? end : `${end.outcome} ${end.error?.code ?? ""}`.trim()
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1)
    }
    log(
      [...outcomes].toSorted(([a], [b]) => a < b ? -1 : 1).map(([outcome, count]) => `${count} ${outcome}`).join(", ")
    )
    for (const outcome of ["succeeded", "ignored", "denied consent_denied"]) {
      if (!outcomes.has(outcome)) throw new Error(`no command was "${outcome}", so the mutations prove too little`)
    }
  })

export const soak: SoakScenario = {
  name: "device-frames",
  summary: "a device agent against mutated frames and commands of its hub",
  run: (options) => Effect.runPromise(Effect.scoped(Effect.andThen(Effect.scoped(frames(options)), commands(options))))
}
