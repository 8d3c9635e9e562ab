/**
 * A proxy before PostgreSQL that ends a hub at a chosen write about one subject: a commit of a transaction, or a
 * statement outside of one. It reads the messages of the protocol, and learns the ids of turns and requests that
 * belong to the subject.
 */
import type { DatabaseTarget } from "@countersign/hub/platform/db"
import { Effect, type Scope } from "effect"
import type { Socket } from "node:net"
import { databaseProxy } from "./database-proxy.ts"

export interface WriteCut {
  /** An id that the first write contains. */
  readonly subject: string
  /** The number of the write, from 1. */
  readonly at: number
  /** `write`: it never reaches PostgreSQL. `reply`: PostgreSQL executes it, and its reply is lost. */
  readonly lost: "write" | "reply"
  /** Called at that moment, before the connection is cut. */
  readonly reached: () => void
}

export interface WriteProxy {
  /** A `DATABASE_URL` through the proxy. */
  readonly url: string
  readonly arm: (cut: WriteCut) => void
  /** Returns the number of writes since the proxy was armed. */
  readonly disarm: () => number
}

const writing = /\b(?:insert into|update \w|delete from|begin_one|settle_one|tick)\b/iu
const encryptionLength = 8
const related = /(?:trn|req)_[0-9a-z]{26}/gu

/** The text up to the next NUL, and the position after it. */
const cString = (bytes: Buffer, from: number): readonly [text: string, next: number] => {
  const end = bytes.indexOf(0, from)
  return [bytes.toString("utf8", from, end), end + 1]
}

/** Calls `message` with each message of a client, by its type; the first one, which has none, is left out. */
const makeMessages = (message: (type: string, body: Buffer) => void) => {
  let rest = Buffer.alloc(0)
  let isStarted = false
  return (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    for (;;) {
      const head = isStarted ? 1 : 0
      if (rest.length < head + 4) return
      const length = rest.readInt32BE(head)
      if (rest.length < head + length) return
      if (isStarted) message(String.fromCharCode(rest[0] ?? 0), rest.subarray(5, 1 + length))
      // A request for encryption comes before the first message.
      else isStarted = length > encryptionLength
      rest = rest.subarray(head + length)
    }
  }
}

export const writeProxy = (target: DatabaseTarget & { readonly database: string }) =>
  Effect.gen(function*(): Effect.fn.Return<WriteProxy, never, Scope.Scope> {
    let plan: WriteCut | undefined
    let awaited: Socket | undefined
    let count = 0
    const subjects = new Set<string>()

    /** Whether a message is about the subject. */
    const isAbout = (body: Buffer): boolean => {
      const text = body.toString("latin1")
      if (![...subjects].some((subject) => text.includes(subject))) return false
      for (const [id] of text.matchAll(related)) subjects.add(id)
      return true
    }

    const url = yield* databaseProxy(target, ({ backend, client, cut }) => {
      const texts = new Map<string, string>()
      let isOpen = false
      let isSubjects = false
      let isWritten = false
      /** Whether the chunk has the write at which the hub ends. */
      let isReached = false
      const statement = (text: string, body: Buffer) => {
        const about = isAbout(body)
        const writes = writing.test(text)
        let isWrite = false
        if (/^begin\b/iu.test(text)) {
          isOpen = true
          isSubjects = isWritten = false
        } else if (/^commit\b/iu.test(text)) {
          isWrite = isSubjects && isWritten
          isOpen = false
        } else if (/^rollback\s*$/iu.test(text)) isOpen = false
        else if (isOpen) {
          isSubjects ||= about
          isWritten ||= writes
        } else isWrite = about && writes
        if (isWrite) {
          count++
          isReached ||= count === plan?.at
        }
      }
      const read = makeMessages((type, body) => {
        if (type === "Q") return statement(cString(body, 0)[0], body)
        if (type === "P") {
          const [name, next] = cString(body, 0)
          return void texts.set(name, cString(body, next)[0])
        }
        if (type !== "B") return
        const [, next] = cString(body, 0)
        statement(texts.get(cString(body, next)[0]) ?? "", body)
      })
      client.on("data", (bytes: Buffer) => {
        isReached = false
        read(bytes)
        if (isReached && plan !== undefined) {
          if (plan.lost === "reply") awaited = client
          else {
            plan.reached()
            return cut()
          }
        }
        backend.write(bytes)
      })
      backend.on("data", (bytes: Buffer) => {
        if (plan !== undefined && awaited === client) {
          plan.reached()
          return cut()
        }
        client.write(bytes)
      })
      return {}
    })
    return {
      url,
      arm: (cut) => {
        plan = cut
        awaited = undefined
        count = 0
        subjects.clear()
        subjects.add(cut.subject)
      },
      disarm: () => {
        plan = undefined
        subjects.clear()
        return count
      }
    }
  })
