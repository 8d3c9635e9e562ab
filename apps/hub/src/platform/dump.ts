/**
 * Backup of a server of `DATABASE_URL`, and of the data directory's files, into one file; and its restore into an empty
 * database. `pg_dump` reads one snapshot while hubs serve; `pg_restore` writes in one transaction. Spec:
 * reference/operation.md "Backup".
 */
import { Effect, Redacted } from "effect"
import type { SqlError } from "effect/sql"
import { realpathSync } from "node:fs"
import { rm, writeFile } from "node:fs/promises"
import { basename, join, resolve } from "node:path"
import type { Readable, Writable } from "node:stream"
import type { SettingError } from "../config.ts"
import { checkServer } from "./database.ts"
import { singleConnection } from "./db.ts"
import { foreignKey, masterKeyCheck, masterKeyFile } from "./master-key.ts"
import { type ArchiveWriter, readArchive } from "./postgres/archive.ts"
import {
  backupDraft,
  backupError,
  backupFailure,
  type Logical,
  placeData,
  refused,
  refuseExisting,
  type RestoreDraft,
  restoreDraft,
  unpack
} from "./postgres/backup-file.ts"
import {
  choose,
  clientEnvironment,
  type ClientProgram,
  clientPrograms,
  missingProgram,
  runClient
} from "./postgres/client-programs.ts"
import { RESTORE_DRAFT, syncDirectory } from "./postgres/cluster.ts"
import { COPY_FILE } from "./postgres/data-directory.ts"
import type { EmbeddedPostgresError } from "./postgres/errors.ts"

/** An entry of the archive has at most 8 GB, and its size comes first: the dump is written in parts of this size. */
const partBytes = 16 * 1024 * 1024
/** Files of an embedded database that the hub had before. */
const embeddedFiles = ["postgres", "postgres.password", RESTORE_DRAFT]
/** From this version on `pg_restore` sets `transaction_timeout`, which older servers refuse. */
const transactionTimeoutMajor = 17

/** A value of a connection string: `dbname='…'`. Without a name the server chooses the database, by the role. */
const databaseArgument = (
  { PGDATABASE: name }: Readonly<Record<string, string>>
): ReadonlyArray<string> => [
  `--dbname=${name === undefined ? "" : `dbname='${name.replaceAll(/[\\']/g, "\\$&")}'`}`,
  "--no-password"
]

const addDump = async (archive: ArchiveWriter, output: Readable): Promise<void> => {
  const part = Buffer.allocUnsafe(partBytes)
  let [filled, count] = [0, 0]
  const add = async () => {
    await archive.bytes(`dump/${String(count++).padStart(6, "0")}`, part.subarray(0, filled))
    filled = 0
  }
  await archive.directory("dump")
  for await (const chunk of output as AsyncIterable<Uint8Array>) {
    for (let at = 0; at < chunk.length;) {
      const piece = chunk.subarray(at, at + partBytes - filled)
      part.set(piece, filled)
      filled += piece.length
      at += piece.length
      if (filled === partBytes) await add()
    }
  }
  if (filled > 0) await add()
}

const write = (pipe: Writable, bytes: Uint8Array): Promise<void> =>
  new Promise((resolve, reject) => {
    pipe.write(bytes, (error) => error ? reject(error) : resolve())
  })

const readDump = async ({ file }: RestoreDraft, input: Writable): Promise<void> => {
  await readArchive(file, async ({ kind, name }, content) => {
    if (kind !== "file" || !name.startsWith("dump/")) return
    for await (const chunk of content) await write(input, chunk)
  })
  input.end()
}

export interface DumpOptions {
  /** The server of `DATABASE_URL`. */
  readonly url: Redacted.Redacted
  readonly masterKey: Redacted.Redacted<Uint8Array>
  readonly withKey: boolean
  readonly dataDir: string
  /** Must not exist; appears when it is complete, with mode 0600. */
  readonly toFile: string
  /** Paths in the data directory that are left out. */
  readonly exclude: ReadonlyArray<string>
}

/** What a restore needs to know about the database. */
const describe = Effect.fnUntraced(function*({ masterKey, url }: DumpOptions) {
  const sql = yield* singleConnection({ url }, "countersign-backup")
  const [server] = yield* sql<{ major: number; schema: string | null; isHub: boolean }>`
    select current_setting('server_version_num')::int / 10000 as major, current_schema() as schema,
      to_regclass('hub') is not null as "isHub"`
  if (server === undefined || server.schema === null || !server.isHub) {
    return yield* backupError("The database of DATABASE_URL contains no data of a hub: check the setting.")
  }
  const [hub] = yield* sql<{ check: string | null }>`select encode(master_key_check, 'base64') as check from hub`
  const check = hub?.check ?? null
  if (check !== null && check !== masterKeyCheck(Redacted.value(masterKey)).toString("base64")) {
    return yield* Effect.fail(foreignKey(undefined))
  }
  const extensions = yield* sql<{ name: string; schema: string }>`
    select e.extname as name, n.nspname as schema from pg_extension e join pg_namespace n on n.oid = e.extnamespace
    where e.extname in ('btree_gin', 'pg_trgm', 'unaccent') order by e.extname`
  return { major: server.major, schema: server.schema, check, extensions }
}, Effect.scoped)

/** Works with or without a running hub, and from any machine that has the objects. */
export const dump = Effect.fn("PostgresDump.dump")(function*(
  options: DumpOptions
): Effect.fn.Return<
  { readonly bytes: number },
  EmbeddedPostgresError | SettingError | SqlError.SqlError
> {
  const toFile = resolve(options.toFile)
  yield* refuseExisting(toFile)
  const { check, extensions, major, schema } = yield* describe(options)
  const programs = clientPrograms("pg_dump")
  const program = choose(programs, (own) => own >= major)
  if (program === undefined) return yield* missingProgram("pg_dump", `${major} or later`, major, programs)
  const env = clientEnvironment(Redacted.value(options.url))
  return yield* Effect.scoped(Effect.gen(function*() {
    const { addData, archive, attempt, complete } = yield* backupDraft(toFile, {
      format: 2,
      server_major: major,
      pg_dump_major: program.major,
      schema,
      extensions,
      master_key_check: check,
      created_at: new Date().toISOString()
    })
    const args = ["--format=custom", `--schema="${schema.replaceAll("\"", "\"\"")}"`, ...databaseArgument(env)]
    yield* runClient(program, args, env, ({ output }) => addDump(archive, output), backupFailure(toFile))
    // after the database, so that all files it refers to are included
    const key = basename(masterKeyFile(options.dataDir))
    const dataDir = yield* Effect.sync(() => {
      try {
        return realpathSync(options.dataDir)
      } catch {
        return resolve(options.dataDir)
      }
    })
    yield* addData({ dataDir, exclude: [key, ...embeddedFiles, ...options.exclude] })
    if (options.withKey) {
      const text = `${Buffer.from(Redacted.value(options.masterKey)).toString("base64")}\n`
      yield* attempt(() => archive.bytes(`data/${key}`, Buffer.from(text)))
    }
    return yield* complete
  }))
})

export interface RestoreDumpOptions {
  readonly fromFile: string
  /** Missing or empty. */
  readonly dataDir: string
  /** A server whose database is empty. */
  readonly url: Redacted.Redacted
  readonly masterKey: Redacted.Redacted<Uint8Array>
  /** The hubs of the directory start paused. */
  readonly asCopy: boolean
}

/** Fails if the database cannot take the dump; creates the extensions that it lacks. */
const prepareDatabase = Effect.fnUntraced(function*(url: Redacted.Redacted, manifest: Logical) {
  yield* checkServer({ url })
  const sql = yield* singleConnection({ url }, "countersign-restore")
  const [server] = yield* sql<{ major: number; database: string; schema: string; example: string | null }>`
    select current_setting('server_version_num')::int / 10000 as major, current_database() as database,
      current_schema() as schema,
      (select min(name) from (
        select c.relname as name, c.oid, c.tableoid as class from pg_class c
          where c.relnamespace = current_schema()::regnamespace
        union all select p.proname, p.oid, p.tableoid from pg_proc p
          where p.pronamespace = current_schema()::regnamespace) o
        where not exists (select 1 from pg_depend d
          where d.classid = o.class and d.objid = o.oid and d.deptype = 'e')) as example`
  if (server === undefined) return yield* refused("The server of DATABASE_URL gave no answer.")
  const { database, example, major, schema } = server
  if (example !== null) {
    return yield* refused(
      `The database ${database} is not empty (${example}): create a new one, and restore into that.`
    )
  }
  if (major < manifest.server_major) {
    return yield* refused(
      `The backup is of PostgreSQL ${manifest.server_major}, and DATABASE_URL names PostgreSQL ${major}: ` +
        `use ${manifest.server_major} or later.`
    )
  }
  if (schema !== manifest.schema) {
    return yield* refused(
      `The hub's tables were in the schema ${manifest.schema}, and the role of DATABASE_URL uses ${schema}: ` +
        "change its search_path."
    )
  }
  for (const { name, schema } of manifest.extensions) {
    const [found] = yield* sql<{ schema: string }>`
      select n.nspname as schema from pg_extension e join pg_namespace n on n.oid = e.extnamespace where e.extname = ${name}`
    if (found?.schema === schema) continue
    const create = `create extension ${name} with schema ${schema}`
    const problem = refused(`The database ${database} needs an extension: run "${create}" in it as a superuser.`)
    if (found !== undefined) return yield* problem
    yield* Effect.mapError(sql`create extension ${sql(name)} with schema ${sql(schema)}`, () => problem)
  }
  return major
}, Effect.scoped)

const restoreProgram = (manifest: Logical, major: number): Effect.Effect<ClientProgram, EmbeddedPostgresError> => {
  const [from, to] = [manifest.pg_dump_major, major < transactionTimeoutMajor ? transactionTimeoutMajor - 1 : Infinity]
  if (from > to) {
    return refused(
      `pg_dump of PostgreSQL ${from} wrote the backup: restore it into PostgreSQL ${transactionTimeoutMajor} or later.`
    )
  }
  const programs = clientPrograms("pg_restore")
  const program = choose(programs, (own) => own >= from && own <= to)
  if (program !== undefined) return Effect.succeed(program)
  const versions = to === Infinity ? `${from} or later` : from === to ? `${from}` : `${from} to ${to}`
  return missingProgram("pg_restore", versions, from, programs)
}

/** Restores what `dump` wrote. The database gets everything or nothing. */
export const restoreDump = Effect.fn("PostgresDump.restore")(function*(
  options: RestoreDumpOptions
): Effect.fn.Return<void, EmbeddedPostgresError | SettingError | SqlError.SqlError> {
  const fromFile = resolve(options.fromFile)
  const restored = Effect.gen(function*() {
    const into = yield* restoreDraft(fromFile, options.dataDir)
    const { attempt, dataDir, draft } = into
    const manifest = yield* attempt((signal) =>
      unpack(into, {
        signal,
        tops: ["data"],
        other: ["dump"],
        accept: (found) => {
          if (found.format === 2) return
          throw refused(`${fromFile} has the files of an embedded database: restore it without DATABASE_URL.`)
        }
      })
    )
    if (manifest.format !== 2) return yield* Effect.die("another kind of backup was unpacked")
    const { master_key_check: check } = manifest
    if (check !== null && check !== masterKeyCheck(Redacted.value(options.masterKey)).toString("base64")) {
      return yield* refused(
        `HUB_MASTER_KEY is not the key that the secrets in ${fromFile} are sealed with: set it to the original hub's. ` +
          `Unless the key was left out, "tar -xOf ${fromFile} data/master.key" prints it.`
      )
    }
    const program = yield* restoreProgram(manifest, yield* prepareDatabase(options.url, manifest))
    const env = clientEnvironment(Redacted.value(options.url))
    const args = [
      "--format=custom",
      "--single-transaction",
      "--no-owner",
      "--no-privileges",
      "--no-comments",
      "--no-tablespaces",
      `--schema=${manifest.schema}`,
      ...databaseArgument(env)
    ]
    const mark = join(dataDir, COPY_FILE)
    // before the database is there, so that no hub serves it without its pause
    yield* attempt(() => options.asCopy ? writeFile(mark, "", { mode: 0o600 }) : rm(mark, { force: true }))
    yield* runClient(
      program,
      args,
      env,
      ({ input }) => readDump(into, input),
      (error) => refused(`pg_restore failed, and the database is unchanged: ${(error as Error).message}.`)
    ).pipe(Effect.onError(() => Effect.promise(() => rm(mark, { force: true }))))
    yield* attempt(async () => {
      // The setting has it: with DATABASE_URL no hub reads the file.
      await rm(masterKeyFile(join(draft, "data")), { force: true })
      await placeData(into)
      syncDirectory(dataDir)
    }).pipe(Effect.uninterruptible)
  })
  yield* Effect.scoped(restored)
  yield* Effect.logInfo(`Restored ${basename(fromFile)} into the database of DATABASE_URL, and ${options.dataDir}`)
})
