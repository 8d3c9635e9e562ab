/** Pairing of a new machine: `pair`, the files it stores and their modes, `status`, and `unpair`. */
import { examine } from "@countersign/desktop/device/doctor"
import { rootProblem } from "@countersign/desktop/device/files/root-checks"
import { pair, resolveRoots } from "@countersign/desktop/device/pairing"
import { readIdentity, readKey, writePrivate } from "@countersign/desktop/device/state"
import { statusOf, unpair } from "@countersign/desktop/device/status"
import { assert, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { chmodSync, existsSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { program, temporary, unpaired, until } from "../../support/device-agent.ts"
import { expectStatus, HubTest, TestHub } from "../../support/hub.ts"

layer(HubTest(), { excludeTestServices: true })("pairing a device", (it) => {
  it.effect("shows a code, stores the key with mode 0600, is refused when others can read it, and unpairs", () =>
    Effect.gen(function*() {
      const { api, owner, url } = yield* TestHub
      const { folder, root } = yield* unpaired
      const asked = yield* program([
        "pair",
        "--hub",
        url,
        "--name",
        "build-1",
        "--data-dir",
        folder.path,
        "--root",
        root
      ])
      const shown = yield* until(
        Effect.sync(() => /\b[0-9A-Z]{4}-[0-9A-Z]{4}\b/.exec(asked.printed())?.[0]),
        (code) => code !== undefined
      )
      const asks = expectStatus(yield* api("GET", `/devices/pair/${shown}`, { cookie: owner.cookie }), 200).body
      assert.match(asks.fingerprint, /^([0-9a-f]{2}:){31}[0-9a-f]{2}$/)
      assert.include(asked.printed(), `Fingerprint: ${asks.fingerprint}`)
      const confirmed = expectStatus(
        yield* api("POST", `/devices/pair/${shown}/confirm`, {
          cookie: owner.cookie,
          body: { granted: ["shell.run"] }
        }),
        200
      )
      assert.strictEqual((yield* asked.ended).code, 0)
      assert.deepInclude(readIdentity(folder), { device_id: confirmed.body.id, name: "build-1", roots: [root] })
      assert.match(readKey(folder)?.key ?? "", /^svc_device_live_/)
      assert.strictEqual(statSync(folder.path).mode & 0o777, 0o700)
      for (const name of readdirSync(folder.path)) {
        assert.strictEqual(statSync(folder.file(name)).mode & 0o777, 0o600, name)
      }
      assert.notInclude(asked.printed(), readKey(folder)?.key ?? "svc_device")

      assert.deepInclude(statusOf(folder), {
        paired: true,
        device_id: confirmed.body.id,
        agent: "not running",
        fingerprint: asks.fingerprint
      })
      assert.strictEqual(confirmed.body.fingerprint, asks.fingerprint)
      assert.isTrue((yield* Effect.promise(() => examine(folder))).every(({ ok }) => ok))

      chmodSync(folder.file("device.key"), 0o644)
      const open = yield* program(["run", "--data-dir", folder.path])
      assert.strictEqual((yield* open.ended).code, 1)
      assert.match(open.printed(), /can be read by others/)
      assert.deepStrictEqual(
        (yield* Effect.promise(() => examine(folder))).filter(({ ok }) => !ok).map(({ check }) => check),
        ["key"]
      )
      chmodSync(folder.file("device.key"), 0o600)

      assert.match(unpair(folder), /its key is deleted/)
      for (const name of ["device.key", "device.ed25519"]) assert.isFalse(existsSync(folder.file(name)), name)
      assert.throws(() => unpair(folder), /Nothing is paired/)
    }))

  it.effect("the key of systemd's LoadCredential takes precedence over the folder's, readable by its access list only", () =>
    Effect.gen(function*() {
      const { folder } = yield* unpaired
      const credentials = yield* temporary
      writePrivate(folder.file("device.key"), "from the folder\n")
      writeFileSync(join(credentials, "device.key"), "from systemd\n")
      yield* Effect.acquireRelease(
        Effect.sync(() => {
          process.env["CREDENTIALS_DIRECTORY"] = credentials
        }),
        () =>
          Effect.sync(() => {
            delete process.env["CREDENTIALS_DIRECTORY"]
          })
      )
      for (const mode of [0o400, 0o440]) {
        chmodSync(join(credentials, "device.key"), mode)
        assert.deepStrictEqual(readKey(folder), { key: "from systemd", from: join(credentials, "device.key") })
      }
      chmodSync(join(credentials, "device.key"), 0o444)
      assert.throws(() => readKey(folder), /can be read by others/)
      rmSync(join(credentials, "device.key"))
      assert.strictEqual(readKey(folder)?.key, "from the folder")
    }))

  it.effect("exits with 1 for a rejection, an unencrypted hub on another machine, and an invalid root; with 2 for an unreachable hub", () =>
    Effect.gen(function*() {
      const { api, owner, url } = yield* TestHub
      const { folder, root } = yield* unpaired
      let shown: string | undefined
      const ends = (options: { readonly hub: string; readonly roots?: ReadonlyArray<string> }) =>
        pair(folder, {
          name: "build-2",
          roots: [root],
          askVia: "none",
          onPairing: ({ code }) => {
            shown = code
          },
          ...options
        })
          .then(() => 0, ({ code }) => code as number)
      const codeOf = (options: { readonly hub: string; readonly roots?: ReadonlyArray<string> }) =>
        Effect.promise(() => ends(options))
      const waiting = ends({ hub: url })
      yield* until(Effect.sync(() => shown), (code) => code !== undefined)
      expectStatus(yield* api("POST", `/devices/pair/${shown}/reject`, { cookie: owner.cookie }), 204)
      assert.strictEqual(yield* Effect.promise(() => waiting), 1)
      for (
        const hub of [
          "http://hub.example.com",
          "http://127.example.com",
          "https://user:password@hub.example.com",
          "ftp://127.0.0.1",
          "hub"
        ]
      ) {
        assert.strictEqual(yield* codeOf({ hub }), 1, hub)
      }
      assert.strictEqual(yield* codeOf({ hub: url, roots: [`${root}/missing`] }), 1)
      assert.strictEqual(yield* codeOf({ hub: "http://127.0.0.1:9" }), 2)
      assert.isUndefined(readIdentity(folder))
    }))
})

it("D15: a root cannot be a directory of the system or the home directory of another user", () => {
  for (const root of ["/", "/etc", "/proc", "/usr", "/usr/bin", "/run", "/var", "/dev", "/sys/kernel"]) {
    assert.match(
      rootProblem(root, []) ?? "",
      /cannot be a root: .*belongs to the system\. Open the directory of a project instead/,
      root
    )
    assert.throws(() => resolveRoots([root]), /cannot be a root/)
  }
  const others = ["/home/other"]
  for (const root of ["/home", "/home/other"]) {
    assert.match(rootProblem(root, others) ?? "", /contains \/home\/other, the home directory of another user/, root)
  }
  for (const root of ["/srv/app", "/var/www/site", "/home/me", "/home/other/shared", "/opt/app", "/tmp/x"]) {
    assert.isUndefined(rootProblem(root, others), root)
  }
})
