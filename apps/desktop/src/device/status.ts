/** `status` and `unpair`: shows this device's identity, or deletes it. */
import { Option, Schema } from "effect"
import { misconfigured } from "./exits.ts"
import { openJournal } from "./journal.ts"
import { readKeyPair } from "./key-pair.ts"
import { readRules } from "./rules-file.ts"
import { files, forgetPairing, readIdentity, readKey, readPrivate, type StateFolder } from "./state.ts"

/** An older health file was left by a crash. */
const freshMillis = 60_000

/** Written by a running agent at each heartbeat. */
const Health = Schema.Struct({
  at: Schema.String,
  pid: Schema.Int,
  via: Schema.NullOr(Schema.Literals(["socket", "poll"])),
  status: Schema.String,
  running: Schema.Int
})
export type Health = typeof Health.Type

const decodeHealth = Schema.decodeUnknownOption(Schema.fromJsonString(Health))

const readHealth = (folder: StateFolder): Health | undefined => {
  const health = Option.getOrUndefined(decodeHealth(readPrivate(folder.file(files.health))))
  return health !== undefined && Date.now() - Date.parse(health.at) < freshMillis ? health : undefined
}

export const statusOf = (folder: StateFolder): Readonly<Record<string, unknown>> => {
  const identity = readIdentity(folder)
  if (identity === undefined) return { paired: false, folder: folder.path }
  const credential = readKey(folder)
  const rules = readRules(folder)
  const health = readHealth(folder)
  return {
    paired: true,
    folder: folder.path,
    hub: identity.hub,
    device_id: identity.device_id,
    name: identity.name,
    roots: identity.roots,
    key: credential === undefined ? "missing: pair again" : credential.from,
    fingerprint: readKeyPair(folder)?.fingerprint ?? "none: it was paired without its own key",
    rules: "problem" in rules ? rules.problem : `${rules.rules.rules.length} rules`,
    agent: health === undefined
      ? "not running"
      : {
        pid: health.pid,
        connected: health.via ?? "no",
        status: health.status,
        running: health.running,
        heard_at: health.at
      },
    ...(readPrivate(folder.file(files.superseded)) === undefined
      ? {}
      : { superseded: "another copy took its place; come back with run --take-over" })
  }
}

/** Unpairs on this side only: on the hub an operator revokes the device. */
export const unpair = (folder: StateFolder): string => {
  const identity = readIdentity(folder)
  if (identity === undefined) throw misconfigured(`Nothing is paired in ${folder.path}`)
  // Throws while a running agent holds the journal.
  openJournal(folder.file(files.journal)).close()
  forgetPairing(folder)
  return `${identity.name} is not paired any more; its key is deleted. Revoke ${identity.device_id} on ${identity.hub} too.`
}
