/** Runs the steps of one device's life against a hub and against the model, and compares the two after every step. */
import { DeviceCommandsRepository } from "@countersign/hub/devices/commands-repository"
import { DeviceSweeper } from "@countersign/hub/devices/sweeper"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { deepStrictEqual, ok } from "node:assert/strict"
import {
  type Answer,
  DeviceModel,
  isOver,
  type ModelCommand,
  type Said,
  type Tool
} from "../../support/device-model.ts"
import { makeDevice } from "../../support/device.ts"
import { expectStatus, type HubInTest, type OwnerInTest } from "../../support/hub.ts"
import type { Act, Step } from "./protocol-steps.ts"

interface Snapshot {
  readonly device: Readonly<Record<string, unknown>>
  readonly commands: ReadonlyArray<Readonly<Record<string, unknown>> & { readonly id: string }>
}

// oxlint-disable-next-line typescript/no-explicit-any -- the wire, without a schema
type Wire = any

/** Everything that an act needs, chosen before it runs: two concurrent acts are chosen from the same state. */
type Chosen =
  | { readonly kind: "queue"; readonly tool: Tool; readonly session: string }
  | { readonly kind: "poll"; readonly session: string; readonly max: number }
  | { readonly kind: "heartbeat"; readonly heartbeat: Said }
  | { readonly kind: "ack"; readonly id: string; readonly lease: number }
  | {
    readonly kind: "progress"
    readonly id: string
    readonly lease: number
    readonly state: "awaiting_consent" | "running"
  }
  | {
    readonly kind: "output"
    readonly id: string
    readonly lease: number
    readonly seq: number
    readonly data: string
  }
  | {
    readonly kind: "done"
    readonly id: string
    readonly lease: number
    readonly outcome: ModelCommand["outcome"] & string
  }
  | { readonly kind: "cancel"; readonly id: string }
  | { readonly kind: "patch"; readonly change: Parameters<DeviceModel["patch"]>[0] }
  | { readonly kind: "end"; readonly session: string }
  | { readonly kind: "revoke" }

interface HubAnswer extends Answer {
  /** The id of the command or session that the hub created. */
  readonly made?: string
}

const tools: ReadonlyArray<Tool> = ["shell.run", "system.info"]
const inputs = { "shell.run": { argv: ["true"] }, "system.info": {} }

/** Runs steps on a new device; throws at a difference. Counts the answers in `answered`. */
export const liveBy = Effect.fnUntraced(function*(
  hub: HubInTest & { readonly owner: OwnerInTest },
  steps: ReadonlyArray<Step>,
  answered: Map<string, number>
) {
  const as = { cookie: hub.owner.cookie }
  const device = yield* makeDevice(hub, hub.owner, { granted: tools })
  const sql = (statement: (sql: SqlClient.SqlClient) => Effect.Effect<unknown, unknown>) =>
    hub.run(Effect.orDie(Effect.flatMap(SqlClient.SqlClient, statement)))
  let model = new DeviceModel()
  let boots = 0
  let instances = 0
  let before: Snapshot | undefined

  const snapshot = Effect.map(
    sql((sql) =>
      sql`select json_build_object(
      'device', json_build_object('state', d.state, 'by', d.state_by, 'resuming', d.resuming, 'granted', d.granted,
        'instance', d.instance_id, 'boot', d.boot_id,
        'session', (select s.id from device_sessions s where s.device_id = d.id and s.ended_at is null)),
      'commands', coalesce((select json_agg(json_build_object('id', c.id, 'status', c.status, 'outcome', c.outcome, 'code', c.error_code,
        'lease', c.lease_number, 'acked', c.acked_at is not null, 'cancel', c.cancel_requested_at is not null,
        'unconfirmed', c.unconfirmed, 'late', c.late_result is not null, 'chunks', c.next_seq) order by c.id)
        from device_commands c where c.device_id = d.id), '[]'))::text as snapshot
      from devices d where d.id = ${device.id}`
    ),
    (rows) => JSON.parse((rows as ReadonlyArray<{ readonly snapshot: string }>)[0]!.snapshot) as Snapshot
  )

  const shown = (model: DeviceModel): Snapshot => ({
    device: {
      state: model.state,
      by: model.by,
      resuming: model.resuming,
      granted: model.granted,
      instance: model.instance,
      boot: model.boot,
      session: model.session ?? null
    },
    commands: [...model.commands.values()].sort((a, b) => a.id < b.id ? -1 : 1).map((command) => ({
      id: command.id,
      status: command.status,
      outcome: command.outcome,
      code: command.code,
      lease: command.lease,
      acked: command.acked,
      cancel: command.cancelAsked,
      unconfirmed: command.unconfirmed,
      late: command.lateResult,
      chunks: command.chunks.length
    }))
  })

  /** Invariants independent of the model: one final end, leases that only rise, no return from an acknowledgement. */
  const follows = (now: Snapshot) => {
    for (const command of before?.commands ?? []) {
      const after = now.commands.find(({ id }) => id === command.id)
      ok(after !== undefined, `${command.id} is lost`)
      ok(Number(after["lease"]) >= Number(command["lease"]), `the lease of ${command.id} fell`)
      const { late: _, ...end } = command
      const { late: __, ...same } = after
      if (["done", "cancelled", "expired"].includes(String(command["status"]))) deepStrictEqual(same, end)
      else if (command["acked"] === true) {
        ok(after["acked"] === true && after["lease"] === command["lease"], `${command.id} was offered again`)
      }
    }
    before = now
  }

  /** A command, open ones first; undefined without commands. */
  const picked = (pick: number): ModelCommand | undefined => {
    const open = model.open
    const all = pick % 10 < 8 && open.length > 0 ? open : [...model.commands.values()]
    return all[Math.floor(pick / 10) % all.length]
  }
  const oldSession = () => [...model.sessions].find((session) => session !== model.session)
  const sessionOf = (old: boolean) => (old ? oldSession() : undefined) ?? model.session ?? oldSession()

  const heartbeatOf = (act: Extract<Act, { readonly kind: "heartbeat" }>): Said => {
    const leased = model.open.filter(({ lease, status }) => lease > 0 && status !== "queued").slice(0, 8)
    const named = act.running === "none"
      ? []
      : act.running === "one"
      ? leased.slice(act.pick % 3, (act.pick % 3) + 1)
      : leased
    const copy = (() => {
      const present = { instance: model.instance ?? undefined, boot: model.boot ?? undefined }
      const first = { instance: `i${instances}`, boot: `b${boots}` }
      switch (act.who) {
        case "same":
          return model.boot === null && model.superseded.size === 0 ? first : present
        case "boot":
          return { instance: present.instance ?? first.instance, boot: `b${++boots}` }
        case "instance":
          return { instance: `i${++instances}`, boot: `b${++boots}` }
        case "before":
          return {
            instance: `i${act.pick % (instances + 1)}`,
            boot: [...model.superseded][act.pick % Math.max(1, model.superseded.size)] ?? present.boot
          }
        case "plain":
          return { instance: undefined, boot: undefined }
        case "instance_alone":
          return { instance: `i${++instances}`, boot: undefined }
      }
    })()
    const session = act.session === "live" ? model.session : act.session === "old" ? oldSession() : undefined
    return {
      ...copy,
      session,
      status: act.status,
      running: named.map(({ id, lease }) => ({ command_id: id, lease: act.running === "wrong" ? lease + 1 : lease }))
    }
  }

  const choose = (act: Act): Chosen | undefined => {
    switch (act.kind) {
      case "heartbeat":
        return { kind: "heartbeat", heartbeat: heartbeatOf(act) }
      case "patch":
        return { kind: "patch", change: { state: act.state } }
      case "grant":
        return { kind: "patch", change: { granted: act.granted } }
      case "revoke":
        return act
      case "queue":
      case "poll":
      case "end": {
        const session = sessionOf(act.kind === "end" ? false : act.old)
        return session === undefined ? undefined : { ...act, session }
      }
      default: {
        const command = picked(act.pick)
        if (command === undefined) return undefined
        const { id } = command
        const lease = "lease" in act ? Math.max(1, command.lease + act.lease) : 1
        if (act.kind !== "output") return { ...act, id, lease } as Chosen
        const seq = Math.max(0, command.chunks.length + act.seq)
        // Every other repeat has the same data.
        const data = command.chunks[seq] !== undefined && act.pick % 2 > 0 ? command.chunks[seq] : act.data
        return { kind: "output", id, lease, seq, data }
      }
    }
  }

  const keysOf = (controls: ReadonlyArray<{ readonly type: string; readonly command_id?: string }>) =>
    controls.map(({ command_id, type }) => command_id === undefined ? type : `${type} ${command_id}`)

  const perform = (act: Chosen): Effect.Effect<HubAnswer> => {
    const answerOf = (facts: (body: Wire) => unknown, made?: (body: Wire) => string) =>
      Effect.map(({ body, status }: { readonly status: number; readonly body: Wire }): HubAnswer =>
        status >= 400 ? { status, code: body.error.code } : {
          status,
          ...(status === 204 ? {} : { facts: facts(body) }),
          ...(made === undefined ? {} : { made: made(body) })
        }
      )
    const none = () => undefined
    const command = (id: string, verb: string, body: object) =>
      device.call("POST", `/devices/commands/${id}/${verb}`, body)
    switch (act.kind) {
      case "queue":
        return hub.api("POST", `/devices/sessions/${act.session}/commands`, {
          ...as,
          body: { tool: act.tool, input: inputs[act.tool] }
        })
          .pipe(answerOf(none, ({ id }) => id))
      case "poll":
        return device.call("GET", `/devices/sessions/${act.session}/commands?max=${act.max}`).pipe(
          answerOf(({ controls, data }) => ({
            data: data.map(({ id, lease }: Wire) => [id, lease.number]),
            controls: keysOf(controls)
          }))
        )
      case "heartbeat": {
        const { boot, instance, running, session, status } = act.heartbeat
        return device.heartbeat({
          status,
          running,
          ...(boot === undefined ? {} : { boot_id: boot }),
          ...(instance === undefined ? {} : { instance_id: instance }),
          ...(session === undefined ? {} : { session_id: session })
        }).pipe(answerOf(
          ({ controls, kept, lost, session_id, waiting }) => ({
            kept,
            lost,
            waiting,
            controls: keysOf(controls),
            session: session_id
          }),
          ({ session_id }) => session_id
        ))
      }
      case "ack":
        return command(act.id, "ack", { lease: act.lease }).pipe(answerOf(({ status }) => status))
      case "progress":
        return command(act.id, "state", { lease: act.lease, state: act.state }).pipe(answerOf(({ status }) => status))
      case "output":
        return command(act.id, "output", { lease: act.lease, seq: act.seq, stream: "stdout", data: act.data })
          .pipe(answerOf(({ next_seq }) => next_seq))
      case "done":
        return command(act.id, "done", { lease: act.lease, outcome: act.outcome }).pipe(
          answerOf(({ outcome, status }) => [status, outcome ?? null])
        )
      case "cancel":
        return hub.api("POST", `/devices/commands/${act.id}/cancel`, as).pipe(
          answerOf(({ outcome, status }) => [status, outcome ?? null])
        )
      case "patch":
        return hub.api("PATCH", `/devices/${device.id}`, { ...as, body: act.change }).pipe(
          answerOf(({ state }) => state)
        )
      case "end":
        return hub.api("PATCH", `/devices/sessions/${act.session}`, { ...as, body: { status: "ended" } }).pipe(
          answerOf(({ status }) => status)
        )
      case "revoke":
        return hub.api("DELETE", `/devices/${device.id}`, as).pipe(answerOf(none))
    }
  }

  /** The model's answer; it takes over the ids that the hub created. */
  const predict = (model: DeviceModel, act: Chosen, { made }: HubAnswer): Answer => {
    switch (act.kind) {
      case "queue":
        return model.queue(act.tool, act.session, made)
      case "poll":
        return model.poll(act.session, act.max)
      case "heartbeat":
        return model.hear(act.heartbeat, made)
      case "ack":
        return model.ack(act.id, act.lease)
      case "progress":
        return model.progress(act.id, act.lease, act.state)
      case "output":
        return model.output(act.id, act.lease, act.seq, act.data)
      case "done":
        return model.done(act.id, act.lease, act.outcome)
      case "cancel":
        return model.cancel(act.id)
      case "patch":
        return model.patch(act.change)
      case "end":
        return model.endSession(act.session)
      case "revoke":
        return model.revoke()
    }
  }

  const plain = ({ made: _, ...answer }: HubAnswer): Answer =>
    answer.facts === undefined
      ? { status: answer.status, ...(answer.code === undefined ? {} : { code: answer.code }) }
      : answer

  /** The hub checked the key before the other act: its answer may then differ, as long as it changes nothing. */
  const isOvertaken = (expected: Answer, actual: Answer): boolean =>
    (expected.code === "device_revoked" || expected.code === "session_ended") &&
    (["lease_lost", "session_ended", "device_revoked", "superseded"].includes(actual.code ?? "") ||
      (actual.facts as { readonly data?: ReadonlyArray<unknown> } | undefined)?.data?.length === 0)

  const matches = (expected: Answer, actual: Answer): boolean => {
    try {
      deepStrictEqual(actual, expected)
      return true
    } catch {
      return false
    }
  }

  const compare = Effect.fnUntraced(function*(candidates: ReadonlyArray<DeviceModel>) {
    // Commands that ended by time since then, in this sweep or in one of the hub's own shortly before.
    const due = candidates.map((candidate) => candidate.sweep())
    if (due.includes(true)) yield* hub.run(Effect.flatMap(DeviceSweeper, ({ commands }) => commands))
    const now = yield* snapshot
    follows(now)
    const fits = candidates.find((candidate) =>
      matches(shown(candidate) as unknown as Answer, now as unknown as Answer)
    )
    if (fits === undefined) deepStrictEqual(now, shown(candidates[0]!))
    model = fits!
  })

  const note = (act: Chosen, { code, status }: Answer) => {
    const word = `${act.kind} ${code ?? status}`
    answered.set(word, (answered.get(word) ?? 0) + 1)
  }

  /** Moves the offer's time ahead without limit, so that only a step makes it late. */
  const holdOffers = (answers: ReadonlyArray<HubAnswer>) => {
    const ids = answers.flatMap(({ facts }) =>
      (facts as { readonly data?: ReadonlyArray<readonly [string]> } | undefined)?.data ?? []
    ).map(([id]) => id)
    return ids.length === 0
      ? Effect.void
      : sql((sql) =>
        sql`update device_commands set offered_at = offered_at + interval '1 hour' where id = any(${ids}::text[])`
      )
  }

  const runOne = Effect.fnUntraced(function*(act: Chosen) {
    const answer = yield* perform(act)
    yield* holdOffers([answer])
    note(act, answer)
    const expected = predict(model, act, answer)
    deepStrictEqual(plain(answer), expected)
    yield* compare([model])
  })

  const runBoth = Effect.fnUntraced(function*(one: Chosen, two: Chosen) {
    const answers = yield* Effect.all([perform(one), perform(two)], { concurrency: 2 })
    yield* holdOffers(answers)
    note(one, answers[0])
    note(two, answers[1])
    const tried: Array<ReadonlyArray<Answer>> = []
    const candidates = [[0, 1], [1, 0]].flatMap((order) => {
      const candidate = model.clone()
      try {
        const expected: Array<Answer> = []
        for (const at of order) expected[at] = predict(candidate, [one, two][at]!, answers[at]!)
        tried.push(expected)
        return answers.every((answer, at) =>
            matches(expected[at]!, plain(answer)) || (order[1] === at && isOvertaken(expected[at]!, plain(answer)))
          )
          ? [candidate]
          : []
      } catch (error) {
        tried.push([{ status: 0, code: String(error) }])
        return []
      }
    })
    ok(
      candidates.length > 0,
      `at once ${JSON.stringify([one, two])} answered ${JSON.stringify(answers)}, expected one of ${
        JSON.stringify(tried)
      }`
    )
    yield* compare(candidates)
  })

  const passTime = Effect.fnUntraced(function*({ pick, what }: Extract<Step, { readonly kind: "time" }>) {
    const fits: ReadonlyArray<ModelCommand> = model.open.filter(({ acked, cancelAsked, status }) =>
      what === "queue"
        ? !acked
        : what === "offer"
        ? status === "leased" && !acked
        : what === "lease"
        ? acked
        : acked && cancelAsked
    )
    const command = fits[pick % fits.length]
    if (command === undefined) return
    const { id } = command
    switch (what) {
      case "queue":
        yield* sql((sql) =>
          sql`update device_commands set queue_until = clock_timestamp() - interval '1 second' where id = ${id}`
        )
        command.queueOver = true
        break
      case "offer":
        yield* sql((sql) =>
          sql`update device_commands set offered_at = clock_timestamp() - interval '16 seconds' where id = ${id}`
        )
        command.late = true
        break
      case "lease":
        yield* sql((sql) =>
          sql`update device_commands set lease_until = clock_timestamp() - interval '301 seconds' where id = ${id}`
        )
        yield* hub.run(Effect.flatMap(DeviceSweeper, ({ commands }) => commands))
        model.timeOut(id)
        break
      case "cancel":
        yield* sql((sql) =>
          sql`update device_commands set lease_until = clock_timestamp() - interval '61 seconds',
          cancel_requested_at = clock_timestamp() - interval '61 seconds' where id = ${id}`
        )
        yield* hub.run(Effect.flatMap(DeviceSweeper, ({ commands }) => commands))
        model.giveUp(id)
    }
    answered.set(`time ${what}`, (answered.get(`time ${what}`) ?? 0) + 1)
    yield* compare([model])
  })

  for (const step of steps) {
    switch (step.kind) {
      case "both": {
        const [one, two] = step.acts.map(choose)
        if (one !== undefined && two !== undefined) yield* runBoth(one, two)
        break
      }
      case "time":
        yield* passTime(step)
        break
      case "unseen":
        yield* sql((sql) =>
          sql`update devices set heard_at = heard_at - interval '15 days', confirmed_at = clock_timestamp() - interval '15 days'
          where id = ${device.id}`
        )
        model.unseen()
        yield* compare([model])
        break
      case "start":
        yield* hub.run(Effect.flatMap(DeviceCommandsRepository, ({ extendLeases }) => extendLeases))
        yield* compare([model])
        break
      default: {
        const act = choose(step)
        if (act !== undefined) yield* runOne(act)
      }
    }
  }

  // Output has no gap and no duplicate, and every ended command has exactly one end in the log.
  const commands = [...model.commands.values()]
  for (const command of commands.filter(({ chunks }) => chunks.length > 0)) {
    const { body } = expectStatus(yield* hub.api("GET", `/devices/commands/${command.id}/output?limit=200`, as), 200)
    deepStrictEqual(body.data.map(({ data, seq }: Wire) => [seq, data]), command.chunks.map((data, seq) => [seq, data]))
  }
  const entries = (yield* sql((sql) =>
    sql`select subject_id as id, action from audit where org_id = ${hub.owner.org}
    and subject_id = any(${commands.map(({ id }) => id)}::text[]) order by seq`
  )) as ReadonlyArray<{ readonly id: string; readonly action: string }>
  for (const command of commands) {
    const actions = entries.filter(({ id }) => id === command.id).map(({ action }) => action)
    deepStrictEqual(
      actions.filter((action) => /\.(queued|done|cancelled|expired)$/.test(action)),
      ["device_command.queued", ...(isOver(command) ? [`device_command.${command.status}`] : [])],
      `the log of ${command.id}`
    )
  }
})
