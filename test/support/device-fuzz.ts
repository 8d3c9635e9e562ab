/** Mutations of frames from a hub to a device, and of the commands in them. */
import { newId } from "@countersign/domain/ids"
import { commandOf, leaseOf, welcomeOf } from "./hostile-hub.ts"
import type { Chance } from "./random.ts"

type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [name: string]: Json }

const odd: ReadonlyArray<Json> = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e15,
  2 ** 53,
  -(2 ** 31),
  "",
  "\0",
  "../../x",
  "/etc/passwd",
  "cmd_",
  "\ud83d",
  "a".repeat(5_000),
  [],
  {},
  [[]],
  { type: "cancel" },
  "__proto__",
  "constructor",
  "2026-02-30T25:00:00Z",
  ["a", null],
  { length: 1e9 }
]

const isObject = (value: Json): value is { readonly [name: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A copy of the value with one random change at any depth. */
export const mutated = (value: Json, chance: Chance): Json => {
  if (Array.isArray(value) && value.length > 0 && chance.next() < 0.8) {
    const at = chance.int(value.length)
    return chance.next() < 0.2
      ? [...value, ...value]
      : value.map((each: Json, index) => index === at ? mutated(each, chance) : each)
  }
  if (isObject(value) && Object.keys(value).length > 0 && chance.next() < 0.9) {
    const name = chance.one(Object.keys(value))
    const { [name]: inner = null, ...rest } = value
    const what = chance.next()
    if (what < 0.15) return rest
    if (what < 0.25) return { ...rest, [chance.one(["type", "lost", "to", "extra", "command_id"])]: inner }
    return { ...rest, [name]: mutated(inner, chance) }
  }
  return chance.one(odd)
}

/** One valid frame of each type about this command, and other frames of a hub. */
const framesAbout = (id: string): ReadonlyArray<Json> => [
  { type: "command", command: commandOf({ id }) as never, lease: leaseOf(1) },
  { type: "acked", command_id: id, status: "leased", lease: leaseOf(1) },
  { type: "output_ack", command_id: id, next_seq: 1 },
  { type: "done", command_id: id, status: "done", outcome: "succeeded" },
  { type: "cancel", command_id: id, lost: true },
  { type: "control", control: { type: "consent", command_id: id, decision: "approved", plan_digest: "0".repeat(64) } },
  {
    type: "error",
    to: "output",
    command_id: id,
    seq: 0,
    error: { code: "seq_gap", message: "", data: { next_seq: 3 } }
  },
  { type: "error", to: "done", command_id: id, error: { code: "invalid_request", message: "" } },
  welcomeOf() as never
]

/**
 * A frame as text: mutated as a value at least once, sometimes as text as well. `id` is a command that the device may
 * have.
 */
export const mutatedFrame = (chance: Chance, id: string): string => {
  let frame = chance.one(framesAbout(chance.next() < 0.7 ? id : newId("cmd")))
  for (let times = 1 + chance.int(3); times > 0; times--) frame = mutated(frame, chance)
  const text = JSON.stringify(frame)
  if (chance.next() < 0.8 || text.length === 0) return text
  const at = chance.int(text.length)
  return chance.next() < 0.5
    ? text.slice(0, at)
    : `${text.slice(0, at)}${chance.one(["\0", "}", "\"", ",", "{", "1e999", "\\u0000"])}${text.slice(at + 1)}`
}

/** A mutated command for a device whose rules allow only `allowed`, in `directory`. */
export const mutatedCommand = (chance: Chance, { allowed, directory, mark }: {
  readonly allowed: ReadonlyArray<string>
  readonly directory: string
  /** A file that no command may create. */
  readonly mark: string
}): ReturnType<typeof commandOf> => {
  const shells: ReadonlyArray<ReadonlyArray<string>> = [
    ["/bin/sh", "-c", `touch ${mark}`],
    ["touch", mark],
    ["/usr/bin/touch", mark],
    ["env", "touch", mark],
    ["sh", "-c", `touch ${mark}`, ...allowed],
    [...allowed, ";", "touch", mark],
    [...allowed, "--", mark],
    [`${allowed[0]} ${mark}`],
    ["./touch", mark],
    ["cp", "/etc/hostname", mark]
  ]
  const inputs: ReadonlyArray<readonly [string, Json]> = [
    ["shell.run", { argv: chance.one(shells) }],
    ["shell.run", { argv: chance.one(shells), env: { PATH: directory, LD_PRELOAD: mark } }],
    ["shell.run", { argv: allowed, stdin: "x" }],
    ["fs.write", { path: mark, content: "x", create_parents: true }],
    ["fs.write", { path: "../../mark", content: "eA==", encoding: "base64" }],
    ["fs.read", { path: "/etc/passwd" }],
    ["fs.search", { path: "..", pattern: "key" }],
    ["http.get", { url: "http://127.0.0.1:1/" }]
  ]
  const [tool, input] = chance.one(inputs)
  const changed = chance.next() < 0.5 ? input : mutated(input, chance)
  return commandOf({
    tool,
    input: changed,
    timeout_seconds: 5,
    ...chance.next() < 0.7 ? { working_directory: chance.one([directory, `${directory}/..`, "/", "", "/nowhere"]) } : {}
  })
}
