/**
 * What this device began and how it ended, on the disk before anything starts: an id seen again answers what is stored here, and what
 * began without an end was interrupted and is never run again. Open, it is this process's alone. Spec: contract 8a "Journal".
 */
import type { Done } from "@countersign/domain/device-protocol"
import { chmodSync, closeSync, openSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { misconfigured } from "./exits.ts"

const keptDays = 7

export type Ending = Omit<Done, "lease" | "artifacts">

export interface Entry {
  readonly id: string
  readonly lease: number
  /** None: it began, and nobody knows how it ended. */
  readonly ending: Ending | undefined
}

export interface Journal {
  readonly find: (id: string) => Entry | undefined
  /** On the disk when it returns. Throws when the id is known, or the disk takes nothing. */
  readonly begin: (id: string, tool: string, lease: number) => void
  /** The first end stays. */
  readonly end: (id: string, tool: string, lease: number, ending: Ending) => void
  /** The hub knows of it. */
  readonly told: (id: string) => void
  /** Began without an end. */
  readonly open: () => ReadonlyArray<Entry>
  /** Ended, and the hub may not know. */
  readonly untold: () => ReadonlyArray<Entry>
  readonly close: () => void
}

const migrate = `
  create table if not exists commands (
    id text primary key, tool text not null, lease integer not null, begun_at integer not null, ended_at integer, ending text, told integer not null default 0
  ) strict, without rowid`

const toEntry = (row: Record<string, unknown>): Entry => ({
  id: String(row["id"]),
  lease: Number(row["lease"]),
  ending: row["ending"] === null ? undefined : JSON.parse(String(row["ending"])) as Ending
})

/** One process at a time: another is refused. */
export const openJournal = (path: string): Journal => {
  closeSync(openSync(path, "a", 0o600))
  chmodSync(path, 0o600)
  const db = new DatabaseSync(path)
  try {
    db.exec("pragma locking_mode = exclusive; pragma journal_mode = wal; pragma synchronous = full")
    // Takes the lock, which the process keeps until it ends, however it ends.
    db.exec("begin immediate; commit")
    db.exec(migrate)
    // By this machine's own clock, which may jump: what is still to be ended or told is never too old.
    db.prepare("delete from commands where begun_at < ? and told = 1").run(Date.now() - keptDays * 86_400_000)
  } catch (error) {
    db.close()
    const busy = /locked|busy/i.test((error as Error).message)
    throw misconfigured(
      busy
        ? "An agent runs with this folder already"
        : `The journal ${path} cannot be used: ${(error as Error).message}`
    )
  }
  const find = db.prepare("select id, lease, ending from commands where id = ?")
  const begin = db.prepare("insert into commands (id, tool, lease, begun_at) values (?, ?, ?, ?)")
  const end = db.prepare(
    `insert into commands (id, tool, lease, begun_at, ended_at, ending) values (?1, ?2, ?3, ?4, ?4, ?5)
    on conflict (id) do update set ended_at = ?4, ending = ?5 where ending is null`
  )
  const told = db.prepare("update commands set told = 1 where id = ?")
  const open = db.prepare("select id, lease, ending from commands where ending is null order by id")
  const untold = db.prepare(
    "select id, lease, ending from commands where ending is not null and told = 0 order by id limit 1000"
  )
  return {
    find: (id) => {
      const row = find.get(id)
      return row === undefined ? undefined : toEntry(row)
    },
    begin: (id, tool, lease) => void begin.run(id, tool, lease, Date.now()),
    end: (id, tool, lease, ending) => void end.run(id, tool, lease, Date.now(), JSON.stringify(ending)),
    told: (id) => void told.run(id),
    open: () => open.all().map(toEntry),
    untold: () => untold.all().map(toEntry),
    close: () => db.close()
  }
}
