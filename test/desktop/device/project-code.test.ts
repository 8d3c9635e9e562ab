/** Code that runs without consent: an allow rule, and a file of the root that an agent may write. D7, D9, D15. */
import { executedByGit } from "@countersign/desktop/device/files/git-places"
import { makePlaces } from "@countersign/desktop/device/files/places"
import { Refusal } from "@countersign/desktop/device/results/refusal"
import { toolOf } from "@countersign/desktop/device/tools/registry"
import { judge, parseRules } from "@countersign/domain/device-rules"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { atWork, missingSandbox, paired, program, temporary } from "../../support/device-agent.ts"
import { expectStatus, HubTest, TestHub } from "../../support/hub.ts"
import { requireFor } from "../../support/required.ts"
import { missingProgram } from "../../support/requirements.mjs"
import { sandboxPlace, users } from "../../support/sandbox.ts"
import { allow, operatorOf } from "./world.ts"

const git = (directory: string, ...args: ReadonlyArray<string>): string =>
  execFileSync("git", [
    "-c",
    "user.name=Test",
    "-c",
    "user.email=test@example.com",
    "-c",
    "protocol.file.allow=always",
    "-c",
    "safe.directory=*",
    ...args
  ], {
    cwd: directory,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], HOME: directory, GIT_CONFIG_NOSYSTEM: "1" },
    stdio: ["ignore", "pipe", "pipe"]
  })

/** A repository with a submodule, a worktree, and a hooks path; one with its Git directory elsewhere; a bare one. */
const repositories = (root: string): void => {
  const [module, main] = [join(root, "module"), join(root, "main")]
  for (const folder of [module, main, join(root, "parts")]) mkdirSync(folder)
  git(module, "init", "-q")
  git(module, "commit", "-q", "--allow-empty", "-m", "first")
  git(main, "init", "-q")
  git(main, "commit", "-q", "--allow-empty", "-m", "first")
  git(main, "submodule", "add", "-q", module, "sub")
  git(main, "worktree", "add", "-q", join(root, "tree"))
  mkdirSync(join(main, ".husky"))
  writeFileSync(join(main, ".husky", "pre-commit"), "#!/bin/sh\n")
  writeFileSync(join(main, "shared.config"), "")
  git(main, "config", "core.hooksPath", ".husky")
  git(main, "config", "include.path", "../shared.config")
  git(root, "init", "-q", "--separate-git-dir", join(root, "elsewhere"), join(root, "apart"))
  git(root, "init", "-q", "--bare", join(root, "bare"))
}

/** Below the root; Git reads or runs each. */
const closedToWriting = [
  "main/.git/config",
  "main/.git/hooks/post-checkout",
  "main/.git/info/attributes",
  "main/.git/commondir",
  "main/.git",
  "main/sub/.git",
  "main/.git/modules/sub/config",
  "tree/.git",
  "main/.git/worktrees/tree/commondir",
  "apart/.git",
  "elsewhere/config",
  "elsewhere/hooks/pre-commit",
  "bare/config",
  "bare/hooks/update",
  "main/.husky/pre-commit",
  "main/.husky/post-merge",
  "main/shared.config",
  "made/.git/config",
  "main/.hg/hgrc"
]

describe("the file tools", () => {
  const world = Effect.gen(function*() {
    const root = join(realpathSync(yield* temporary), "root")
    mkdirSync(root)
    const places = makePlaces([root], [])
    const write = (path: string, content = "x"): Effect.Effect<string> =>
      Effect.promise(async () => {
        const directory = places.directory(root)
        try {
          const prepared = toolOf("fs.write")({
            command: "cmd_test",
            input: { path, content, create_parents: true },
            isAgent: true,
            directory,
            places,
            rules: { version: 1, rules: [] },
            copies: root
          })
          const { outcome } = await prepared.run({
            print: () => {},
            stop: new AbortController().signal,
            kill: new AbortController().signal,
            consented: false
          })
          prepared.close?.()
          return outcome
        } catch (error) {
          if (!(error instanceof Refusal)) throw error
          return error.code
        } finally {
          directory.close()
        }
      })
    return { root, write }
  })

  it.live("D15: write nothing that Git runs or reads as its configuration", (context) =>
    Effect.gen(function*() {
      requireFor(context, missingProgram("git", "git"))
      const { root, write } = yield* world
      repositories(root)
      for (const path of closedToWriting) assert.strictEqual(yield* write(path), "closed_path", path)
      for (
        const path of [
          "main/source.ts",
          "tree/source.ts",
          "main/sub/source.ts",
          "main/.gitignore",
          "main/.github/workflow.yml"
        ]
      ) {
        assert.strictEqual(yield* write(path), "succeeded", path)
      }
    }))

  it.live("D15: do not write scripts that a filter, a driver, or another setting of Git runs", (context) =>
    Effect.gen(function*() {
      requireFor(context, missingProgram("git", "git"))
      const { root, write } = yield* world
      git(root, "init", "-q")
      const settings = {
        "diff.a.textconv": "./textconv.sh",
        "filter.b.clean": "./clean.sh %f",
        "filter.b.smudge": "sh smudge.sh",
        "filter.c.process": "'./process one.sh'",
        "merge.d.driver": "./driver.sh %O %A %B",
        "diff.e.external": `${root}/external.sh`,
        "core.editor": "./editor.sh",
        "core.pager": "LESS=x ./pager.sh",
        "gpg.program": "./program.sh",
        "credential.helper": "!./helper.sh",
        "alias.x": "!f() { ./alias.sh; }; f",
        "mergetool.f.cmd": "./tool.sh \"$BASE\""
      }
      const scripts = [
        "textconv.sh",
        "clean.sh",
        "smudge.sh",
        "process one.sh",
        "driver.sh",
        "external.sh",
        "editor.sh",
        "pager.sh",
        "program.sh",
        "helper.sh",
        "alias.sh",
        "tool.sh",
        "included.sh",
        "inline.sh"
      ]
      for (const [name, value] of Object.entries(settings)) git(root, "config", name, value)
      for (const name of [...scripts, "source.ts"]) writeFileSync(join(root, name), "")
      writeFileSync(join(root, "shared.config"), "[diff \"g\"] textconv = ./included.sh\n")
      git(root, "config", "include.path", "../shared.config")
      writeFileSync(
        join(root, ".git", "config"),
        `${readFileSync(join(root, ".git", "config"), "utf8")}[core] fsmonitor = ./inline.sh\n`
      )
      for (const name of scripts) assert.strictEqual(yield* write(name), "closed_path", name)
      assert.strictEqual(yield* write("source.ts"), "succeeded")
      assert.includeMembers([...executedByGit(join(root, ".git"), root)], scripts.map((name) => join(root, name)))
      git(root, "config", "filter.h.clean", "~/of-home.sh")
      writeFileSync(join(root, "of-home.sh"), "")
      assert.include(executedByGit(join(root, ".git"), root), join(root, "of-home.sh"))
    }))

  it.live("D15: do not make a repository out of single files", () =>
    Effect.gen(function*() {
      const { root, write } = yield* world
      for (
        const order of [["HEAD", "objects/a", "refs/a"], ["refs/a", "objects/a", "HEAD"], [
          "objects/a",
          "HEAD",
          "refs/a"
        ]]
      ) {
        const folder = order.join("-").replaceAll("/", "")
        const [first, second, last] = order
        assert.strictEqual(yield* write(`${folder}/config`, "[core]\nfsmonitor = touch made\n"), "succeeded")
        assert.strictEqual(yield* write(`${folder}/${first}`), "succeeded")
        assert.strictEqual(yield* write(`${folder}/${second}`), "succeeded")
        assert.strictEqual(yield* write(`${folder}/${last}`), "closed_path")
        assert.isFalse(existsSync(join(root, folder, last!)))
      }
      // A repository whose parts are in two directories.
      for (const path of ["common/objects/a", "common/refs/a", "common/config", "apart/HEAD"]) {
        assert.strictEqual(yield* write(path), "succeeded", path)
      }
      assert.strictEqual(yield* write("apart/commondir", "../common"), "closed_path")
    }))
})

for (const user of users) {
  describe(`a command of ${user} in a repository`, () => {
    const world = Effect.fnUntraced(function*(context: Parameters<typeof requireFor>[0]) {
      requireFor(context, missingSandbox() ?? missingProgram("git", "git") ?? missingProgram("setpriv", "util-linux"))
      return yield* sandboxPlace(user)
    })
    const identity =
      "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b; git config --global safe.directory '*';"

    it.live("changes nothing that Git runs, unless it is Git", (context) =>
      Effect.gen(function*() {
        const { root, sh } = yield* world(context)
        const made = yield* sh(
          `${identity} git init -q . && git commit -q --allow-empty -m first && mkdir -p .husky tools/hooks && git config core.hooksPath .husky && git config --add core.hooksPath tools/hooks && git init -q --bare bare`,
          { writesGit: true }
        )
        assert.strictEqual(made.code, 0, made.err)
        const attempts = [
          "git config core.fsmonitor 'touch made'",
          "echo '[core]' >> .git/config",
          "echo x > .git/hooks/post-checkout",
          "echo evil > .git/commondir",
          "mv .git moved",
          "rm -rf .git",
          "echo x > .husky/pre-commit",
          "mv tools moved",
          "echo x >> bare/config",
          "mv bare moved"
        ]
        for (const attempt of attempts) assert.notStrictEqual((yield* sh(`${identity} ${attempt}`)).code, 0, attempt)
        assert.notInclude(readFileSync(join(root, ".git", "config"), "utf8"), "fsmonitor")
        assert.isTrue(existsSync(join(root, "bare", "config")))
        // Reading is allowed.
        assert.strictEqual((yield* sh(`${identity} git log --format=%s`)).out, "first\n")
      }))

    it.live("lets Git write only to the repository of its working directory", (context) =>
      Effect.gen(function*() {
        const { root, sh } = yield* world(context)
        const made = yield* sh(`${identity} git init -q . && mkdir inner && git init -q inner`, { writesGit: true })
        assert.strictEqual(made.code, 0, made.err)
        const committed = yield* sh(
          `${identity} echo text > file && git add file && git commit -qm second && git log --format=%s`,
          { writesGit: true }
        )
        assert.strictEqual(committed.out, "second\n", committed.err)
        assert.notStrictEqual(
          (yield* sh(`${identity} git -C inner config core.fsmonitor x`, { writesGit: true })).code,
          0
        )
        assert.notInclude(readFileSync(join(root, "inner", ".git", "config"), "utf8"), "fsmonitor")
      }))
  })
}

layer(HubTest(), { excludeTestServices: true })("an agent with write access to a root", (it) => {
  const world = Effect.gen(function*() {
    const hub = yield* TestHub
    const place = yield* paired(hub, hub.owner)
    const { end, queue } = operatorOf(hub, hub.owner)
    const write = { effect: "allow", tool: "fs.write", root: place.root }
    const work = Effect.map(atWork(hub, hub.owner, place), ({ session }) => ({
      run: (...argv: ReadonlyArray<string>) =>
        Effect.map(
          Effect.flatMap(queue(session, argv), end),
          ({ error, outcome }) => `${outcome} ${error?.code ?? ""}`.trim()
        ),
      put: (path: string, content: string) =>
        Effect.map(
          Effect.flatMap(
            hub.api("POST", `/devices/sessions/${session}/commands`, {
              cookie: hub.owner.cookie,
              body: { tool: "fs.write", input: { path, content } }
            }),
            (answer) => end(expectStatus(answer, 201).body.id)
          ),
          ({ error, outcome }) => `${outcome} ${error?.code ?? ""}`.trim()
        )
    }))
    return { place, write, work }
  })

  it.effect("D9: an allowed script requires approval again after a change, and runs in its pinned version", () =>
    Effect.gen(function*() {
      const { place, work, write } = yield* world
      const made = join(place.root, "made")
      const script = place.script("deploy", "echo deployed > result")
      place.rules([allow(script), write])
      const { put, run } = yield* work
      assert.strictEqual(yield* run(script), "succeeded")
      assert.strictEqual(yield* put("deploy", `#!/bin/sh\ntouch ${made}\n`), "succeeded")
      assert.strictEqual(yield* run(script), "denied no_one_to_ask")
      assert.isFalse(existsSync(made))
      // The owner reviews the script and pins its present version.
      const pin = yield* program(["pin", "--data-dir", place.folder.path])
      assert.strictEqual((yield* pin.ended).code, 0, pin.printed())
      assert.match(pin.printed(), new RegExp(`^changed   [0-9a-f]{64} ${script}$`, "m"))
      assert.strictEqual(yield* run(script), "succeeded")
      assert.isTrue(existsSync(made))
    }))

  it.effect("D9: a program in a root without a pin requires approval each time, script or not", () =>
    Effect.gen(function*() {
      const { place, work } = yield* world
      const binary = join(place.root, "binary")
      copyFileSync("/bin/true", binary)
      chmodSync(binary, 0o755)
      const script = place.script("build", "true")
      const rules = { version: 1, ask_via: "none", rules: [allow(binary), allow(script), allow("true")] }
      place.rules(rules.rules)
      const { run } = yield* work
      assert.strictEqual(yield* run(binary), "succeeded")
      const sandbox = missingSandbox() === undefined ? {} : { sandbox: "off" }
      writeFileSync(place.folder.file("device.rules.json"), JSON.stringify({ ...rules, ...sandbox }), { mode: 0o600 })
      assert.deepStrictEqual([yield* run(binary), yield* run(script), yield* run("true")], [
        "denied no_one_to_ask",
        "denied no_one_to_ask",
        "succeeded"
      ])
    }))

  it.effect("D7: a program that runs the project's own code requires approval, unless the rule has project_code", (context) =>
    Effect.gen(function*() {
      requireFor(context, missingProgram("make", "make"))
      const { place, work, write } = yield* world
      const made = join(place.root, "made")
      place.rules([allow("make", "all"), write])
      const { put, run } = yield* work
      assert.strictEqual(yield* put("Makefile", `all:\n\ttouch ${made}\n`), "succeeded")
      assert.strictEqual(yield* run("make", "all"), "denied no_one_to_ask")
      assert.isFalse(existsSync(made))
      place.rules([{ ...allow("make", "all"), project_code: true }, write])
      assert.strictEqual(yield* run("make", "all"), "succeeded")
    }))

  it.effect("D15: git status runs no monitor that an agent named in .git/config", (context) =>
    Effect.gen(function*() {
      requireFor(context, missingProgram("git", "git"))
      const { place, work, write } = yield* world
      const made = join(place.root, "made")
      git(place.root, "init", "-q")
      place.rules([allow("git", "status"), write])
      const { put, run } = yield* work
      const config = readFileSync(join(place.root, ".git", "config"), "utf8")
      assert.strictEqual(yield* put(".git/config", `${config}\tfsmonitor = touch ${made}\n`), "denied closed_path")
      assert.strictEqual(yield* run("git", "status"), "succeeded")
      assert.isFalse(existsSync(made))
    }))
})

describe("the rules file", () => {
  it("D7: recognizes every version of programs that run project code", () => {
    const verdictOf = (name: string) => {
      const rules = parseRules(JSON.stringify({ version: 1, rules: [allow(name)] }))
      if ("problem" in rules) throw new Error(rules.problem)
      return judge(rules.rules, {
        tool: "shell.run",
        place: "/srv",
        program: { argv: [name], path: `/usr/bin/${name}`, realPath: `/usr/bin/${name}`, bare: true, env: [] }
      }).effect
    }
    for (
      const name of [
        "make",
        "pip3.11",
        "pytest-3",
        "go1.22",
        "prettier",
        "mocha",
        "rollup",
        "rubocop",
        "flake8",
        "scons",
        "swift",
        "dotnet",
        "cabal",
        "prove",
        "phpunit",
        "vagrant",
        "sphinx-build",
        "direnv",
        "nix",
        "nix-shell",
        "npm"
      ]
    ) assert.strictEqual(verdictOf(name), "ask", name)
    for (const name of ["uname", "git", "ls", "tar"]) assert.strictEqual(verdictOf(name), "allow", name)
  })

  it("accepts pins and project_code only with an allow rule of shell.run", () => {
    const problem = (rule: object) => "problem" in parseRules(JSON.stringify({ version: 1, rules: [rule] }))
    const pins = [{ path: "/srv/app/deploy", sha256: "0".repeat(64) }]
    assert.isFalse(problem({ effect: "allow", tool: "shell.run", argv: ["/srv/app/deploy"], pins, project_code: true }))
    for (
      const rule of [
        { effect: "ask", tool: "shell.run", pins },
        { effect: "deny", tool: "shell.run", project_code: true },
        { effect: "allow", tool: "fs.read", pins },
        { effect: "allow", tool: "shell.run", argv: ["make"], pins: [{ path: "relative", sha256: "0".repeat(64) }] },
        { effect: "allow", tool: "shell.run", argv: ["make"], pins: [{ path: "/x", sha256: "short" }] }
      ]
    ) assert.isTrue(problem(rule), JSON.stringify(rule))
  })
})
