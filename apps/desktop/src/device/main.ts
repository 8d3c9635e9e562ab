/**
 * `npm run device -- <command>`: the device agent of a machine without a screen. Modules of a command are loaded when
 * it runs, from the compile cache.
 */
import { enableCompileCache } from "node:module"
import { resolve } from "node:path"
import { parseArgs } from "node:util"
import { setFlagsFromString } from "node:v8"
import { Exit, type ExitCode, exitCodes, misconfigured } from "./exits.ts"
import { files, openStateFolder } from "./state.ts"

enableCompileCache(resolve(import.meta.dirname, "../../../../node_modules/.cache/countersign"))
// Program output becomes garbage at once, and a nursery that does not grow collects it in place. Over 10 s at 100,000
// lines a second this saves 40 MB for a third more CPU time. Spec: reference/devices.md "D20: output floods".
setFlagsFromString("--semi-space-growth-factor=1")

const usage =
  `device pair --hub <address> [--name <name>] [--root <directory>]…   shows a code that an operator confirms
device run [--root <directory>]… [--once] [--take-over]             does what the hub sends and the rules allow
device status                                                       who this device is, and whether its agent runs
device doctor                                                       what would keep it from working
device pin                                                          allows programs in roots as they are now
device log [command]                                                what its commands printed: the list, or one, kept 7 days
device unpair                                                       deletes its key
Each takes --data-dir <folder>.`

const options = {
  hub: { type: "string" },
  name: { type: "string" },
  "data-dir": { type: "string" },
  root: { type: "string", multiple: true },
  once: { type: "boolean" },
  "take-over": { type: "boolean" },
  help: { type: "boolean" }
} as const

const printLine = (line: string): void => void process.stdout.write(`${line}\n`)

const parsed = () => {
  try {
    return parseArgs({ options, allowPositionals: true })
  } catch (error) {
    throw misconfigured(`${(error as Error).message}\n${usage}`)
  }
}

const stopping = () => {
  const drain = new AbortController()
  const kill = new AbortController()
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => drain.signal.aborted ? kill.abort() : drain.abort())
  }
  return { drain: drain.signal, kill: kill.signal }
}

/** Settles when the reader has taken all output or closed the pipe; `process.exit` cuts pending output. */
const written = (stream: NodeJS.WriteStream): Promise<void> => new Promise((done) => stream.write("", () => done()))

const perform = async (): Promise<ExitCode> => {
  const { positionals: [command, ...more], values } = parsed()
  const [id] = more
  if (values.help === true || command === undefined || more.length > (command === "log" ? 1 : 0)) {
    printLine(usage)
    return values.help === true ? exitCodes.done : exitCodes.configuration
  }
  const folder = () => openStateFolder(values["data-dir"])
  const roots = values.root ?? []
  switch (command) {
    case "pair": {
      const at = folder()
      const { device_id, name } = await (await import("./pairing.ts")).pair(at, {
        hub: values.hub,
        name: values.name,
        roots,
        askVia: "none",
        onPairing: ({ code, expires_at, fingerprint }) => {
          printLine(`Code: ${code}`)
          printLine(`Fingerprint: ${fingerprint}`)
          printLine(
            `An operator confirms it in the console under Devices, until ${expires_at}. Compare code and fingerprint before you say yes.`
          )
        }
      })
      printLine(`Paired as ${name} (${device_id}). Its rules: ${at.file(files.rules)}`)
      return exitCodes.done
    }
    case "run":
      return await (await import("./run.ts")).run(folder(), {
        roots,
        once: values.once === true,
        takeOver: values["take-over"] === true,
        print: printLine,
        ...stopping()
      })
    case "status": {
      const status = (await import("./status.ts")).statusOf(folder())
      printLine(JSON.stringify(status, null, 2))
      return status["paired"] === true ? exitCodes.done : exitCodes.configuration
    }
    case "doctor": {
      const findings = await (await import("./doctor.ts")).examine(folder())
      for (const { check, detail, ok } of findings) printLine(`${ok ? "ok  " : "FAIL"} ${check}: ${detail}`)
      return findings.every(({ ok }) => ok) ? exitCodes.done : exitCodes.configuration
    }
    case "pin":
      for (const line of (await import("./pin-file.ts")).pinFile(folder())) printLine(line)
      return exitCodes.done
    case "log": {
      const { out, err } = { out: process.stdout, err: process.stderr }
      await (await import("./transcript-reader.ts")).printTranscripts(folder().file(files.transcripts), id, {
        out: (text) => void out.write(text),
        err: (text) => void err.write(text),
        terminal: out.isTTY
      })
      await Promise.all([written(out), written(err)])
      return exitCodes.done
    }
    case "unpair":
      printLine((await import("./status.ts")).unpair(folder()))
      return exitCodes.done
    default:
      throw misconfigured(`There is no command ${command}.\n${usage}`)
  }
}

// Exit code 1 would make a supervisor stop restarting the agent.
process.on("uncaughtException", (error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.stack ?? error.message : String(error)}\n`)
  process.exit(exitCodes.retryable)
})

// Exits although open handles remain, such as the pipe of a surviving child process.
process.exit(
  await perform().catch((error: unknown) => {
    process.stderr.write(
      `${
        error instanceof Exit ? error.message : error instanceof Error ? error.stack ?? error.message : String(error)
      }\n`
    )
    return error instanceof Exit ? error.code : exitCodes.retryable
  })
)
