/** Metrics that are read when somebody asks for them: of this process, and counts of the database. */
import { apiVersion } from "@countersign/domain/discovery"
import { Effect, Metric } from "effect"
import { statfs } from "node:fs/promises"
import { monitorEventLoopDelay } from "node:perf_hooks"

const resident = Metric.gauge("process_resident_memory_bytes", { description: "Resident memory size." })
const cpu = Metric.counter("process_cpu_seconds_total", { description: "User and system CPU time spent." })
const started = Metric.gauge("process_start_time_seconds", {
  description: "Start time of the process in seconds since 1970."
})
const build = Metric.withAttributes(
  Metric.gauge("countersign_build_info", { description: "1, with the versions of hub and Node as labels." }),
  { version: apiVersion, node: process.versions.node }
)
const delay99 = Metric.gauge("countersign_event_loop_delay_p99_seconds", {
  description: "99th percentile of the event loop's delay since the last reading."
})
const delayMax = Metric.gauge("countersign_event_loop_delay_max_seconds", {
  description: "Longest delay of the event loop since the last reading."
})
const freeBytes = Metric.gauge("countersign_data_directory_free_bytes", {
  description: "Free space of the disk with the data directory; NaN while it cannot be read."
})

const delayResolutionMillis = 20

/** Updates the metrics of this process; for the life of the scope. */
export const makeProcessMetrics = Effect.fnUntraced(function*(dataDir: string) {
  const delays = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const histogram = monitorEventLoopDelay({ resolution: delayResolutionMillis })
      histogram.enable()
      return histogram
    }),
    (histogram) => Effect.sync(() => histogram.disable())
  )
  let counted = 0
  /** The timer's own interval is part of each value. */
  const seconds = (nanos: number) => Math.max(0, nanos / 1e9 - delayResolutionMillis / 1_000)
  return Effect.gen(function*() {
    const { system, user } = process.cpuUsage()
    const spent = (user + system) / 1_000_000
    yield* Metric.update(cpu, spent - counted)
    counted = spent
    yield* Metric.update(resident, process.memoryUsage.rss())
    yield* Metric.update(started, performance.timeOrigin / 1_000)
    yield* Metric.update(build, 1)
    yield* Metric.update(delay99, delays.count === 0 ? 0 : seconds(delays.percentile(99)))
    yield* Metric.update(delayMax, delays.count === 0 ? 0 : seconds(delays.max))
    delays.reset()
    const free = yield* Effect.promise(() =>
      statfs(dataDir).then(({ bavail, bsize }) => bavail * bsize, () => Number.NaN)
    )
    yield* Metric.update(freeBytes, free)
  })
})
