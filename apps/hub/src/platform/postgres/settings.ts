/**
 * How the embedded server is configured: everything on the command line, so a directory of any age runs as this version means it.
 */
import { totalmem } from "node:os"

const MB = 1024 * 1024
const SHARED_BUFFERS_MIN_MB = 128
const SHARED_BUFFERS_MAX_MB = 1024
/** The hub, its page cache and other programs need the rest. */
const SHARED_BUFFERS_SHARE = 16

/** Of the machine, or of the container where that is less. */
export const sharedBuffersMb = (total = totalmem(), constrained = process.constrainedMemory()): number => {
  const available = constrained > 0 ? Math.min(total, constrained) : total
  const share = Math.floor(available / MB / SHARED_BUFFERS_SHARE)
  return Math.min(SHARED_BUFFERS_MAX_MB, Math.max(SHARED_BUFFERS_MIN_MB, share))
}

/** A unix socket in `directory`, or a TCP port on the loopback of Windows. */
export type Listen = { readonly directory: string } | { readonly port: number }

/**
 * `fsync`, `full_page_writes` and `synchronous_commit` are what "committed" means and are never off. About 1 GB and 5 minutes
 * between checkpoints keep recovery after a crash to seconds (22 s with 4 GB and 15 min, measured). Statements and rows of
 * callers stay out of the log: only LOG, FATAL and PANIC reach it.
 */
export const serverSettings = (listen: Listen): Readonly<Record<string, string>> => ({
  ...("directory" in listen
    ? { listen_addresses: "", unix_socket_directories: listen.directory, unix_socket_permissions: "0700", port: "5432" }
    : { listen_addresses: "127.0.0.1", unix_socket_directories: "", port: String(listen.port) }),
  max_connections: "100",
  shared_buffers: `${sharedBuffersMb()}MB`,
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
  lc_messages: "C"
})

export const settingArguments = (listen: Listen): ReadonlyArray<string> =>
  Object.entries(serverSettings(listen)).flatMap(([name, value]) => ["-c", `${name}=${value}`])
