import type { BuiltinService } from "@countersign/domain/services"
import type { AdapterCall } from "@countersign/hub/providers/adapter"
import { emailAdapter } from "@countersign/hub/providers/email"
import { Mailer } from "@countersign/hub/providers/mail"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { mailServer } from "../../support/mail-server.ts"
import { closedPort, tcpUpstream } from "../../support/upstream.ts"

const definition = { name: "email", kind: "builtin", adapter: "email", operations: [] } satisfies BuiltinService

const send = (
  url: string | undefined,
  payload: unknown,
  over: Partial<AdapterCall> = {},
  from: string | undefined = "Hub <hub@example.com>"
) =>
  Effect.gen(function*() {
    const mailer = yield* Mailer
    return yield* emailAdapter(mailer).execute(definition, {
      requestId: "req_1",
      orgId: "org_1",
      agent: { id: "agt_1", name: "Scout" },
      service: "email",
      operation: "send",
      payload,
      timeoutMs: 20_000,
      ceilingCents: 1,
      secretOf: () => Effect.succeed(undefined),
      appOf: () => Effect.succeed({ kind: "missing", detail: "No app." }),
      ...over
    })
  }).pipe(Effect.provide(Mailer.layer({
    url: Option.map(Option.fromUndefinedOr(url), (value) => Redacted.make(value)),
    from: Option.fromUndefinedOr(from)
  })))

const mail = { to: "a@example.org", subject: "Zażółć", text: "gęślą\n.jaźń\n" }
const url = (port: number, credentials = "") => `smtp://${credentials}127.0.0.1:${port}`

describe("email.send", () => {
  it.live("delivers text and HTML to all recipients, from the operator's address", () =>
    Effect.gen(function*() {
      const server = yield* mailServer()
      const outcome = yield* send(url(server.port), {
        ...mail,
        html: "<b>jaźń</b>",
        to: ["a@example.org", "b@example.org"],
        cc: "c@example.org",
        bcc: ["d@example.org"],
        reply_to: "r@example.org"
      })
      assert.deepStrictEqual(outcome.kind === "executed" && outcome.result, {
        message_id: "<req_1@example.com>",
        accepted: ["a@example.org", "b@example.org", "c@example.org", "d@example.org"],
        rejected: [],
        response: (outcome as { result: { response: string } }).result.response
      })
      const [received] = server.received
      assert.strictEqual(received?.from, "hub@example.com")
      assert.deepStrictEqual(received?.to, ["a@example.org", "b@example.org", "c@example.org", "d@example.org"])
      assert.include(received?.raw, "From: Hub <hub@example.com>")
      assert.include(received?.raw, "Message-ID: <req_1@example.com>")
      assert.include(received?.raw, "Reply-To: r@example.org")
      assert.notInclude(received?.raw, "d@example.org")
    }))

  it.live("lists the recipients that were not accepted", () =>
    Effect.gen(function*() {
      const server = yield* mailServer({
        onRcptTo: (address, _session, callback) =>
          callback(
            address.address.startsWith("bad") ? Object.assign(new Error("no such user"), { responseCode: 550 }) : null
          )
      })
      const outcome = yield* send(url(server.port), { ...mail, to: ["a@example.org", "bad@example.org"] })
      assert.strictEqual(outcome.kind, "executed")
      assert.deepInclude((outcome as { result: object }).result, {
        accepted: ["a@example.org"],
        rejected: ["bad@example.org"]
      })
      const none = yield* send(url(server.port), { ...mail, to: "bad@example.org" })
      assert.strictEqual(none.kind, "failed")
      assert.include((none as { detail: string }).detail, "no such user")
    }))

  it.live("logs in where the URL requires it, and shows no password when that fails", () =>
    Effect.gen(function*() {
      const server = yield* mailServer({
        authOptional: false,
        allowInsecureAuth: true,
        onAuth: (auth, _session, callback) =>
          auth.username === "me@x" && auth.password === "p@ss/word"
            ? callback(null, { user: "me" })
            : callback(new Error("who are you?"))
      })
      assert.strictEqual((yield* send(url(server.port, "me%40x:p%40ss%2Fword@"), mail)).kind, "executed")
      assert.strictEqual(server.received[0]?.user, "me")
      const refused = yield* send(url(server.port, "me%40x:hunter2secret@"), mail)
      assert.strictEqual(refused.kind, "failed")
      assert.notInclude(JSON.stringify(refused), "hunter2secret")
    }))

  it.live("allows no injection of another header or another command", () =>
    Effect.gen(function*() {
      const server = yield* mailServer()
      for (
        const to of [
          "a@example.org\r\nBcc: evil@example.org",
          "a@example.org>\r\nRCPT TO:<evil@example.org",
          "A <a@example.org>",
          "a@example.org, evil@example.org",
          "a@b@c",
          ""
        ]
      ) {
        const outcome = yield* send(url(server.port), { ...mail, to })
        assert.strictEqual(outcome.kind, "failed", to)
      }
      assert.strictEqual(server.received.length, 0)
      yield* send(url(server.port), { ...mail, subject: "hi\r\nBcc: evil@example.org\r\n\r\nbody" })
      const [head] = (server.received[0]?.raw ?? "").split("\r\n\r\n")
      assert.notMatch(head ?? "", /^Bcc:/m)
      assert.deepStrictEqual(server.received[0]?.to, ["a@example.org"])
    }))

  it.live("reads no file and no URL that a payload names", () =>
    Effect.gen(function*() {
      const server = yield* mailServer()
      const outcome = yield* send(url(server.port), { ...mail, text: { path: "/etc/hostname" } })
      assert.strictEqual(outcome.kind, "failed")
      assert.strictEqual(server.received.length, 0)
    }))

  it.live("fails with the setting's name where mail is not configured", () =>
    Effect.gen(function*() {
      const without = yield* send(undefined, mail)
      assert.deepStrictEqual(without, {
        kind: "failed",
        detail: "mail is not configured: the operator has not set HUB_SMTP_URL"
      })
      const server = yield* mailServer()
      const noSender = yield* Effect.gen(function*() {
        return yield* (yield* Mailer).send({ to: ["a@example.org"], subject: "x" }, 1000)
      }).pipe(
        Effect.provide(Mailer.layer({ url: Option.some(Redacted.make(url(server.port))), from: Option.none() })),
        Effect.flip
      )
      assert.include(noSender.message, "HUB_MAIL_FROM")
    }))
})

describe("the outcome of a mail", () => {
  it.live("is failed when the server is unreachable, or refuses before or after the text", () =>
    Effect.gen(function*() {
      assert.strictEqual((yield* send(url(yield* closedPort), mail)).kind, "failed")
      const busy = yield* mailServer({
        onMailFrom: (_address, _session, callback) =>
          callback(Object.assign(new Error("greylisted"), { responseCode: 451 }))
      })
      assert.strictEqual((yield* send(url(busy.port), mail)).kind, "failed")
      const spam = yield* mailServer({
        onData: (stream, _session, callback) => {
          stream.resume()
          stream.on("end", () => callback(Object.assign(new Error("looks like spam"), { responseCode: 554 })))
        }
      })
      const outcome = yield* send(url(spam.port), mail)
      assert.strictEqual(outcome.kind, "failed")
      assert.include((outcome as { detail: string }).detail, "looks like spam")
    }))

  const script = (afterText: (socket: import("node:net").Socket) => void) => (socket: import("node:net").Socket) => {
    let inText = false
    let pending = ""
    socket.write("220 test ESMTP\r\n")
    socket.on("data", (chunk) => {
      pending += chunk.toString()
      if (inText) {
        if (pending.includes("\r\n.\r\n")) afterText(socket)
        return
      }
      for (let end = pending.indexOf("\r\n"); end >= 0 && !inText; end = pending.indexOf("\r\n")) {
        const line = pending.slice(0, end).toUpperCase()
        pending = pending.slice(end + 2)
        if (line === "DATA") {
          inText = true
          socket.write("354 go\r\n")
        } else socket.write("250 ok\r\n")
      }
    })
  }

  it.live("is unknown when the connection is cut after the text, and when no reply arrives in time", () =>
    Effect.gen(function*() {
      const cut = yield* tcpUpstream(script((socket) => socket.destroy()))
      assert.strictEqual((yield* send(url(cut.port), mail)).kind, "unknown")
      const silent = yield* tcpUpstream(script(() => {}))
      assert.strictEqual((yield* send(url(silent.port), mail, { timeoutMs: 300 })).kind, "unknown")
    }))

  it.live("is failed when the connection is cut before the text, and when the server never greets", () =>
    Effect.gen(function*() {
      const cut = yield* tcpUpstream((socket) => {
        socket.write("220 test ESMTP\r\n")
        socket.on(
          "data",
          (chunk) => chunk.toString().startsWith("MAIL") ? socket.destroy() : socket.write("250 ok\r\n")
        )
      })
      assert.strictEqual((yield* send(url(cut.port), mail)).kind, "failed")
      const mute = yield* tcpUpstream(() => {})
      assert.strictEqual((yield* send(url(mute.port), mail, { timeoutMs: 300 })).kind, "failed")
    }))
})
