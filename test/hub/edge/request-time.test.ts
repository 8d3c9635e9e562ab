/** Time limits on bodies. The clock is the test's own, and so is the moment of each check. */
import { answerClientErrors } from "@countersign/hub/edge/client-errors"
import { endIdleConnections } from "@countersign/hub/edge/idle-connections"
import { limitRequestTime } from "@countersign/hub/edge/request-time"
import { once } from "node:events"
import { createServer, type IncomingMessage } from "node:http"
import { createServer as createTlsServer } from "node:https"
import { type AddressInfo, connect, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import { assert, describe, it } from "vitest"
import { certificate, key } from "../../support/tls.ts"

const minute = 60_000
const upload = "PUT /api/v1/storage/blobs/token"

const started = async (isTls: boolean, first: string) => {
  let checkNow = () => {}
  let ahead = 0
  const server = limitRequestTime(
    answerClientErrors(
      isTls ? createTlsServer({ key, cert: certificate, requestTimeout: 0 }) : createServer({ requestTimeout: 0 })
    ),
    { now: () => performance.now() + ahead, repeat: (check) => checkNow = check }
  )
  endIdleConnections(server)
  await once(server.listen(0, "127.0.0.1"), "listening")
  const { port } = server.address() as AddressInfo
  const socket: Socket = isTls
    ? connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false })
    : connect(port, "127.0.0.1")
  socket.write(`${first} HTTP/1.1\r\nhost: x\r\ncontent-length: 3\r\n\r\n`)
  const [request, response] = await once(server, "request")
  const body: IncomingMessage = request
  body.on("error", () => {})
  let answer = ""
  socket.on("data", (bytes: Buffer) => answer += bytes.toString()).on("error", () => {})
  return {
    /** Checks after this much more time. */
    after: (millis: number) => {
      ahead += millis
      checkNow()
      return !body.socket.writable
    },
    send: async (byte: string, event: "data" | "end" = "data") => {
      socket.write(byte)
      await once(body, event)
    },
    finish: async () => {
      response.end("done")
      await once(socket, "data")
      return answer
    },
    cut: async () => {
      if (!socket.closed) await once(socket, "close")
      return answer
    },
    stop: () => {
      socket.destroy()
      server.close()
    }
  }
}

describe.each([["HTTP", false], ["HTTPS", true]] as const)("over %s", (_, isTls) => {
  it("an upload that keeps sending may take longer than any other request", async () => {
    const sent = await started(isTls, upload)
    for (const byte of ["a", "b"]) {
      await sent.send(byte)
      assert.isFalse(sent.after(0))
      assert.isFalse(sent.after(minute - 1_000))
    }
    await sent.send("c", "end")
    for (let times = 0; times < 10; times++) assert.isFalse(sent.after(minute), "all of it has arrived")
    assert.match(await sent.finish(), /^HTTP\/1\.1 200 OK/)
    sent.stop()
  })

  it("an upload that stalls is cut off with 408 after a minute of silence", async () => {
    const sent = await started(isTls, upload)
    await sent.send("a")
    assert.isFalse(sent.after(0))
    assert.isTrue(sent.after(minute))
    assert.match(await sent.cut(), /^HTTP\/1\.1 408 .*did not arrive in time/s)
    sent.stop()
  })

  it("any other request is cut off with 408 after five minutes, even if it keeps sending", async () => {
    const sent = await started(isTls, "POST /api/v1/storage/objects/obj_1/confirm")
    await sent.send("a")
    assert.isFalse(sent.after(4 * minute))
    await sent.send("b")
    assert.isTrue(sent.after(minute))
    assert.match(await sent.cut(), /^HTTP\/1\.1 408 /)
    sent.stop()
  })
})

it("an upload that sends a byte now and then ends after a day", async () => {
  const sent = await started(false, "POST /api/v1/storage/objects?key=a")
  await sent.send("a")
  assert.isFalse(sent.after(0))
  await sent.send("b")
  assert.isTrue(sent.after(24 * 60 * minute))
  sent.stop()
})
