/** A real SMTP server on loopback for tests, closed with the test's scope. */
import { Effect, type Scope } from "effect"
import { once } from "node:events"
import type { AddressInfo } from "node:net"
import { SMTPServer, type SMTPServerOptions } from "smtp-server"

export interface ReceivedMail {
  readonly from: string
  readonly to: ReadonlyArray<string>
  readonly raw: string
  readonly user: string | undefined
}

export interface MailServer {
  readonly port: number
  readonly received: ReadonlyArray<ReceivedMail>
}

export const mailServer = (options: SMTPServerOptions = {}): Effect.Effect<MailServer, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const received: Array<ReceivedMail> = []
      const server = new SMTPServer({
        authOptional: true,
        disabledCommands: ["STARTTLS"],
        logger: false,
        onData(stream, session, callback) {
          const chunks: Array<Buffer> = []
          stream.on("data", (chunk: Buffer) => chunks.push(chunk))
          stream.on("end", () => {
            const { mailFrom, rcptTo } = session.envelope
            received.push({
              from: mailFrom === false ? "" : mailFrom.address,
              to: rcptTo.map(({ address }) => address),
              raw: Buffer.concat(chunks).toString(),
              user: session.user === undefined ? undefined : String(session.user)
            })
            callback()
          })
        },
        ...options
      })
      server.on("error", () => {})
      server.listen(0, "127.0.0.1")
      await once(server.server, "listening")
      return { server, port: (server.server.address() as AddressInfo).port, received }
    }),
    ({ server }) => Effect.promise(() => new Promise<void>((done) => server.close(() => done())))
  )
