/** Why the program ends, as one line that a person can act on, and the exit code of its kind. */
import { Cause, Schema } from "effect"
import { SettingError } from "./config.ts"
import { startCommand } from "./invocation.ts"
import { NewerDatabase } from "./platform/migrations.ts"
import { EmbeddedPostgresError, type EmbeddedPostgresReason } from "./platform/postgres/errors.ts"

export const exitFailure = 1
/** A person must correct a setting: `EX_CONFIG` of sysexits.h. Supervisors do not start such a program again. */
export const exitSetting = 78

/** Another start with the same settings fails in the same way. */
const lastingReasons: ReadonlySet<EmbeddedPostgresReason> = new Set([
  "binaries_missing",
  "data_directory_unusable",
  "unsupported_platform",
  "version_mismatch"
])

/** A fault that a command found, printed without a prefix. */
export class CommandFailure
  extends Schema.TaggedError<CommandFailure>()("CommandFailure", { message: Schema.String })
{}

export interface Failure {
  readonly line: string
  readonly code: number
}

const has = <K extends string>(value: unknown, name: K): value is { readonly [N in K]: unknown } =>
  typeof value === "object" && value !== null && name in value

/** The message of the innermost cause: the driver's message. */
const innermost = (error: unknown): string => {
  let last = error
  for (let depth = 0; depth < 8; depth++) {
    if (has(last, "reason") && last.reason !== undefined) last = last.reason
    else if (has(last, "cause") && last.cause !== undefined) last = last.cause
    else break
  }
  return has(last, "message") && typeof last.message === "string" && last.message !== "" ? last.message : String(last)
}

/** For the error of a listener, which has an address and a port. */
const listenFailure = (error: { readonly code: unknown }): Failure | undefined => {
  if (!has(error, "syscall") || (error.syscall !== "listen" && error.syscall !== "getaddrinfo")) return undefined
  const setting = (line: string): Failure => ({ line, code: exitSetting })
  const address = has(error, "address") ? String(error.address) : has(error, "hostname") ? String(error.hostname) : ""
  switch (error.code) {
    case "EADDRINUSE":
      return setting(`Another program uses HUB_PORT. Stop it, or choose another port: HUB_PORT=4781 ${startCommand}`)
    case "EACCES":
      return setting(
        `HUB_PORT ${has(error, "port") ? String(error.port) : ""} may be used by root only: choose a port from 1024 on`
      )
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return setting(`HUB_HOST ${address} is not an address of this machine`)
    default:
      return undefined
  }
}

/** A bug or an unexpected error is printed with all its details. */
export const failureOf = (cause: Cause.Cause<unknown>): Failure => {
  const error: unknown = Cause.squash(cause)
  if (error instanceof SettingError) {
    return { line: error.message, code: error.mayPass ? exitFailure : exitSetting }
  }
  if (error instanceof NewerDatabase) return { line: error.message, code: exitSetting }
  const plain = (line: string): Failure => ({ line, code: exitFailure })
  if (error instanceof EmbeddedPostgresError) {
    return { line: error.message, code: lastingReasons.has(error.reason) ? exitSetting : exitFailure }
  }
  if (error instanceof CommandFailure) return plain(error.message)
  if (has(error, "_tag") && error._tag === "SqlError") return plain(`The database failed: ${innermost(error)}`)
  // An error of the contract: its message names the next step.
  if (has(error, "error") && has(error.error, "code") && has(error.error, "message")) {
    return plain(String(error.error.message))
  }
  const listener = has(error, "code")
    ? error
    : has(error, "cause") && has(error.cause, "code")
    ? error.cause
    : undefined
  return (listener === undefined ? undefined : listenFailure(listener)) ?? plain(Cause.pretty(cause))
}
