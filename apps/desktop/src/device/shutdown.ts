/** The end of all commands: in their own time, or at once. */
import { because, type Job } from "./job.ts"
import { denied } from "./refusal.ts"

/** For the hub to confirm, and for trees to be killed. */
const graceMillis = 2_000
const killMillis = 5_000
const lookMillis = 20

export const makeShutdown = (jobs: Map<string, Job>) => {
  const idle = new Set<() => void>()
  return {
    /** Call it after a job is removed. */
    forgotten: (): void => {
      if (jobs.size === 0) { for (const wake of idle) wake() }
    },
    /** Settles when nothing runs and the hub knows of all; after `millis` what still runs is killed. */
    finish: (millis: number): Promise<void> =>
      new Promise((resolve) => {
        const end = () => {
          clearTimeout(late)
          clearTimeout(never)
          idle.delete(end)
          resolve()
        }
        const late = setTimeout(() => {
          for (const job of jobs.values()) {
            because(job, "interrupted", "The device was shut down")
            job.kill.abort()
          }
        }, millis)
        // The hub may be out of reach: the journal tells it at the next start.
        const never = setTimeout(end, millis + graceMillis)
        idle.add(end)
        if (jobs.size === 0) end()
      }),
    /** At once: every tree is killed, and nothing more is reported. */
    killAll: async (): Promise<void> => {
      const all = [...jobs.values()]
      for (const job of all) {
        job.output.abandon()
        // Without an answer it is denied: nothing of it ran.
        if (job.question !== undefined || job.screenDigest !== undefined) {
          job.stop.abort(denied("consent_denied", "The device was told to stop before a person answered"))
        } else because(job, "interrupted", "The device was told to stop")
        job.kill.abort()
      }
      const end = performance.now() + killMillis
      while (all.some(({ ending, stage }) => stage !== "offered" && ending === undefined) && performance.now() < end) {
        await new Promise((resolve) => {
          setTimeout(resolve, lookMillis)
        })
      }
      jobs.clear()
    }
  }
}
