/** Files that a command line executes or reads: bound by digest, and run in the bound version. D7, D9. */
import { makePlaces } from "@countersign/desktop/device/files/places"
import { planOf } from "@countersign/desktop/device/plan"
import { pinRules } from "@countersign/desktop/device/programs/pin-rules"
import { findSandbox } from "@countersign/desktop/device/sandbox/sandbox"
import { toolOf } from "@countersign/desktop/device/tools/registry"
import { type DeviceRules, judge, parseRules } from "@countersign/domain/device-rules"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { createHash } from "node:crypto"
import { chmodSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { missingSandbox, temporary } from "../../support/device-agent.ts"
import { requireFor } from "../../support/required.ts"
import { missingProgram } from "../../support/requirements.mjs"
import { allow } from "./world.ts"

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex")

const rulesOf = (rules: ReadonlyArray<object>, more: object = {}): DeviceRules => {
  const sandbox = findSandbox() === undefined ? { sandbox: "off" } : {}
  const parsed = parseRules(JSON.stringify({ version: 1, ...sandbox, rules, ...more }))
  if ("problem" in parsed) throw new Error(parsed.problem)
  return parsed.rules
}

const world = Effect.map(temporary, (home) => {
  const root = join(realpathSync(home), "work")
  mkdirSync(root)
  const copies = join(home, "copies")
  const file = (name: string, text: string, mode = 0o644): string => {
    const path = join(root, name)
    writeFileSync(path, text)
    chmodSync(path, mode)
    return path
  }
  /** Evaluates a command: its plan, its verdict, and its result after an approval or an allow rule. */
  const look = (argv: ReadonlyArray<string>, rules = rulesOf([])) => {
    const places = makePlaces([root], [])
    const directory = places.directory(root)
    const input = { argv }
    const prepared = toolOf("shell.run")({
      command: "cmd_test",
      input,
      isAgent: true,
      directory,
      places,
      rules,
      copies
    })
    const { plan } = planOf({ tool: "shell.run", input, timeout_seconds: 30 } as never, prepared)
    const run = (consented = true) =>
      Effect.promise(async () => {
        let out = ""
        const print = (_stream: string, bytes: Uint8Array) => {
          out += Buffer.from(bytes).toString("utf8")
        }
        const { error, outcome } = await prepared.run({
          print,
          stop: new AbortController().signal,
          kill: new AbortController().signal,
          consented
        })
        return { out, outcome, code: error?.code }
      })
    return {
      plan,
      run,
      verdict: judge(rules, { tool: "shell.run", ...prepared.deed }).effect,
      names: (plan.files ?? []).map(({ path }) => basename(path))
    }
  }
  /** Rules pinned to the present files. */
  const pinned = (rules: ReadonlyArray<object>): DeviceRules => pinRules(rulesOf(rules), [root])
  return { root, file, look, pinned }
})

const script = (text: string): string => `#!/bin/sh\n${text}\n`

describe("the plan of a command", () => {
  it.live("D9: binds every file in a root that a wrapper, shell, or interpreter names", () =>
    Effect.gen(function*() {
      const { file, look } = yield* world
      file("5", "a decoy")
      file("run", script("true"), 0o755)
      file("data.csv", "1,2")
      assert.deepStrictEqual(look(["timeout", "5", "./run", "data.csv"]).plan.files, [
        { path: file("5", "a decoy"), sha256: sha256("a decoy"), bytes: 7 },
        { path: file("run", script("true"), 0o755), sha256: sha256(script("true")), bytes: 15 },
        { path: file("data.csv", "1,2"), sha256: sha256("1,2"), bytes: 3 }
      ])
      for (
        const argv of [
          ["env", "X=1", "./run"],
          ["nice", "-n", "1", "./run"],
          ["xargs", "-a", "data.csv", "./run"],
          ["sh", "-c", "cd . && ./run now"],
          ["sh", "-c", "exec './run'"],
          ["find", ".", "-exec", "sh", "run", ";"],
          ["tar", "--to-command=./run", "-x"],
          ["tar", "--to-command", "sh run", "-x"],
          ["awk", "-f", "run"],
          ["sed", "-i", "1e ./run", "data.csv"]
        ]
      ) {
        assert.include(look(argv).names, "run", argv.join(" "))
      }
    }))

  it.live("binds no files of programs that only read or move them", () =>
    Effect.gen(function*() {
      const { file, look } = yield* world
      file("run", script("true"), 0o755)
      for (const argv of [["cat", "run"], ["rm", "run"], ["cp", "run", "sh"], ["chmod", "+x", "run"]]) {
        assert.isEmpty(look(argv).names, argv.join(" "))
      }
      file("notes", "text")
      assert.deepStrictEqual(look(["tar", "-c", "notes", "run"]).names, ["run"])
    }))

  it.live("D15: binds and shows no file that is closed to commands, and none outside of the roots", (context) =>
    Effect.gen(function*() {
      const { file, look, root } = yield* world
      file(".env", "echo secret")
      symlinkSync("/etc/passwd", join(root, "link"))
      for (const argv of [["sh", ".env"], ["sh", "link"], ["sh", "/etc/passwd"]]) {
        assert.isEmpty(look(argv).names, argv.join(" "))
      }
      assert.deepStrictEqual([look(["sh", ".env"]).plan.files_omitted, look(["sh", "link"]).plan.files_omitted], [1, 1])
      requireFor(context, missingSandbox())
      assert.deepInclude(yield* look(["sh", ".env"]).run(), { outcome: "succeeded", out: "" })
    }))

  it.live("counts the files that are too many or too large to be bound, and then no rule allows the command", () =>
    Effect.gen(function*() {
      const { file, look, pinned, root } = yield* world
      const many = Array.from({ length: 40 }, (_, at) => basename(file(`tool-${at}`, script("true"), 0o755)))
      const { names, plan } = look(["sh", ...many])
      assert.deepStrictEqual([names.length, plan.files_omitted], [32, 8])
      const argv = ["tar", "-c", ...many]
      assert.strictEqual(look(argv, pinned([{ ...allow(...argv), root }])).verdict, "ask")
      const few = argv.slice(0, 12)
      assert.strictEqual(look(few, pinned([{ ...allow(...few), root }])).verdict, "allow")
    }))
})

describe("an allow rule", () => {
  it.live("D9: requires consent for a script with its interpreter in a root, at any depth of the chain", () =>
    Effect.gen(function*() {
      const { file, look, pinned, root } = yield* world
      mkdirSync(join(root, "venv"))
      symlinkSync("/bin/sh", join(root, "venv", "python"))
      const interpreter = file("interpreter", script("true"), 0o755)
      file("lib.awk", "1")
      const lines = [
        interpreter,
        `${root}/venv/python`,
        "./interpreter",
        `/usr/bin/env -S ${interpreter} -u`,
        `/usr/bin/env PYTHONPATH=${root}/lib sh`,
        `/usr/bin/perl -I${root}`,
        "/usr/bin/awk -f lib.awk"
      ]
      for (const line of lines) {
        const deploy = file("deploy", `#!${line}\ntrue\n`, 0o755)
        assert.strictEqual(look([deploy], pinned([allow(deploy)])).verdict, "ask", line)
      }
      const inner = file("inner", `#!${interpreter}\n`, 0o755)
      assert.includeMembers(look([inner]).names, ["inner", "interpreter"])
      for (const line of ["/bin/sh", "/bin/sh -eu", "/usr/bin/env sh", "/usr/bin/env -S sh -u"]) {
        const deploy = file("deploy", `#!${line}\ntrue\n`, 0o755)
        assert.strictEqual(look([deploy], pinned([allow(deploy)])).verdict, "allow", line)
      }
    }))

  it.live("D9: runs a program of a root that an argument names only in its pinned version", () =>
    Effect.gen(function*() {
      const { file, look, pinned, root } = yield* world
      file("clean", script("echo clean"), 0o755)
      const argv = ["find", root, "-maxdepth", "0", "-exec", "./clean", ";"]
      assert.strictEqual(look(argv, rulesOf([allow(...argv)])).verdict, "ask")
      const rules = pinned([{ ...allow(...argv), root }])
      assert.strictEqual(look(argv, rules).verdict, "allow")
      assert.deepInclude(yield* look(argv, rules).run(false), { outcome: "succeeded", out: "clean\n" })
      file("clean", script("echo changed"), 0o755)
      assert.strictEqual(look(argv, rules).verdict, "ask")
      // The owner allows the project's code in any version.
      assert.strictEqual(look(argv, rulesOf([{ ...allow(...argv), project_code: true }])).verdict, "allow")
    }))

  it.live("D9: applies to a link in a root only as long as it leads to the pinned target", () =>
    Effect.gen(function*() {
      const { look, pinned, root } = yield* world
      const link = join(root, "tool")
      symlinkSync("/bin/true", link)
      assert.strictEqual(look([link], rulesOf([allow(link)])).verdict, "ask")
      assert.strictEqual(look([link], pinned([allow(link)])).verdict, "allow")
    }))
})

describe("an approved command", () => {
  for (const sandbox of ["off", "available"] as const) {
    it.live(`D9: runs a script behind a wrapper in the version that was shown, with the sandbox ${sandbox}`, (context) =>
      Effect.gen(function*() {
        requireFor(context, sandbox === "available" ? missingSandbox() : undefined)
        const { file, look } = yield* world
        file("5", "")
        const path = file("run", script("echo shown"), 0o755)
        const { run } = look(["timeout", "5", "./run"], rulesOf([], { sandbox }))
        file("run", script("echo changed"), 0o755)
        assert.deepInclude(yield* run(), { outcome: "succeeded", out: "shown\n" })
        assert.strictEqual(readFileSync(path, "utf8"), script("echo changed"))
      }))
  }

  it.live("D9: runs the interpreter in a root in the version that was shown", (context) =>
    Effect.gen(function*() {
      requireFor(context, missingSandbox())
      const { file, look } = yield* world
      const interpreter = file("interpreter", script("echo shown"), 0o755)
      const deploy = file("deploy", `#!${interpreter}\n`, 0o755)
      const { run } = look([deploy])
      file("interpreter", script("echo changed"), 0o755)
      assert.strictEqual((yield* run()).out, "shown\n")
    }))

  it.live("without a sandbox fails when it writes to a file that was replaced by a copy, instead of losing the change", (context) =>
    Effect.gen(function*() {
      requireFor(context, missingProgram("perl", "perl"))
      const { file, look } = yield* world
      const path = file("notes", "one\n")
      const edit = (...argv: ReadonlyArray<string>) => look(argv, rulesOf([], { sandbox: "off" })).run()
      assert.deepInclude(yield* edit("perl", "-pi", "-e", "s/one/two/", "notes"), {
        outcome: "failed",
        code: "copy_changed"
      })
      assert.strictEqual(readFileSync(path, "utf8"), "one\n")
      assert.deepInclude(yield* edit("sed", "-i", "s/one/two/", "notes"), { outcome: "succeeded" })
      assert.strictEqual(readFileSync(path, "utf8"), "two\n")
    }))
})
