/**
 * A server shared with an agent: paired over TLS from a separate network, used with two approvals, watched, canceled,
 * and revoked.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { existsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { main, unpaired, until } from "../support/device-agent.ts"
import { spawnProgram } from "../support/hub-program.ts"
import { expectStatus, HubTest, makeAgent, TestHub, topUp } from "../support/hub.ts"
import { requireFor } from "../support/required.ts"
import { secondMachine, whyNoSecondMachine } from "../support/second-machine.ts"
import { certificate } from "../support/tls.ts"

const problem = whyNoSecondMachine()
const missing = problem === undefined
  ? undefined
  : {
    reason: `no network namespace (${problem})`,
    provide: "apt-get install -y iproute2, and run as root with CAP_NET_ADMIN and CAP_SYS_ADMIN"
  }

layer(HubTest(), { excludeTestServices: true })("a second machine", (it) => {
  it.effect("is shared, runs approved commands, stops on request, and is removed when it is revoked", (context) =>
    Effect.gen(function*() {
      requireFor(context, missing)
      const hub = yield* TestHub
      const as = { cookie: hub.owner.cookie }
      const place = yield* unpaired
      const machine = yield* secondMachine(hub)
      const trusted = join(place.root, "..", "hub.pem")
      writeFileSync(trusted, certificate)
      const device = (...args: ReadonlyArray<string>) =>
        spawnProgram([...machine.enter, process.execPath, main, ...args, "--data-dir", place.folder.path], {
          NODE_EXTRA_CA_CERTS: trusted
        })
      const get = (path: string) => Effect.map(hub.api("GET", path, as), (answer) => expectStatus(answer, 200).body)
      const post = (path: string, body: object = {}) =>
        Effect.map(
          hub.api("POST", path, { ...as, body }),
          (answer) => answer.status < 300 ? answer.body : expectStatus(answer, 200)
        )

      yield* topUp(hub, hub.owner, 1_000)
      const agent = yield* makeAgent(hub, hub.owner, { bindings: [{ service: "device", operations: ["*"] }] })
      yield* post("/policies", {
        name: "Shells are countersigned",
        when: "operation == \"shell.run\"",
        then: "require_approval",
        reason: "Somebody looks at it first",
        position: 1,
        enabled: true
      })

      const pairing = yield* device("pair", "--hub", machine.hub, "--name", "build-1", "--root", place.root)
      const [code] = yield* pairing.line(/[0-9A-Z]{4}-[0-9A-Z]{4}/)
      assert.deepInclude(yield* get(`/devices/pair/${code}`), { name: "build-1", platform: process.platform })
      const { id } = yield* post(`/devices/pair/${code}/confirm`, { granted: ["shell.run"], agents: [agent.id] })
      assert.deepStrictEqual(yield* pairing.ended, { code: 0, signal: null })

      place.rules([], { ask_via: "hub" })
      const script = place.script("deploy", "i=0; while :; do i=$((i+1)); echo step $i; sleep 0.1; done")
      const running = yield* device("run")
      yield* until(get(`/devices/${id}`), ({ presence }) => presence === "online")

      const asked = yield* hub.api("POST", "/service-requests", {
        key: agent.key,
        body: {
          service: "device",
          operation: "shell.run",
          payload: { device_id: id, input: { argv: [script] }, reason: "Friday's release" }
        }
      })
      assert.strictEqual(asked.body.status, "approval_required", asked.text)
      yield* post(`/approvals/${asked.body.approval_id}/approve`)

      // The owner of the machine must also approve the exact command.
      const { data: [consent] } = yield* until(get("/approvals?kind=device_command"), ({ data }) => data.length > 0)
      assert.deepInclude(consent, {
        operation: "shell.run",
        request_reason: "Friday's release",
        device: { id, name: "build-1" }
      })
      assert.strictEqual(consent.payload.files[0].path, script)
      yield* post(`/approvals/${consent.id}/approve`, { payload_digest: consent.payload_digest })

      const command = consent.subject.id
      const page = yield* until(get(`/devices/commands/${command}/output`), ({ data }) => data.length > 1)
      assert.match(page.data[0].data, /^step 1\n/)
      yield* post(`/devices/commands/${command}/cancel`)
      const ended = yield* until(get(`/devices/commands/${command}`), ({ status }) => status === "cancelled")
      assert.strictEqual(ended.outcome, "cancelled")
      const request = yield* until(get(`/service-requests/${asked.body.id}`), ({ status }) => status === "failed")
      assert.deepInclude(request, { cost_cents: 0 })

      expectStatus(yield* hub.api("PATCH", `/devices/${id}`, { ...as, body: { state: "revoked" } }), 200)
      assert.deepStrictEqual(yield* running.ended, { code: 77, signal: null })
      assert.isFalse(existsSync(place.folder.file("device.key")))
    }))
})
