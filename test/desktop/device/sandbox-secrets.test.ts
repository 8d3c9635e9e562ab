/**
 * What a command in the sandbox can read and reach of its owner's: files with credentials, other homes, sockets, the
 * network. Spec: reference/devices.md "D13: environment", "D15: closed files".
 */
import { isSecretName } from "@countersign/desktop/device/files/secret-names"
import { environmentOf } from "@countersign/desktop/device/programs/environment"
import { Refusal } from "@countersign/desktop/device/results/refusal"
import { scan } from "@countersign/desktop/device/sandbox/scan"
import { hasNetwork, judge, parseRules } from "@countersign/domain/device-rules"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { join, resolve } from "node:path"
import { missingSandbox } from "../../support/device-agent.ts"
import { requireFor } from "../../support/required.ts"
import { missingProgram } from "../../support/requirements.mjs"
import { isRoot, nobody, sandboxPlace, users } from "../../support/sandbox.ts"

const secret = "correct-horse-battery"
const ofHome = [
  ".netrc",
  ".npmrc",
  ".git-credentials",
  ".ssh/id_ed25519",
  ".aws/credentials",
  ".docker/config.json",
  ".config/gh/hosts.yml",
  ".bash_history",
  ".config/google-chrome/Default/Login Data",
  ".mozilla/firefox/x.default/logins.json",
  ".local/share/keyrings/login.keyring"
]
const ofRoot = [
  ".env",
  ".env.production",
  ".envrc",
  ".npmrc",
  ".netrc",
  ".git-credentials",
  "deep/er/.env",
  "deep/.ssh/id_rsa",
  ".aws/credentials",
  ".env~",
  ".env-prod",
  "prod.env",
  "prod.env.bak",
  ".envrc.local",
  ".npmrc.bak",
  ".netrc.old",
  ".ssh.bak/id_rsa",
  "id_ed25519",
  "id_ed25519.bak",
  "id_rsa_work",
  ".docker/config.json",
  ".kube/config",
  ".pgpass",
  ".pgpass.20240101",
  ".ENV.gz",
  "tls/server.key",
  "tls/server.pem",
  "tls/client-cert-key.pem",
  "..env.swp"
]
/** Outside of every root and home directory, and visible in the sandbox; short, because socket paths are limited. */
const socketFolder = (): string => {
  const folder = mkdtempSync(
    join(isRoot ? "/srv" : resolve(import.meta.dirname, "../../../node_modules/.cache"), "socket-")
  )
  chmodSync(folder, 0o755)
  return folder
}
const openNames = [
  ".environment",
  "environment.ts",
  "id_ed25519.pub",
  "config.json",
  "docker/config.json",
  "cacert.pem",
  "fullchain.pem",
  "public_key.pem",
  ".azure-pipelines",
  "keys.ts"
]

for (const user of users) {
  describe(`the sandbox of ${user}`, () => {
    const world = Effect.fnUntraced(function*(context: Parameters<typeof requireFor>[0]) {
      requireFor(context, missingSandbox() ?? missingProgram("setpriv", "util-linux"))
      return yield* sandboxPlace(user)
    })

    it.live("hides the home directory except the roots", (context) =>
      Effect.gen(function*() {
        const { file, home, sh } = yield* world(context)
        const paths = [...ofHome, "notes.txt", "other/project/source.ts"].map((name) => file(join(home, name), secret))
        const { out } = yield* sh(
          `ls -A ${home}; cat ${paths.map((path) => `'${path}'`).join(" ")}; grep -rs ${secret} ${home}; echo end`
        )
        assert.strictEqual(out, "state\nwork\nend\n")
      }))

    it.live("hides the homes of other users, other disks, and scratch directories", (context) =>
      Effect.gen(function*() {
        const { sh } = yield* world(context)
        const { out } = yield* sh(
          "ls -A /root /home /mnt /media /run /tmp /var/tmp | grep -v : | grep -v '^$' | grep -v '^srv$'; cat ~root/.bashrc ~root/.profile; echo end"
        )
        assert.strictEqual(out, "end\n")
      }))

    it.live("masks files with secrets inside a root, and leaves them unchanged on disk", (context) =>
      Effect.gen(function*() {
        const { file, root, sh } = yield* world(context)
        const paths = ofRoot.map((name) => file(join(root, name), secret))
        symlinkSync(".env", join(root, "settings"))
        file(join(root, "config", "production"), secret)
        symlinkSync("../config/production", join(root, "deep", ".env"))
        const { out } = yield* sh(
          `grep -rsh ${secret} .; cat settings deep/.env config/production ${
            paths.join(" ")
          }; mv .env moved; ln .env linked; cat moved linked; echo end`
        )
        assert.strictEqual(out, "end\n")
        yield* sh(`${paths.map((path) => `echo changed > ${path}; rm -f ${path}`).join("; ")}`)
        for (const path of paths) assert.strictEqual(readFileSync(path, "utf8"), secret, path)
        // Files without secrets are readable and writable.
        assert.strictEqual((yield* sh("echo text > .environment && cat .environment")).out, "text\n")
      }))

    for (
      const [what, move, read] of [
        [
          "makes its directory look like a repository",
          "touch config/HEAD; mkdir config/objects config/refs",
          "cat config/.env"
        ],
        ["makes the root look like a repository", "touch HEAD; mkdir objects refs", "cat config/.env"],
        ["moves it into a new Git directory", "mkdir -p x/.git && mv config x/.git/", "cat x/.git/config/.env"],
        [
          "moves it to a path that is too long",
          "python3 -c 'import os; top = os.open(\".\", 0); [(os.mkdir(\"d\" * 250), os.chdir(\"d\" * 250)) for _ in range(18)]; os.rename(\"config\", \"config\", src_dir_fd=top)'",
          "python3 -c 'import os; [os.chdir(\"d\" * 250) for _ in range(18)]; print(open(\"config/.env\").read())'"
        ]
      ] as const
    ) {
      it.live(`masks a file with secrets even when an earlier command ${what}`, (context) =>
        Effect.gen(function*() {
          requireFor(context, missingProgram("python3", "python3"))
          const { file, root, sh } = yield* world(context)
          const path = file(join(root, "config", ".env"), secret)
          yield* sh(move)
          const { out } = yield* sh(`${read}; echo end`)
          assert.strictEqual(out, "end\n")
          // The earlier command succeeded, so the mask is what protects the file.
          assert.isFalse(
            existsSync(path) && !existsSync(join(root, "config", "HEAD")) && !existsSync(join(root, "HEAD"))
          )
        }))
    }

    it.live("shows no hidden directory through a link that a command names .git", (context) =>
      Effect.gen(function*() {
        const { file, home, root, sh } = yield* world(context)
        file(join(home, "notes.txt"), secret)
        const up = "../".repeat(root.split("/").length - 1)
        for (const target of [`${up}run`, `${up}home`, `${up}tmp`, "..", "/etc", "nothing"]) {
          assert.strictEqual((yield* sh(`rm -f .git; ln -s ${target} .git`)).code, 0, target)
          const { out } = yield* sh(
            `ls -A /run /home /tmp | grep -v : | grep -v '^$'; cat ${join(home, "notes.txt")} .git/notes.txt; echo end`
          )
          assert.strictEqual(out, "end\n", target)
        }
      }))

    it.live("masks credentials, profiles, and keyrings where a root is the home directory", (context) =>
      Effect.gen(function*() {
        const { file, home, sh } = yield* world(context)
        for (const name of ofHome) file(join(home, name), secret)
        file(join(home, "notes.txt"), "text")
        const { out } = yield* sh(`grep -rsh ${secret} .; cat notes.txt`, { roots: [home] })
        assert.strictEqual(out, "text")
      }))

    it.live("protects start files from changes where a root is the home directory", (context) =>
      Effect.gen(function*() {
        const { file, home, sh } = yield* world(context)
        const names = [
          ".gitconfig",
          ".config/git/config",
          ".config/git/attributes",
          ".hgrc",
          ".bashrc",
          ".profile",
          ".zshrc",
          ".config/fish/config.fish",
          ".config/autostart/x.desktop",
          ".config/systemd/user/x.service",
          ".local/bin/tool",
          "tools/monitor"
        ]
        for (const name of names) file(join(home, name), "text")
        file(join(home, ".gitconfig"), "[core] fsmonitor = ~/tools/monitor --quick\n")
        const before = new Map(names.map((name) => [name, readFileSync(join(home, name), "utf8")]))
        yield* sh(
          `${
            names.map((name) => `echo evil >> ${name}; rm -f ${name}`).join("; ")
          }; mv .config moved; mv tools moved; touch .config/systemd/user/y .local/bin/git`,
          { roots: [home] }
        )
        for (const [name, text] of before) assert.strictEqual(readFileSync(join(home, name), "utf8"), text, name)
        assert.isFalse(existsSync(join(home, ".config/systemd/user/y")) || existsSync(join(home, ".local/bin/git")))
        // The rest of the home directory is writable.
        assert.strictEqual(
          (yield* sh("echo text > .config/other && echo more > tools/other && cat .config/other tools/other", {
            roots: [home]
          })).out,
          "text\nmore\n"
        )
      }))

    it.live("hides sockets of the machine anywhere, and those of a root without a network", (context) =>
      Effect.gen(function*() {
        requireFor(context, missingProgram("python3", "python3"))
        const { home, root, sh } = yield* world(context)
        const connect = (path: string) =>
          `python3 -c 'import socket; s = socket.socket(socket.AF_UNIX); s.settimeout(5); s.connect("${path}"); print(s.recv(9).decode())' 2>&1 | tail -1`
        const elsewhere = socketFolder()
        yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(elsewhere, { recursive: true, force: true })))
        for (const path of [join(root, "inner.sock"), join(elsewhere, "service.sock")]) {
          const server = createServer((socket) => socket.on("error", () => {}).end("reached"))
          yield* Effect.acquireRelease(
            Effect.promise(() => new Promise<void>((done) => server.listen(path, done))),
            () => Effect.sync(() => server.close())
          )
          chmodSync(path, 0o777)
        }
        assert.notInclude(
          (yield* sh(`${connect("inner.sock")}; ${connect(join(elsewhere, "service.sock"))}`)).out,
          "reached"
        )
        assert.strictEqual((yield* sh(connect("inner.sock"), { network: true })).out, "reached\n")
        assert.notInclude((yield* sh(connect(join(elsewhere, "service.sock")), { network: true })).out, "reached")
        assert.isTrue(lstatSync(join(root, "inner.sock")).isSocket() && existsSync(home))
      }))

    it.live("keeps files that are masked by location in place", (context) =>
      Effect.gen(function*() {
        const { file, home, sh } = yield* world(context)
        const path = file(join(home, ".config", "gh", "hosts.yml"), secret)
        const given = { roots: [home] }
        assert.notStrictEqual((yield* sh("mv .config moved", given)).code, 0)
        assert.strictEqual(
          (yield* sh(
            "cat .config/gh/hosts.yml moved/gh/hosts.yml; echo text > .config/other; cat .config/other",
            given
          )).out,
          "text\n"
        )
        assert.strictEqual(readFileSync(path, "utf8"), secret)
      }))

    it.live("shows only the paths of a hidden directory that the owner makes readable", (context) =>
      Effect.gen(function*() {
        const { file, home, sh } = yield* world(context)
        const tool = file(join(home, ".tools", "bin", "greet"), "#!/bin/sh\necho hello\n")
        chmodSync(tool, 0o755)
        file(join(home, ".tools", ".npmrc"), secret)
        const text = `${tool}; echo changed > ${tool} || echo read-only; cat ${
          join(home, ".tools", ".npmrc")
        }; ls -A ${home}`
        const shown = yield* sh(text, { readable: [join(home, ".tools")] })
        assert.strictEqual(shown.out, "hello\nread-only\n.tools\nstate\nwork\n")
        assert.strictEqual((yield* sh(`${tool}; echo end`)).out, "end\n")
      }))

    it.live("reports that it hides a program, instead of failing to start it", (context) =>
      Effect.gen(function*() {
        const { file, home, sh } = yield* world(context)
        const tool = file(join(home, "tool"), "#!/bin/sh\necho hello\n")
        chmodSync(tool, 0o755)
        const refused = yield* Effect.flip(
          Effect.catchDefect(sh("", { program: tool }), (defect) => Effect.fail(defect))
        )
        assert.instanceOf(refused, Refusal)
        assert.strictEqual((refused as Refusal).code, "program_hidden")
        assert.strictEqual((yield* sh("", { program: tool, readable: [tool] })).out, "hello\n")
      }))

    it.live("hides passwords and keys of the system", (context) =>
      Effect.gen(function*() {
        const { sh } = yield* world(context)
        assert.isTrue(existsSync("/etc/shadow"))
        const { out } = yield* sh(
          "cat /etc/shadow /etc/shadow- /etc/gshadow /etc/sudoers /etc/ssl/private/* /etc/ssh/ssh_host_*_key; find /etc /var -type f -readable ! -perm -004 -size +0 2>/dev/null | head; test -s /etc/passwd && echo end"
        )
        assert.strictEqual(out, "end\n")
      }))

    it.live("reaches no address and no socket of the machine's network", (context) =>
      Effect.gen(function*() {
        requireFor(context, missingProgram("python3", "python3"))
        const { sh } = yield* world(context)
        const served = Effect.fnUntraced(function*(address: string | 0) {
          const server = createServer((socket) => socket.on("error", () => {}).end("reached"))
          yield* Effect.acquireRelease(
            Effect.promise(() =>
              new Promise<void>((done) =>
                typeof address === "string" ? server.listen(address, done) : server.listen(0, "127.0.0.1", done)
              )
            ),
            () => Effect.sync(() => server.close())
          )
          return server.address() as AddressInfo
        })
        const { port } = yield* served(0)
        const abstract = `countersign-test-${process.pid}-${user.length}`
        yield* served(`\0${abstract}`)
        const client = (kind: string, address: string) =>
          `python3 -c 'import socket; s = socket.socket(socket.${kind}); s.settimeout(5); s.connect(${address}); print(s.recv(9).decode())' 2>&1 | tail -1`
        const tcp = client("AF_INET", `("127.0.0.1", ${port})`)
        assert.include((yield* sh(tcp)).out, "refused")
        assert.include((yield* sh(client("AF_UNIX", `"\\0${abstract}"`))).out, "refused")
        assert.strictEqual((yield* sh(tcp, { network: true })).out, "reached\n")
      }))

    it.live("hides sockets of the session in temporary and run-time directories", (context) =>
      Effect.gen(function*() {
        requireFor(context, missingProgram("python3", "python3"))
        const { sh } = yield* world(context)
        const folder = `/tmp/ssh-test-${process.pid}-${user.length}`
        mkdirSync(folder, { mode: 0o777 })
        yield* Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })))
        const server = createServer((socket) => socket.on("error", () => {}).end("reached"))
        yield* Effect.acquireRelease(
          Effect.promise(() => new Promise<void>((done) => server.listen(join(folder, "agent.1"), done))),
          () => Effect.sync(() => server.close())
        )
        chmodSync(join(folder, "agent.1"), 0o777)
        const { out } = yield* sh(
          `ls ${folder} /run/user /run/dbus /run/docker.sock /var/run/docker.sock; env | grep -E 'SSH_AUTH_SOCK|DBUS|XDG_RUNTIME_DIR|DISPLAY|XAUTHORITY'; echo end`,
          { network: true }
        )
        assert.strictEqual(out, "end\n")
      }))
  })
}

describe("the search for secrets in a root", () => {
  it.live("masks a directory that the user may not read, because a command may open it again", (context) =>
    Effect.gen(function*() {
      requireFor(context, missingProgram("setpriv", "util-linux"))
      const { file, root } = yield* sandboxPlace("an ordinary user")
      file(join(root, "config", ".env"), secret)
      for (const mode of [0o000, 0o400, 0o100]) {
        chmodSync(join(root, "config"), mode)
        const found = yield* Effect.acquireUseRelease(
          Effect.sync(() => isRoot ? process.seteuid!(nobody) : undefined),
          () => Effect.promise(() => scan([root], [])),
          () => Effect.sync(() => isRoot ? process.seteuid!(0) : undefined)
        )
        assert.deepStrictEqual(found.secrets, [{ path: join(root, "config"), folder: true }], mode.toString(8))
      }
      chmodSync(join(root, "config"), 0o755)
    }))
})

describe("names of files with secrets", () => {
  it("are recognized in copies too, and not confused with others", () => {
    const isSecret = (path: string) => path.split("/").some((step, at, steps) => isSecretName(step, steps[at - 1]))
    for (
      const path of [
        ...ofRoot,
        "#.env#",
        ".#.env",
        "Copy of .env",
        ".env (copy)",
        ".netrc.~1~",
        ".pgpass-2024-01-01.gz",
        "ssh_host_ed25519_key"
      ]
    ) assert.isTrue(isSecret(path), path)
    for (const path of openNames) assert.isFalse(isSecret(path), path)
  })
})

describe("the sandbox settings of the rules", () => {
  it("D13: no rule passes on the sockets and keys of the owner's session", () => {
    const names = [
      "SSH_AUTH_SOCK",
      "SSH_AGENT_PID",
      "DBUS_SESSION_BUS_ADDRESS",
      "XDG_RUNTIME_DIR",
      "GNOME_KEYRING_CONTROL",
      "GPG_AGENT_INFO",
      "XAUTHORITY",
      "DISPLAY",
      "WAYLAND_DISPLAY",
      "KRB5CCNAME",
      "DOCKER_HOST"
    ]
    const before = { ...process.env }
    for (const name of names) process.env[name] = secret
    try {
      const env = environmentOf({ command: "cmd", directory: "/", allowed: names, wanted: {} })
      assert.notInclude(JSON.stringify(env), secret)
      for (const name of names) {
        assert.throws(
          () => environmentOf({ command: "cmd", directory: "/", allowed: names, wanted: { [name]: "x" } }),
          Refusal
        )
      }
    } finally {
      process.env = before
    }
  })

  it("D13: no command sets variables that name programs, plugins, or configuration", () => {
    for (
      const name of [
        "XDG_CONFIG_HOME",
        "TAR_OPTIONS",
        "GOFLAGS",
        "OPENSSL_CONF",
        "PYTHONUSERBASE",
        "RIPGREP_CONFIG_PATH",
        "RUSTC_WRAPPER",
        "DOTNET_STARTUP_HOOKS",
        "CARGO_BUILD_RUSTC_WRAPPER",
        "PYTHONWARNINGS",
        "ZDOTDIR",
        "KUBECONFIG",
        "MAVEN_OPTS",
        "PIP_CONFIG_FILE"
      ]
    ) {
      assert.throws(
        () => environmentOf({ command: "cmd", directory: "/", allowed: [], wanted: { [name]: "x" } }),
        Refusal,
        undefined,
        name
      )
    }
    for (const name of ["CI", "NODE_ENV", "GREETING"]) {
      assert.strictEqual(
        environmentOf({ command: "cmd", directory: "/", allowed: [], wanted: { [name]: "x" } })[name],
        "x"
      )
    }
  })

  it("turn the network off for agents and on for people, unless a rule sets it", () => {
    const rulesOf = (more: object, rule: object = {}) => {
      const parsed = parseRules(
        JSON.stringify({
          version: 1,
          rules: [{ effect: "allow", tool: "shell.run", argv: ["uname"], ...rule }],
          ...more
        })
      )
      if ("problem" in parsed) throw new Error(parsed.problem)
      return parsed.rules
    }
    const deed = (name: string) => ({
      tool: "shell.run" as const,
      place: "/srv",
      program: { argv: [name], path: `/bin/${name}`, realPath: `/bin/${name}`, bare: true, env: [] }
    })
    const of = (more: object, rule: object, name = "uname") => {
      const rules = rulesOf(more, rule)
      const verdict = judge(rules, deed(name))
      return { agent: hasNetwork(rules, verdict, true), person: hasNetwork(rules, verdict, false) }
    }
    assert.deepStrictEqual(of({}, {}), { agent: false, person: true })
    assert.deepStrictEqual(of({ network: "on" }, {}), { agent: true, person: true })
    assert.deepStrictEqual(of({ network: "off" }, {}), { agent: false, person: false })
    assert.deepStrictEqual(of({}, { network: "on" }), { agent: true, person: true })
    assert.deepStrictEqual(of({ network: "on" }, { network: "off" }), { agent: false, person: false })
    // The rule is for another program.
    assert.deepStrictEqual(of({}, { network: "on" }, "id"), { agent: false, person: true })
    assert.property(
      parseRules(JSON.stringify({ version: 1, rules: [{ effect: "allow", tool: "fs.read", network: "on" }] })),
      "problem"
    )
  })
})
