/** The child's side of `worker-process.ts`. It imports no part of the hub. */
import { constants, setPriority } from "node:os"

/** Answers each job; ends the process when the hub is gone. */
export const serveJobs = <Job, Answer extends object>(answer: (job: Job) => Promise<Answer>): void => {
  // Not earlier: on a busy machine the modules of a process would load for longer than a job may take.
  setPriority(constants.priority.PRIORITY_LOW)
  process.on("disconnect", () => process.exit(0))
  process.on("message", (job) => {
    void answer(job as Job).then((result) => process.send?.(result))
  })
}
