import {
  choose,
  clientEnvironment,
  missingProgram,
  runClient
} from "@countersign/hub/platform/postgres/client-programs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"

const programs = [18, 15, 17].map((major) => ({ path: `/usr/lib/postgresql/${major}/bin/pg_dump`, major }))

describe("the client programs of PostgreSQL", () => {
  it("are chosen as the oldest that fits, and a missing one is named with the ones that are there", () => {
    assert.strictEqual(choose(programs, (major) => major >= 16)?.major, 17)
    assert.isUndefined(choose(programs, (major) => major >= 19))
    const { message } = missingProgram("pg_dump", "19 or later", 19, programs.slice(0, 1))
    assert.include(message, "18 in /usr/lib/postgresql/18/bin/pg_dump")
    assert.include(message, "postgresql-client-19")
    assert.notInclude(message, "\n")
  })

  it("get the address of DATABASE_URL by their environment", () => {
    const of = (url: string) =>
      Object.fromEntries(Object.entries(clientEnvironment(url)).filter(([name]) => /^PG(?!APPNAME)/.test(name)))
    assert.deepStrictEqual(
      of("postgres://hub:p%40ss%2Fword@[::1]:5433/counter%20sign?sslmode=verify-full&sslrootcert=/ca.pem"),
      {
        PGHOST: "::1",
        PGPORT: "5433",
        PGUSER: "hub",
        PGPASSWORD: "p@ss/word",
        PGDATABASE: "counter sign",
        PGSSLMODE: "verify-full",
        PGSSLROOTCERT: "/ca.pem"
      }
    )
    assert.deepStrictEqual(of("postgres:///sign?host=/run/postgresql&port=5432&user=hub&ignored=1"), {
      PGHOST: "/run/postgresql",
      PGPORT: "5432",
      PGUSER: "hub",
      PGDATABASE: "sign"
    })
  })

  it.live("fail with their own first error, also when they stop reading", () =>
    Effect.gen(function*() {
      const script =
        "process.stdin.destroy(); console.error('pg_restore: error: could not write\\nmore'); process.exitCode = 1"
      const endless = Buffer.alloc(1024 * 1024)
      const error = yield* Effect.flip(runClient(
        { path: process.execPath, major: 18 },
        ["-e", script],
        {},
        async ({ input }) => {
          while (!input.destroyed) {
            if (!input.write(endless)) await Promise.race([once(input, "drain"), once(input, "close")])
          }
        },
        (error) => error as Error
      ))
      assert.strictEqual(error.message, "could not write")
    }))

  it.live("are ended when the use of their output fails", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(runClient(
        { path: process.execPath, major: 18 },
        ["-e", "setInterval(() => {}, 1000); console.log('out')"],
        {},
        async ({ output }) => {
          await once(output, "data")
          throw new Error("no space")
        },
        (error) => error as Error
      ))
      assert.strictEqual(error.message, "no space")
    }))
})
