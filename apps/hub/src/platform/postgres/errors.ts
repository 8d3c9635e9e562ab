/** Errors that keep the embedded PostgreSQL from serving, each as one line with the next step. */
import { Schema } from "effect"

export const EmbeddedPostgresReason = Schema.Literals([
  "unsupported_platform",
  "binaries_missing",
  "data_directory_in_use",
  "data_directory_unusable",
  "disk_full",
  "version_mismatch",
  "start_failed",
  "backup_failed",
  "restore_refused"
])
export type EmbeddedPostgresReason = typeof EmbeddedPostgresReason.Type

/** `detail` is one line with the problem and the next step; it contains no secret. */
export class EmbeddedPostgresError extends Schema.TaggedError<EmbeddedPostgresError>()("EmbeddedPostgresError", {
  reason: EmbeddedPostgresReason,
  detail: Schema.String
}) {
  override get message() {
    return this.detail
  }
}

/** The text for a failed file operation on `path`. */
export const fileFailure = (path: string, error: unknown): EmbeddedPostgresError => {
  if (error instanceof EmbeddedPostgresError) return error
  const { code, message }: NodeJS.ErrnoException = error instanceof Error ? error : new Error(String(error))
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return new EmbeddedPostgresError({
        reason: "disk_full",
        detail: `The disk of ${path} is full: free some space and start again.`
      })
    case "EACCES":
    case "EPERM":
      return new EmbeddedPostgresError({
        reason: "data_directory_unusable",
        detail:
          `${path} cannot be written by this user (uid ${
            process.getuid?.() ?? "none"
          }): change its owner or mode, or set ` +
          "HUB_DATA_DIR to another directory."
      })
    case "EROFS":
      return new EmbeddedPostgresError({
        reason: "data_directory_unusable",
        detail: `${path} is on a read-only file system: set HUB_DATA_DIR to a directory that can be written.`
      })
    case "ENOTDIR":
    case "EEXIST":
      return new EmbeddedPostgresError({
        reason: "data_directory_unusable",
        detail: `${path} is not a directory: remove the file, or set HUB_DATA_DIR to another directory.`
      })
    default:
      return new EmbeddedPostgresError({
        reason: "data_directory_unusable",
        detail: `${path} cannot be used (${message}): set HUB_DATA_DIR to another directory.`
      })
  }
}

const systemError = (code: string) => Object.assign(new Error(), { code })

const patterns: ReadonlyArray<readonly [RegExp, (directory: string) => EmbeddedPostgresError]> = [
  [
    /No space left on device|Disk quota exceeded|wrote only \d+ of \d+ bytes/,
    (directory) => fileFailure(directory, systemError("ENOSPC"))
  ],
  [/Read-only file system/, (directory) => fileFailure(directory, systemError("EROFS"))],
  [
    /database files are incompatible with server|initialized by PostgreSQL version/,
    (directory) =>
      new EmbeddedPostgresError({
        reason: "version_mismatch",
        detail: `The database in ${directory} was written by an incompatible PostgreSQL: ` +
          "start the hub version that made it, or restore a backup of this one."
      })
  ],
  [/could not look up effective user ID/, () =>
    new EmbeddedPostgresError({
      reason: "start_failed",
      detail:
        `The user id ${process.getuid?.()} has no entry in /etc/passwd, which PostgreSQL needs to create a database: ` +
        "add one, run as a user that has one, or set DATABASE_URL."
    })],
  [/lock file ".*" already exists/, (directory) =>
    new EmbeddedPostgresError({
      reason: "start_failed",
      detail:
        `PostgreSQL mistakes a running process for another server on ${directory} (its number is in postmaster.pid there): ` +
        "end that server; if the process is another program, remove that file. Then start again."
    })],
  [
    /Permission denied|wrong ownership|invalid permissions/,
    (directory) => fileFailure(directory, systemError("EACCES"))
  ],
  [/could not (map|create) .*shared memory|Cannot allocate memory/, () =>
    new EmbeddedPostgresError({
      reason: "start_failed",
      detail:
        "PostgreSQL got no shared memory from the system: free some, or raise the limit of the container, and start again."
    })]
]

/**
 * The text for the output of an `initdb` or `postgres` that ended. The first FATAL or PANIC line decides where no
 * pattern matches.
 */
export const serverFailure = (directory: string, output: string, ending: string): EmbeddedPostgresError => {
  for (const [pattern, failure] of patterns) {
    if (pattern.test(output)) return failure(directory)
  }
  const line = /(?:FATAL|PANIC|error):\s*(.+)/.exec(output)?.[1] ?? output.trim().split("\n").at(-1) ?? ""
  return new EmbeddedPostgresError({
    reason: "start_failed",
    detail: `PostgreSQL does not serve ${directory} (${ending}): ${line === "" ? "no output" : line.trim()}.`
  })
}
