/**
 * The embedded server's configuration: everything on the command line, so a directory of any age runs with this
 * version's settings.
 */

/** Shared memory of a server without another bound, in MiB: small enough to stay unnoticed on a desktop. */
export const memoryDefaultMib = 256
export const memoryMinMib = 64
export const memoryMaxMib = 65_536

/**
 * Shared memory also contains descriptors and buffers of the log, in proportion to the page buffers, and tables for
 * locks and sessions.
 */
const buffersMib = (memoryMib: number): number => Math.floor(memoryMib * 15 / 16) - 16

/** A unix socket in `directory`, or a TCP port on the loopback interface on Windows. */
export type Listen = { readonly directory: string } | { readonly port: number }

export interface Tuning {
  /** A bound on the shared memory; `memoryDefaultMib` unless set. */
  readonly memoryMib?: number | undefined
  /** At most this many at once; one hub uses some twenty. */
  readonly connections?: number | undefined
  /** Override the settings of this module, only for a server whose data ends with it, as in tests. */
  readonly settings?: Readonly<Record<string, string>> | undefined
}

/**
 * `fsync`, `full_page_writes`, and `synchronous_commit` define "committed" and are never off in a hub. About 1 GB and 5 minutes
 * between checkpoints keep recovery after a crash to seconds (22 s with 4 GB and 15 min, measured). Statements and rows
 * of callers stay out of the log: only LOG, FATAL, and PANIC reach it.
 */
export const serverSettings = (
  listen: Listen,
  { connections = 100, memoryMib = memoryDefaultMib, settings = {} }: Tuning = {}
): Readonly<Record<string, string>> => ({
  ...("directory" in listen
    ? { listen_addresses: "", unix_socket_directories: listen.directory, unix_socket_permissions: "0700", port: "5432" }
    : { listen_addresses: "127.0.0.1", unix_socket_directories: "", port: String(listen.port) }),
  max_connections: String(connections),
  shared_buffers: `${buffersMib(memoryMib)}MB`,
  fsync: "on",
  full_page_writes: "on",
  synchronous_commit: "on",
  wal_level: "replica",
  wal_compression: "on",
  max_wal_size: "1GB",
  checkpoint_timeout: "5min",
  // a container's /dev/shm of 64 MB is too small for parallel plans, and the hub needs the other cores
  max_parallel_workers_per_gather: "0",
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  log_destination: "stderr",
  logging_collector: "off",
  log_line_prefix: "",
  log_min_messages: "log",
  log_min_error_statement: "panic",
  log_checkpoints: "off",
  log_connections: "",
  log_statement: "none",
  lc_messages: "C",
  ...settings
})

export const settingArguments = (listen: Listen, tuning?: Tuning): ReadonlyArray<string> =>
  Object.entries(serverSettings(listen, tuning)).flatMap(([name, value]) => ["-c", `${name}=${value}`])
