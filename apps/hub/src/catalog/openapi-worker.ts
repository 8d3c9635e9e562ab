/** The worker thread of `openapi-importer.ts`: one job, one outcome. */
import { Effect } from "effect"
import { parentPort, workerData } from "node:worker_threads"
import { type OpenApiJob, runOpenApiJob } from "./openapi-job.ts"

const outcome = await Effect.runPromise(runOpenApiJob(workerData as OpenApiJob))
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker thread, not a window
parentPort?.postMessage(outcome)
