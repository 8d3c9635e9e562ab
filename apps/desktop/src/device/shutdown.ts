/** Ends all commands, gracefully or at once. */
import { type Job, stopJob } from "./job.ts"
import { denied } from "./results/refusal.ts"

/** Time for the hub's confirmations and for killing process trees. */
const graceMillis = 2_000
const killMillis = 5_000
const checkMillis = 20

export const makeShutdown = (jobs: Map<string, Job>) => {
  const idle = new Set<() => void>()
  return {
    /** Call it after a job is removed. */
    forgotten: (): void => {
      if (jobs.size === 0) { for (const wake of idle) wake() }
    },
    /** Settles when nothing runs and the hub has confirmed every result; kills remaining commands after `millis`. */
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
            stopJob(job, "interrupted", "The device was shut down")
            job.kill.abort()
          }
        }, millis)
        // If the hub is unreachable, the journal reports the results at the next start.
        const never = setTimeout(end, millis + graceMillis)
        idle.add(end)
        if (jobs.size === 0) end()
      }),
    /** Kills every process tree at once and sends no further reports. */
    killAll: async (): Promise<void> => {
      const all = [...jobs.values()]
      for (const job of all) {
        job.output.abandon()
        // A command without an answer is denied: nothing of it ran.
        if (job.question !== undefined || job.screenDigest !== undefined) {
          job.stop.abort(denied("consent_denied", "The device was stopped before a person answered"))
        } else stopJob(job, "interrupted", "The device was stopped")
        job.kill.abort()
      }
      const end = performance.now() + killMillis
      while (all.some(({ ending, stage }) => stage !== "offered" && ending === undefined) && performance.now() < end) {
        await new Promise((resolve) => {
          setTimeout(resolve, checkMillis)
        })
      }
      jobs.clear()
    }
  }
}
