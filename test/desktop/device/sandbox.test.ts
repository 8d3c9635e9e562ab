/**
 * What a hostile command can reach from inside the sandbox, as root and as an ordinary user. Spec: reference/devices.md
 * "D16: sandbox".
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { missingSandbox } from "../../support/device-agent.ts"
import { requireFor } from "../../support/required.ts"
import { missingProgram } from "../../support/requirements.mjs"
import { nobody, sandboxPlace, users } from "../../support/sandbox.ts"

/** Each attempts a forbidden action. None changes the machine if it succeeds: it writes the present value. */
const hostile: Readonly<Record<string, string>> = {
  "remounts the root writable": "mount -o remount,rw /",
  "mounts over a directory": "mount -t tmpfs tmpfs /mnt",
  "binds the agent's data elsewhere": "mkdir -p bound && mount --bind / bound",
  "removes a mask": "umount /tmp",
  "changes its root": "chroot / true",
  "makes a device node": "mknod node c 1 3",
  "sets the clock": "date -s \"@$(date +%s)\"",
  "sets the host name": "hostname \"$(hostname)\"",
  "writes a kernel setting":
    "cat /proc/sys/kernel/core_pattern > setting && cat setting > /proc/sys/kernel/core_pattern",
  "writes to sysrq": "echo h > /proc/sysrq-trigger",
  "writes to a control group": "test -w /sys/fs/cgroup",
  "makes a user namespace": "unshare --user --map-root-user true",
  "makes a mount namespace": "unshare --mount true",
  "enters the namespaces of the agent": "nsenter --target 1 --mount true && ls -d /proc/$AGENT",
  "traces the agent": "timeout 5 strace -p $AGENT",
  "gives a file away": "touch given && chown 1:1 given",
  "raises its priority": "nice -n -5 sh -c 'test \"$(nice)\" -lt 0'",
  "reads the raw disk": "head -c 1 /dev/vda || head -c 1 /dev/sda || head -c 1 /dev/nvme0n1"
}

for (const user of users) {
  describe(`a hostile command of ${user}`, () => {
    const world = Effect.fnUntraced(function*(context: Parameters<typeof requireFor>[0]) {
      requireFor(
        context,
        missingSandbox() ?? missingProgram("setpriv", "util-linux") ?? missingProgram("strace", "strace")
      )
      return yield* sandboxPlace(user)
    })

    it.live("has no capability, and gains none", (context) =>
      Effect.gen(function*() {
        const { sh } = yield* world(context)
        const { out } = yield* sh("cat /proc/self/status")
        const facts = new Map(out.trim().split("\n").map((line) => line.split(":\t") as [string, string]))
        for (const name of ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"]) {
          assert.match(facts.get(name) ?? "", /^0+$/, name)
        }
        assert.strictEqual(facts.get("NoNewPrivs"), "1")
      }))

    for (const [what, script] of Object.entries(hostile)) {
      it.live(`fails when it ${what}`, (context) =>
        Effect.gen(function*() {
          const { root, sh } = yield* world(context)
          const { code, err, out } = yield* sh(`AGENT=${process.pid}; { ${script}; } && echo done by the command`)
          assert.notInclude(out, "done by the command", err)
          assert.notStrictEqual(code, 0)
          // The shell itself ran, so the attempt is what failed.
          assert.strictEqual((yield* sh("echo here")).out, "here\n")
          assert.isFalse(existsSync(join(root, "node")))
        }))
    }

    it.live("sees no process of the machine", (context) =>
      Effect.gen(function*() {
        const { sh } = yield* world(context)
        const { out } = yield* sh("ls -d /proc/[0-9]* | wc -l; cat /proc/1/comm")
        const [count, first] = out.split("\n")
        assert.isBelow(Number(count), 10)
        assert.strictEqual(first, "bwrap")
        assert.isFalse(
          (yield* sh(`ls /proc/${process.pid}/environ && readlink /proc/${process.pid}/exe | grep node`)).code === 0
        )
      }))

    it.live("does not find the agent's key, whatever it unmounts", (context) =>
      Effect.gen(function*() {
        const { file, sh, state } = yield* world(context)
        const key = file(join(state, "device.key"), "the key of the device\n")
        const { out } = yield* sh(
          `umount ${state}; umount -l /tmp; unshare -Urm sh -c 'umount ${state}; umount -l /tmp; cat ${key}'; cat ${key}; cat /proc/1/root${key}`
        )
        assert.notInclude(out, "the key of the device")
        assert.strictEqual(readFileSync(key, "utf8"), "the key of the device\n")
      }))

    it.live("leaves files that belong to the user who runs the agent", (context) =>
      Effect.gen(function*() {
        const { root, sh } = yield* world(context)
        assert.strictEqual((yield* sh("echo text > made && mkdir folder")).code, 0)
        const uid = user === "root" ? 0 : process.getuid?.() === 0 ? nobody : process.getuid?.()
        assert.deepStrictEqual(["made", "folder"].map((name) => statSync(join(root, name)).uid), [uid, uid])
      }))
  })
}
