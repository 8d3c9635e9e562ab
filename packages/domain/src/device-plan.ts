/**
 * What a device is about to do, in full and with every link resolved: what a person says yes to, and what then runs. Its digest binds the
 * two. Spec: contract 8a "Consent", D9.
 */
import { Schema } from "effect"
import { Tool } from "./device-tools.ts"
import { canonicalize } from "./json.ts"
import { matching } from "./pattern.ts"

/** Of its canonical JSON, in characters. */
export const planLengthMax = 256 * 1024
/** Of one command. */
export const filesMax = 32

const Path = Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(4_096))
const natural = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))

export const DevicePlan = Schema.Struct({
  version: Schema.Literal(1),
  tool: Tool,
  input: Schema.Record(Schema.String, Schema.Json),
  /** The real working directory. */
  directory: Schema.optionalKey(Path),
  /** Of `shell.run`. */
  program: Schema.optionalKey(Schema.Struct({
    /** Where the program was found, and what stands there. */
    path: Path,
    real_path: Path
  })),
  /** The real path that a file tool is at. */
  target: Schema.optionalKey(Path),
  /** Files that the program, its interpreters, and the arguments name: the command runs with copies of these very bytes. */
  files: Schema.optionalKey(
    Schema.Array(Schema.Struct({
      path: Path,
      sha256: Schema.String.check(matching(/^[0-9a-f]{64}$/u, "64 lower-case hexadecimal digits")),
      bytes: natural
    })).check(Schema.isMinLength(1), Schema.isMaxLength(filesMax))
  ),
  /** How many files are named besides, and not bound: they are too many, too large, or closed to commands. */
  files_omitted: Schema.optionalKey(natural),
  /** `none`: with all that the device's user may do. */
  sandbox: Schema.optionalKey(Schema.Literals(["bubblewrap", "none"])),
  /** Of `shell.run`. Without a sandbox it is always `on`. */
  network: Schema.optionalKey(Schema.Literals(["on", "off"])),
  timeout_seconds: natural
}).check(
  Schema.makeFilter((plan) =>
    canonicalize(plan).length <= planLengthMax ? undefined : `a plan has at most ${planLengthMax} characters`
  )
).annotate({ identifier: "DevicePlan" })
export type DevicePlan = typeof DevicePlan.Type
