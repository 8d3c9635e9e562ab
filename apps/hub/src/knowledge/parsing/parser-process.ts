/** The process of the parsers: one document, one outcome. */
import { Worker } from "node:worker_threads"
import { serveJobs } from "../processes/worker-jobs.ts"
import { parseAndCut } from "./parse.ts"

// The limit of the heap does not include buffers, and a parser may block this thread.
new Worker(new URL("./memory-watch.ts", import.meta.url)).unref()

// A promise that the PDF library forgot. The document itself fails, or is parsed without the damaged part.
process.on("unhandledRejection", () => {})

serveJobs(parseAndCut)
