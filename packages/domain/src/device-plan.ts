/**
 * The plan of a command: its full action with every link resolved. A person approves the plan, and the device runs the
 * same plan; its digest binds the two. Spec: reference/devices.md "Consent", "D9: plan binding".
 */
import { Schema } from "effect"
import { Tool } from "./device-tools.ts"
import { canonicalize } from "./json.ts"
import { matching } from "./pattern.ts"

/** Length of its canonical JSON, in characters. */
export const planLengthMax = 256 * 1024
/** The most files of one command. */
export const filesMax = 32

const Path = Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(4_096))
const natural = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))

export const DevicePlan = Schema.Struct({
  version: Schema.Literal(1),
  tool: Tool,
  input: Schema.Record(Schema.String, Schema.Json),
  /** The real working directory. */
  directory: Schema.optionalKey(Path),
  /** For `shell.run`. */
  program: Schema.optionalKey(Schema.Struct({
    /** The path at which the program was found, and the file there. */
    path: Path,
    real_path: Path
  })),
  /** The real path of a file tool's target. */
  target: Schema.optionalKey(Path),
  /**
   * Files that the program, its interpreters, and the arguments name: the command runs with copies of exactly these
   * bytes.
   */
  files: Schema.optionalKey(
    Schema.Array(Schema.Struct({
      path: Path,
      sha256: Schema.String.check(matching(/^[0-9a-f]{64}$/u, "64 lower-case hexadecimal digits")),
      bytes: natural
    })).check(Schema.isMinLength(1), Schema.isMaxLength(filesMax))
  ),
  /** The number of other named files, which are not bound: they are too many, too large, or closed to commands. */
  files_omitted: Schema.optionalKey(natural),
  /** `none`: with all rights of the device's user. */
  sandbox: Schema.optionalKey(Schema.Literals(["bubblewrap", "none"])),
  /** For `shell.run`. Without a sandbox it is always `on`. */
  network: Schema.optionalKey(Schema.Literals(["on", "off"])),
  timeout_seconds: natural
}).check(
  Schema.makeFilter((plan) =>
    canonicalize(plan).length <= planLengthMax ? undefined : `a plan has at most ${planLengthMax} characters`
  )
).annotate({ identifier: "DevicePlan" })
export type DevicePlan = typeof DevicePlan.Type
