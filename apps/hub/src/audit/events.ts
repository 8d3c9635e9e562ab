/**
 * Event streams for consoles. Each has a position in the log of every workspace it follows, and advances as its client
 * reads. Spec: reference/audit-and-events.md "Event stream".
 */
import type { UserPrincipal } from "@countersign/domain/auth"
import {
  type BadRequest,
  invalidField,
  type NotFound,
  noWorkspace,
  type Unavailable,
  unavailable
} from "@countersign/domain/errors"
import {
  eventPermission,
  type EventType,
  type HubEvent,
  pingSeconds,
  type SourcedEvent
} from "@countersign/domain/events"
import type { OrgId } from "@countersign/domain/ids"
import { Clock, Context, Effect, Layer, Option, Queue, Stream } from "effect"
import { credentialOf, isCredentialValid } from "../auth/liveness.ts"
import {
  inWorkspace,
  maySeeOf,
  maySeeOfAgent,
  type OwnedAgent,
  seesOwnOnly,
  type TeamObject,
  teamsToSee
} from "../auth/own.ts"
import { decodePositions, encodePositions, positionParts, type Positions } from "../platform/event-cursor.ts"
import { eventText, reconnectHint } from "../platform/event-stream.ts"
import { Signals } from "../platform/signals.ts"
import { openStreams } from "../platform/telemetry.ts"
import { EventsRepository } from "./events-repository.ts"
import { type FeedEntry, makeFeed } from "./feed.ts"

/** Maximum number of open streams of one hub. */
export const streamsMax = 10_000
/** Maximum number of entries that a stream takes at a time from each workspace. */
const takeEntries = 200
/** How often the log is read without a signal and credentials are checked, in milliseconds. */
const pollMillis = 1_000
/** Texts that are cached for streams at the same positions. */
const sharedTextsMax = 256
/** Wake-ups within this time are answered by one read, in milliseconds. */
const restMillis = 10

export interface Subscription {
  /** A workspace, `all`, or undefined for the caller's own. */
  readonly workspace: string | undefined
  /** The position to continue from: opaque, from an event's id or a list's `as_of`. Undefined: from now on. */
  readonly cursor: string | undefined
  /** The parameter or header of the cursor, for the error about a malformed one. */
  readonly cursorName?: string | undefined
}

interface Followed {
  readonly org: OrgId
  /** The person in this workspace. */
  readonly reader: UserPrincipal
  /** The events that the reader may receive; equal for people with the same rights. */
  readonly rights: string
  /** Undefined until a stream without a cursor gets its first position. */
  position: number | undefined
}

/** The same text for all streams at the same positions with the same rights. */
interface SharedText {
  readonly text: string
  readonly positions: ReadonlyArray<number | undefined>
  readonly more: boolean
}

interface OpenStream {
  readonly user: UserPrincipal
  readonly followed: ReadonlyArray<Followed>
  /** The stream follows every membership of a person: a new one ends it too. */
  readonly all: boolean
  readonly nudge: () => void
  /** The last text of the stream, set when it ends. */
  lastText: string
  /** When the next keep-alive comment is due, in milliseconds since 1970. */
  pingAt: number
  ended: boolean
}

/**
 * Wakes one waiting fiber once, however often it is called. A stream waits for nothing else: a timer for each would
 * cost more.
 */
const makeWakeUp = () => {
  let isWoken = false
  let waiting: (() => void) | undefined
  return {
    wake: () => {
      isWoken = true
      waiting?.()
    },
    wait: Effect.callback<void>((resume) => {
      waiting = () => {
        waiting = undefined
        isWoken = false
        resume(Effect.void)
      }
      if (isWoken) waiting()
      return Effect.sync(() => {
        waiting = undefined
      })
    })
  }
}

/** The objects of which a member's lists include those of the agents of some teams: their events follow the lists. */
const teamObjects: Readonly<Partial<Record<EventType, TeamObject>>> = {
  "approval.created": "approval",
  "approval.updated": "approval",
  "approval.decided": "approval",
  "approval.expired": "approval",
  "agent_request.created": "agent_request",
  "agent_request.updated": "agent_request",
  "service_request.updated": "service_request",
  "agent.updated": "agent",
  "delegated_task.updated": "delegated_task",
  "budget_request.updated": "budget_request"
}

/**
 * Whether a reader may receive an event: by its permission, and for a member only if the lists show them the object, or
 * if the event is about no agent.
 */
const mayReceive = ({ reader }: Followed, event: SourcedEvent, of: OwnedAgent): boolean => {
  if (!reader.permissions.has(eventPermission[event.type])) return false
  if (!seesOwnOnly(reader.role)) return true
  const object = teamObjects[event.type]
  // A person's command on a device has an approval without an agent: it is the device owner's.
  if (event.agent_id === null && !(object === "approval" && of.owner_user_id !== null)) return true
  return object === undefined ? maySeeOf(reader, of.owner_user_id) : maySeeOfAgent(reader, object, of)
}

const eventPermissions = [...new Set(Object.values(eventPermission))]
const teamObjectsOfEvents = [...new Set(Object.values(teamObjects))]

const followedOf = (reader: UserPrincipal, position: number | undefined): Followed => ({
  org: reader.org_id,
  reader,
  position,
  rights: `${eventPermissions.map((permission) => reader.permissions.has(permission) ? 1 : 0).join("")}${
    seesOwnOnly(reader.role)
      ? `${reader.user_id} ${teamObjectsOfEvents.map((object) => teamsToSee(reader, object).join()).join(";")}`
      : ""
  }`
})

/** The roles in a workspace that decide what a person sees there. */
const rolesSignature = ({ org_id, role, teams = [] }: Pick<UserPrincipal, "org_id" | "role" | "teams">): string =>
  `${org_id} ${role} ${seesOwnOnly(role) ? teams.map(({ role, team_id }) => `${team_id} ${role}`).sort().join() : ""}`
const signatureOf = (memberships: ReadonlyArray<Parameters<typeof rolesSignature>[0]>): string =>
  memberships.map(rolesSignature).sort().join("\n")

export class Events extends Context.Service<Events, {
  /**
   * 404 for a workspace that is not the caller's, 400 for an invalid cursor. The stream ends with its credential or
   * membership.
   */
  readonly open: (
    user: UserPrincipal,
    subscription: Subscription
  ) => Effect.Effect<Stream.Stream<string>, BadRequest | NotFound | Unavailable>
  /** Ends every stream with `reconnectHint`: a stopping hub does not wait for its clients. */
  readonly endAll: Effect.Effect<void>
}>()("@countersign/hub/audit/Events") {
  static readonly layerOf = (options: { readonly pingMillis: number }) => Layer.effect(Events, make(options.pingMillis))
  static readonly layer = Layer.effect(Events, Effect.suspend(() => make(pingSeconds * 1_000)))
}

function make(pingMillis: number) {
  return Effect.gen(function*() {
    const repository = yield* EventsRepository
    const signals = yield* Signals
    const context = yield* Effect.context<never>()
    const feed = makeFeed(repository)
    const streams = new Set<OpenStream>()
    const dirty = new Set<OrgId>()
    const wake = yield* Queue.sliding<void>(1)

    const end = (stream: OpenStream, lastText = "") => {
      stream.ended = true
      stream.lastText = lastText
      stream.nudge()
    }

    const markDirty = (org: OrgId) => {
      dirty.add(org)
      Queue.offerUnsafe(wake, undefined)
    }

    /**
     * Ends the streams whose credential has ended or whose person has other roles in the workspace or, as a member, in
     * its teams: three queries for all of them.
     */
    const endInvalid = Effect.gen(function*() {
      if (streams.size === 0) return
      const open = [...streams]
      const alive = yield* repository.credentialsAlive([...new Set(open.map((stream) => credentialOf(stream.user)))])
      const memberships = yield* repository.memberships([...new Set(open.map((stream) => stream.user.user_id))])
      for (const stream of open) {
        const now = memberships.get(stream.user.user_id) ?? []
        const readers = stream.followed.map(({ reader }) => reader)
        const same = stream.all
          ? signatureOf(readers) === signatureOf(now)
          : readers.every((reader) => now.some((roles) => rolesSignature(roles) === rolesSignature(reader)))
        if (!same || !isCredentialValid(stream.user, alive)) end(stream)
      }
    })

    /** By the positions and rights of a stream, for one version of the feed. */
    const sharedTexts = new Map<string, SharedText>()
    let sharedTextsVersion = -1

    let polledAt = 0
    const round = Effect.gen(function*() {
      const began = yield* Clock.currentTimeMillis
      const pauseMillis = Math.min(...[...dirty].map(feed.restsUntil)) - began
      yield* Queue.take(wake).pipe(Effect.timeoutOption(Math.max(1, Math.min(pauseMillis, pollMillis, pingMillis))))
      const now = yield* Clock.currentTimeMillis
      for (const stream of streams) if (now >= stream.pingAt) stream.nudge()
      if (now - polledAt >= pollMillis) {
        polledAt = now
        const orgs = feed.orgs()
        if (orgs.length > 0) { for (const org of feed.behind(yield* repository.heads(orgs))) dirty.add(org) }
        yield* endInvalid
      }
      const due = [...dirty].filter((org) => feed.restsUntil(org) <= now)
      for (const org of due) dirty.delete(org)
      yield* Effect.forEach(due, feed.read, { concurrency: 4, discard: true })
      yield* Effect.sleep(restMillis)
    }).pipe(
      Effect.catchCause((cause) =>
        Effect.andThen(
          Effect.logWarning("events could not be read; the hub will retry", cause),
          Effect.sleep(pollMillis)
        )
      )
    )
    yield* Effect.forkScoped(Effect.forever(round))
    const unsubscribe = signals.subscribe((signal) => {
      if (signal.kind === "log" && feed.follows(signal.org)) markDirty(signal.org)
      else if (signal.kind === "resync") feed.orgs().forEach(markDirty)
    })
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        unsubscribe()
        for (const stream of streams) end(stream)
      })
    )

    const resolve = Effect.fnUntraced(
      function*(user: UserPrincipal, workspace: string | undefined, positions: Positions) {
        const own = followedOf(user, positions.get(user.org_id))
        if (workspace === undefined || workspace === user.org_id) return [own]
        const memberships = user.via.kind === "session"
          ? (yield* repository.memberships([user.user_id])).get(user.user_id) ?? []
          : []
        const followed = memberships.map((roles) => followedOf(inWorkspace(user, roles), positions.get(roles.org_id)))
        if (workspace === "all") return user.via.kind === "session" ? followed : [own]
        const one = followed.find(({ org }) => org === workspace)
        return one === undefined ? yield* Effect.fail(noWorkspace()) : [one]
      }
    )

    const open = Effect.fn("Events.open")(
      function*(user: UserPrincipal, { cursor, cursorName = "cursor", workspace }: Subscription) {
        const positions = cursor === undefined ? new Map<string, number>() : decodePositions(cursor)
        if (positions === undefined || [...positions.values()].some((seq) => seq < 0)) {
          return yield* Effect.fail(invalidField(cursorName, "it is not the id of an event or the as_of of a list"))
        }
        const followed = yield* resolve(user, workspace, positions)
        if (streams.size >= streamsMax) {
          return yield* Effect.fail(
            unavailable("The maximum number of event streams is open on this hub. Try again shortly.")
          )
        }
        return Stream.unwrap(begin(user, followed, workspace === "all"))
      }
    )

    const begin = (user: UserPrincipal, followed: ReadonlyArray<Followed>, all: boolean) =>
      Effect.gen(function*() {
        const { wake: nudge, wait } = makeWakeUp()
        const stream: OpenStream = {
          user,
          followed,
          all: all && user.via.kind === "session",
          nudge,
          pingAt: (yield* Clock.currentTimeMillis) + pingMillis,
          lastText: "",
          ended: false
        }
        yield* Effect.acquireRelease(
          Effect.sync(() => {
            streams.add(stream)
            openStreams.updateUnsafe(streams.size, context)
            return followed.map(({ org }) => {
              const stop = feed.watch(org, nudge)
              markDirty(org)
              return stop
            })
          }),
          (stops) =>
            Effect.sync(() => {
              for (const stop of stops) stop()
              streams.delete(stream)
              openStreams.updateUnsafe(streams.size, context)
            })
        )
        // "From now on" means from the current head, read before anything is sent.
        const unplaced = followed.filter(({ position }) => position === undefined).map(({ org }) => org)
        if (unplaced.length > 0) {
          const heads = yield* repository.heads(unplaced)
          for (const each of followed) each.position ??= heads.get(each.org) ?? 0
        }
        const positions = (changed?: { readonly org: OrgId; readonly seq: number }) =>
          encodePositions(
            new Map(followed.map(({ org, position }) => [org, changed?.org === org ? changed.seq : position ?? 0]))
          )

        /** An event that is not the last of its entry has a position within that entry. */
        const frames = (each: Followed, entries: ReadonlyArray<FeedEntry>): ReadonlyArray<string> => {
          const from = each.position ?? 0
          return entries.flatMap(({ events, of, seq }) => {
            const visible = [...events.entries()].filter(([index, event]) =>
              seq - 1 + (index + 1) / positionParts > from && mayReceive(each, event, of)
            )
            return visible.map(([index, { agent_id: _, ...event }], at) => {
              const data: HubEvent = all ? { ...event, workspace: each.org } : event
              return eventText(
                positions({
                  org: each.org,
                  seq: at === visible.length - 1 ? seq : seq - 1 + (index + 1) / positionParts
                }),
                event.type,
                data
              )
            })
          })
        }

        const take = Effect.fnUntraced(function*(each: Followed) {
          const entries = yield* feed.after(each.org, Math.floor(each.position ?? 0), takeEntries)
          if (entries === undefined) {
            each.position = feed.readTo(each.org) ?? (yield* repository.heads([each.org])).get(each.org) ?? 0
            const as_of = positions()
            return { more: true, frames: [eventText(as_of, "reset", { as_of })] }
          }
          const sent = frames(each, entries)
          each.position = entries.at(-1)?.seq ?? each.position
          return { more: entries.length > 0, frames: sent }
        })

        /** Streams at the same positions with the same rights get the same text: it is built once for all of them. */
        const takeAll = Effect.gen(function*() {
          const key = `${all ? 1 : 0} ${
            followed.map(({ org, position, rights }) => `${org} ${position} ${rights}`).join(" ")
          }`
          const cached = sharedTexts.get(key)
          if (cached !== undefined && sharedTextsVersion === feed.version()) {
            for (const [at, each] of followed.entries()) each.position = cached.positions[at]
            return cached
          }
          const version = feed.version()
          const texts: Array<string> = []
          let more = false
          for (const each of followed) {
            const taken = yield* take(each)
            texts.push(...taken.frames)
            more ||= taken.more
          }
          const taken: SharedText = { text: texts.join(""), positions: followed.map(({ position }) => position), more }
          if (version === feed.version()) {
            if (version !== sharedTextsVersion || sharedTexts.size >= sharedTextsMax) sharedTexts.clear()
            sharedTextsVersion = version
            sharedTexts.set(key, taken)
          }
          return taken
        })

        let isDone = false
        const next = Effect.gen(function*() {
          for (;;) {
            if (stream.ended) {
              if (isDone || stream.lastText === "") return undefined
              isDone = true
              return stream.lastText
            }
            const { more, text } = yield* takeAll
            const now = yield* Clock.currentTimeMillis
            if (now >= stream.pingAt) {
              stream.pingAt = now + pingMillis
              return `${text}: ping\n\n`
            }
            if (text !== "") return text
            if (!more) yield* wait
          }
        })
        return Stream.concat(
          Stream.make(": open\n\n"),
          Stream.paginate(
            undefined,
            () =>
              Effect.map(next, (text) =>
                [
                  text === undefined ? [] : [text],
                  text === undefined ? Option.none() : Option.some(undefined)
                ] as const)
          )
        )
      })

    return Events.of({ open, endAll: Effect.sync(() => streams.forEach((stream) => end(stream, reconnectHint))) })
  })
}
