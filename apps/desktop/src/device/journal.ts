/**
 * Commands that this device has begun, with their results, written to disk before execution. A repeated id is answered
 * from here, and a command without a result was interrupted and never runs again. One process at a time holds the
 * journal open. Spec: reference/devices.md "Journal".
 */
import { Result, Schema } from "effect"
import { chmodSync, closeSync, openSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { Ending } from "./command-ending.ts"
import { misconfigured } from "./exits.ts"

const keptDays = 7

const decodeEnding = Schema.decodeUnknownResult(Schema.fromJsonString(Ending))

/** Replaces a result that the journal has in a form that this version cannot read. */
const unreadableEnding: Ending = {
  outcome: "interrupted",
  error: { code: "interrupted", message: "Its result in the journal cannot be read. It is not run again." }
}

export interface Entry {
  readonly id: string
  readonly lease: number
  /** None: the command began, and its result is unknown. */
  readonly ending: Ending | undefined
}

export interface Journal {
  readonly find: (id: string) => Entry | undefined
  /** Returns after the entry is on disk. Throws for a repeated id, or when the disk refuses the write. */
  readonly begin: (id: string, tool: string, lease: number) => void
  /** Keeps the first result. */
  readonly end: (id: string, tool: string, lease: number, ending: Ending) => void
  /** Records that the hub has confirmed the result. */
  readonly markReported: (id: string) => void
  /** Commands without a result. */
  readonly open: () => ReadonlyArray<Entry>
  /** Results that the hub has not confirmed. */
  readonly unreported: () => ReadonlyArray<Entry>
  readonly close: () => void
}

const migrate = `
  create table if not exists commands (
    id text primary key, tool text not null, lease integer not null, begun_at integer not null, ended_at integer, ending text, told integer not null default 0
  ) strict, without rowid`

const toEntry = (row: Record<string, unknown>): Entry => ({
  id: String(row["id"]),
  lease: Number(row["lease"]),
  ending: row["ending"] === null
    ? undefined
    : Result.getOrElse(decodeEnding(row["ending"]), () => unreadableEnding)
})

/** Throws if another process has it open. */
export const openJournal = (path: string): Journal => {
  closeSync(openSync(path, "a", 0o600))
  chmodSync(path, 0o600)
  const db = new DatabaseSync(path)
  try {
    db.exec("pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full")
    // Takes the lock, which lasts until the process ends, even by a crash.
    db.exec("begin immediate; commit")
    db.exec(migrate)
    // The machine's clock may jump, so entries without a result or a confirmation never expire.
    db.prepare(
      "delete from commands where begun_at < ? and (told = 1 or (id glob 'local_*' and ending is not null))"
    ).run(Date.now() - keptDays * 86_400_000)
  } catch (error) {
    db.close()
    const busy = /locked|busy/i.test((error as Error).message)
    throw misconfigured(
      busy
        ? "An agent already runs with this folder"
        : `The journal ${path} cannot be used: ${(error as Error).message}`
    )
  }
  const find = db.prepare("select id, lease, ending from commands where id = ?")
  const begin = db.prepare("insert into commands (id, tool, lease, begun_at) values (?, ?, ?, ?)")
  const end = db.prepare(
    `insert into commands (id, tool, lease, begun_at, ended_at, ending) values (?1, ?2, ?3, ?4, ?4, ?5)
    on conflict (id) do update set ended_at = ?4, ending = ?5 where ending is null`
  )
  const markReported = db.prepare("update commands set told = 1 where id = ?")
  const open = db.prepare("select id, lease, ending from commands where ending is null order by id")
  const unreported = db.prepare(
    // Local calls of a chat are not reported to the hub.
    `select id, lease, ending from commands where ending is not null and told = 0 and id not glob 'local_*'
    order by id limit 1000`
  )
  return {
    find: (id) => {
      const row = find.get(id)
      return row === undefined ? undefined : toEntry(row)
    },
    begin: (id, tool, lease) => void begin.run(id, tool, lease, Date.now()),
    end: (id, tool, lease, ending) => void end.run(id, tool, lease, Date.now(), JSON.stringify(ending)),
    markReported: (id) => void markReported.run(id),
    open: () => open.all().map(toEntry),
    unreported: () => unreported.all().map(toEntry),
    close: () => db.close()
  }
}
