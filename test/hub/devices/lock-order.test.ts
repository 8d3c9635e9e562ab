/** Devices are locked before their workspace, and several commands in order of id, so that no two changes deadlock. */
import { newId } from "@countersign/domain/ids"
import { DeviceCommandsRepository } from "@countersign/hub/devices/commands-repository"
import { DevicesRepository } from "@countersign/hub/devices/repository"
import { Database, singleConnection } from "@countersign/hub/platform/db"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { until } from "../../support/health.ts"
import { PgTest } from "../../support/pg.ts"
import { makeWorkspace } from "../../support/tick.ts"

/**
 * Holds one row, starts `work` until it waits for the row, and takes another row: that fails if `work` holds it already.
 */
const takes = Effect.fnUntraced(function*<A, E, R>(first: string, second: string, work: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  const { target } = yield* Database
  const other = yield* singleConnection(target, "lock-order")
  const waits = Effect.map(
    sql`select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    (rows) => rows.length > 0
  )
  const fiber = yield* other.withTransaction(Effect.gen(function*() {
    yield* other.unsafe(first)
    const fiber = yield* Effect.forkChild(work)
    yield* until("the work waits", waits)
    yield* other.unsafe(`${second} nowait`)
    return fiber
  }))
  return yield* Fiber.join(fiber)
})

const makeDevice = Effect.gen(function*() {
  const { org, owner } = yield* makeWorkspace()
  const devices = yield* DevicesRepository
  const id = newId("dev")
  yield* devices.insert({
    id,
    org,
    owner,
    name: "build-1",
    platform: "linux",
    arch: "x64",
    app_version: "0.2.0",
    capabilities: ["system.info"],
    keyHash: new TextEncoder().encode(id),
    keyHint: "hint"
  })
  return { org, owner, id }
})

const Repositories = Layer.mergeAll(DevicesRepository.layer, DeviceCommandsRepository.layer)

layer(Repositories.pipe(Layer.provideMerge(PgTest)), { excludeTestServices: true })("the order of locks", (it) => {
  it.effect("extends the leases of several commands in order of id", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const commands = yield* DeviceCommandsRepository
      const { id: device, org, owner } = yield* makeDevice
      const session = yield* Effect.flatMap(DevicesRepository, (devices) => devices.startSession(org, device))
      const ids = [newId("cmd"), newId("cmd")].toSorted()
      // The later one is stored first, which is the order of a scan.
      for (const id of ids.toReversed()) {
        yield* commands.insert({
          id,
          org,
          session,
          device,
          tool: "system.info",
          input: "{}",
          workingDirectory: null,
          by: { type: "user", id: owner, name: "Ada" },
          reason: null,
          serviceRequest: null,
          key: null,
          timeoutSeconds: 60,
          queueSeconds: 60
        })
      }
      yield* sql`update device_commands set status = 'leased', acked_at = now(), lease_until = now() + interval '1 second'
        where device_id = ${device}`
      const [low, high] = ids.map((id) => `select 1 from device_commands where id = '${id}' for no key update`)
      yield* takes(low!, high!, commands.extendLeases)
      const leases = yield* sql`select 1 from device_commands where lease_until > now() + interval '10 seconds'`
      assert.lengthOf(leases, 2)
    }).pipe(Effect.scoped))

  it.effect("takes a workspace's time back under the locks of its devices", () =>
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const { id: device, org } = yield* makeDevice
      yield* sql`update org_heads set last_at = clock_timestamp() + interval '1 day' where org_id = ${org}`
      const [answer] = yield* takes(
        `select 1 from devices where id = '${device}' for no key update`,
        `select 1 from org_heads where org_id = '${org}' for update`,
        sql<{ set: boolean }>`select return_time(${org}) is not null as set`
      )
      assert.isTrue(answer?.set)
    }).pipe(Effect.scoped))
})
