/** The tools that a device may offer, with their inputs. Spec: reference/devices.md "Tools". */
import { Result, Schema } from "effect"
import type { Detail } from "./errors.ts"
import { matching } from "./pattern.ts"

export const tools = ["shell.run", "fs.read", "fs.write", "fs.list", "fs.search", "http.get", "system.info"] as const
export type Tool = typeof tools[number]
export const Tool = Schema.Literals(tools)

export const toolsMax = tools.length

/** Length of a path, an argument, or a pattern, in characters. */
const pathLengthMax = 4_096
const argumentLengthMax = 32_768
const argumentsMax = 512
const variablesMax = 128
/** A command, with its input, must fit into one frame. */
const contentLengthMax = 512 * 1024
export const readBytesMax = 1024 * 1024

const withoutNul = matching(/^[^\0]*$/u, "text without NUL")
const Path = Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(pathLengthMax), withoutNul)
const Argument = Schema.String.check(Schema.isMaxLength(argumentLengthMax), withoutNul)
const count = (maximum: number) => Schema.Int.check(Schema.isBetween({ minimum: 1, maximum }))

/** The input schema of each tool. */
export const toolInputs = {
  "shell.run": Schema.Struct({
    /** The program and its arguments, which no shell interprets. */
    argv: Schema.Array(Argument).check(Schema.isMinLength(1), Schema.isMaxLength(argumentsMax)),
    env: Schema.optionalKey(
      Schema.Record(
        Schema.String.check(
          matching(
            /^[A-Za-z_][A-Za-z0-9_]{0,127}$/u,
            "a variable name: letters, digits and _, not beginning with a digit"
          )
        ),
        Argument
      ).check(
        Schema.isMaxProperties(variablesMax)
      )
    ),
    stdin: Schema.optionalKey(Schema.String.check(Schema.isMaxLength(contentLengthMax)))
  }),
  "fs.read": Schema.Struct({
    path: Path,
    /** In bytes. */
    offset: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }))),
    limit: Schema.optionalKey(count(readBytesMax))
  }),
  "fs.write": Schema.Struct({
    path: Path,
    content: Schema.String.check(Schema.isMaxLength(contentLengthMax)),
    encoding: Schema.optionalKey(Schema.Literals(["utf8", "base64"])),
    create_parents: Schema.optionalKey(Schema.Boolean)
  }),
  "fs.list": Schema.Struct({ path: Path, depth: Schema.optionalKey(count(16)) }),
  "fs.search": Schema.Struct({
    path: Path,
    /** RE2 syntax. */
    pattern: Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(1_024)),
    glob: Schema.optionalKey(Schema.String.check(Schema.isNonEmpty(), Schema.isMaxLength(1_024))),
    max: Schema.optionalKey(count(10_000))
  }),
  "http.get": Schema.Struct({
    url: Schema.String.check(
      matching(/^https?:\/\/\S+$/u, "an address that begins with http:// or https://"),
      Schema.isMaxLength(8_192)
    ),
    headers: Schema.optionalKey(
      Schema.Record(Schema.String.check(Schema.isMaxLength(128)), Schema.String.check(Schema.isMaxLength(8_192))).check(
        Schema.isMaxProperties(64)
      )
    )
  }),
  "system.info": Schema.Struct({})
} as const

export type ToolInput<T extends Tool> = typeof toolInputs[T]["Type"]

const decoders = Object.fromEntries(
  tools.map((
    tool
  ) => [
    tool,
    Schema.decodeUnknownResult(toolInputs[tool] as Schema.Decoder<unknown>, {
      onExcessProperty: "error",
      errors: "all"
    })
  ])
) as Readonly<Record<Tool, (input: unknown) => Result.Result<unknown, Schema.SchemaError>>>

/** Problems of a tool's input; `path` begins with `input`. Empty for a valid one. */
export const inputProblems = (tool: Tool, input: unknown): ReadonlyArray<Detail> =>
  Result.match(decoders[tool](input), {
    onSuccess: () => [],
    onFailure: (
      error
    ) => [{ path: "input", message: `It does not fit ${tool}: ${error.message.split("\n", 1)[0] ?? ""}` }]
  })
