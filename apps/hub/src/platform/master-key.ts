/**
 * The key that seals stored secrets: `HUB_MASTER_KEY`, or `master.key` in the data directory, created on the first
 * start. The database keeps a check of it, so that a wrong key stops the start instead of failing at the first secret.
 * Spec: reference/operation.md "Settings".
 */
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { createHmac, randomBytes, randomUUID, timingSafeEqual } from "node:crypto"
import { chmodSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { SettingError, Settings } from "../config.ts"

const keyBytes = 32

export const masterKeyFile = (dataDir: string): string => join(dataDir, "master.key")

/** Recognizes the key; the database has it. */
export const masterKeyCheck = (key: Uint8Array): Buffer =>
  createHmac("sha256", key).update("countersign master key check 1").digest()

/** The existing key file; `undefined` when there is none. @throws SettingError */
const readKeyFile = (path: string): Uint8Array | undefined => {
  let text: string
  try {
    text = readFileSync(path, "utf8").trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw new SettingError("HUB_MASTER_KEY", `is not set and ${path} cannot be read`)
  }
  const key = Buffer.from(text, "base64")
  if (key.length !== keyBytes || key.toString("base64") !== text) {
    throw new SettingError("HUB_MASTER_KEY", `is not set and ${path} does not hold 32 bytes in base64`)
  }
  if (process.platform !== "win32" && (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600)
  return key
}

/**
 * Writes the key to disk completely before anything is sealed with it: the file gets its name only once it is written.
 * Of two processes at the same time one creates it and both read the same.
 * @throws SettingError
 */
const makeKeyFile = (dataDir: string, path: string): Uint8Array => {
  const draft = `${path}.${process.pid}.${randomUUID()}`
  try {
    mkdirSync(dataDir, { recursive: true, mode: 0o700 })
    writeFileSync(draft, `${randomBytes(keyBytes).toString("base64")}\n`, { mode: 0o600, flag: "wx", flush: true })
    linkSync(draft, path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
      throw new SettingError("HUB_MASTER_KEY", `is not set and ${path} cannot be written`)
    }
  } finally {
    rmSync(draft, { force: true })
  }
  const key = readKeyFile(path)
  if (key === undefined) throw new SettingError("HUB_MASTER_KEY", `is not set and ${path} vanished while it was made`)
  return key
}

const attempt = <A>(run: () => A) =>
  Effect.try({
    try: run,
    catch: (error) => error instanceof SettingError ? error : new SettingError("HUB_MASTER_KEY", "cannot be used")
  })

const gone = (path: string) =>
  new SettingError(
    "HUB_MASTER_KEY",
    `is not set and ${path} is gone, but this database holds values sealed with it: put the file back or set the key`
  )

/** `path`: of the key's file, when it was not the setting. */
export const foreignKey = (path: string | undefined) =>
  new SettingError(
    "HUB_MASTER_KEY",
    `${
      path === undefined ? "" : `is not set and the key in ${path} `
    }is not the key that this database's secrets are sealed with`
  )

export class MasterKey extends Context.Service<MasterKey, {
  readonly key: Redacted.Redacted<Uint8Array>
}>()("@countersign/hub/platform/MasterKey") {
  /**
   * Needs the migrations. Fails with one line that names the setting when the key is not the one that sealed this
   * database's secrets.
   */
  static readonly layer = Layer.effect(
    MasterKey,
    Effect.gen(function*() {
      const settings = yield* Settings
      const sql = yield* SqlClient.SqlClient
      const path = masterKeyFile(settings.dataDir)
      const readCheck = sql<{ check: Uint8Array | null }>`select master_key_check as check from hub`.pipe(
        Effect.map(([row]) => row?.check ?? null),
        Effect.orDie
      )

      const known = yield* readCheck
      const key = Option.isSome(settings.masterKey)
        ? Redacted.value(settings.masterKey.value)
        : (yield* attempt(() => readKeyFile(path))) ?? (known === null
          ? yield* attempt(() => makeKeyFile(settings.dataDir, path))
          : yield* Effect.fail(gone(path)))
      const check = masterKeyCheck(key)
      if (known === null) {
        yield* sql`insert into hub (hub_id, master_key_check) values (${randomUUID()}, ${check})
        on conflict (one) do update set master_key_check = coalesce(hub.master_key_check, excluded.master_key_check)`
          .pipe(
            Effect.orDie
          )
      }
      const stored = known ?? (yield* readCheck)
      if (stored === null || stored.length !== check.length || !timingSafeEqual(stored, check)) {
        return yield* Effect.fail(foreignKey(Option.isSome(settings.masterKey) ? undefined : path))
      }
      return MasterKey.of({ key: Redacted.make(key) })
    })
  )
}
