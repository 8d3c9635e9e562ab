/** Loaded by `--import`: shifts the process's wall clock by the number of milliseconds in the file `JUMPING_CLOCK`. */
import { readFileSync } from "node:fs"

const file = process.env["JUMPING_CLOCK"] ?? ""
const RealDate = Date

const off = (): number => {
  try {
    return Number(readFileSync(file, "utf8")) || 0
  } catch {
    return 0
  }
}

class JumpingDate extends RealDate {
  constructor(...given: ReadonlyArray<unknown>) {
    if (given.length === 0) super(JumpingDate.now())
    else super(...given as [number])
  }
  static override now(): number {
    return RealDate.now() + off()
  }
}

globalThis.Date = JumpingDate as DateConstructor
