/**
 * Notifications of events that leave nothing pending: failed runs of workflows, budget alerts, and apps that need a new
 * sign-in, each only if the person wants it. Spec: reference/desktop.md "Notifications".
 */
import type { HubEvent } from "@countersign/domain/events"
import type { NoticeEvent } from "@countersign/domain/notice-events"
import type { HubError } from "@countersign/hub-client/error"
import { Effect, FiberMap, Stream } from "effect"
import type { ConnectionsShape } from "../hub/port.ts"
import { plainLine } from "../platform/plain-text.ts"
import type { Profile } from "../profiles/profile.ts"
import { keyOf } from "../waiting/overview.ts"
import type { Notice } from "./notice.ts"
import { type NoticePreferencesShape, wants } from "./preferences.ts"

/** Reads of one hub at a time. */
const readsAtOnce = 2
/** Shown events that are remembered, so that a repeated event is shown once. */
const shownMax = 1_000

/** What an event may report; undefined for an event of pending rows. */
const eventOf: Partial<Readonly<Record<HubEvent["type"], NoticeEvent>>> = {
  "run.updated": "run.failed",
  "budget.alert": "budget.alert",
  "app.updated": "app.needs_reauth"
}

interface Found {
  /** Identifies the event over repeats: a run that fails again is another one. */
  readonly key: string
  readonly title: string
  readonly body: string
}

const limitWords: Readonly<Record<string, string>> = {
  agent_month: "monthly budget",
  operation_month: "monthly cap",
  operation_day_count: "daily limit"
}

/** Undefined: there is nothing to report, such as a run that succeeded. */
const readEvent = Effect.fnUntraced(function*(
  call: ConnectionsShape["call"],
  { id: hubProfile }: Profile,
  { subject, type, id: eventId }: HubEvent,
  workspace: string
): Effect.fn.Return<Found | undefined, HubError> {
  switch (type) {
    case "run.updated": {
      const run = yield* call(hubProfile, "workflow_runs.get", { params: { runId: subject.id } }, { workspace })
      if (run.status !== "failed" || run.parent_run_id !== undefined) return undefined
      const workflow = yield* call(hubProfile, "workflows.get", { params: { id: run.workflow_id } }, { workspace })
      return {
        key: `${run.id} ${run.ended_at ?? ""}`,
        title: `The workflow ${plainLine(workflow.name, 60)} failed`,
        body: run.error === undefined ? "" : plainLine(run.error.code, 60)
      }
    }
    case "budget.alert": {
      const { data } = yield* call(hubProfile, "budgets.alerts", { query: { limit: 50 } }, { workspace })
      // An event has the id of its entry, after its own prefix.
      const alert = data.find(({ id }) => id.slice(id.indexOf("_")) === eventId.slice(eventId.indexOf("_")))
      return alert === undefined ? undefined : {
        key: alert.id,
        title: `${plainLine(alert.agent.name, 40)} has used ${alert.level} % of its ${
          limitWords[alert.limit] ?? "limit"
        }`,
        body: ""
      }
    }
    case "app.updated": {
      const app = yield* call(hubProfile, "apps.get", { params: { id: subject.id } }, { workspace })
      const { user } = yield* call(hubProfile, "auth.me", {}, { workspace })
      return app.status !== "needs_reauth" || app.owner_user_id !== user.id ? undefined : {
        key: `${app.id} ${eventId}`,
        title: `${plainLine(app.name, 60)} needs to be reconnected`,
        body: ""
      }
    }
    default:
      return undefined
  }
})

const folders: Partial<Readonly<Record<HubEvent["type"], string>>> = {
  "run.updated": "workflow-runs/",
  "budget.alert": "agents/",
  "app.updated": "apps?app="
}

export interface EventNoticesOptions {
  readonly connections: Pick<ConnectionsShape, "call" | "events">
  readonly preferences: Pick<NoticePreferencesShape, "read">
  /** In order; each list replaces the one before. */
  readonly profiles: Stream.Stream<ReadonlyArray<Profile>>
  /** Whether the app's and the profile's own settings allow a notification now. */
  readonly mayShow: (profile: Profile) => boolean
  readonly show: (notice: Notice) => void
  readonly now: () => number
}

/** Follows the events of all hubs for the life of the scope. */
export const followEventNotices = Effect.fnUntraced(
  function*({ connections, mayShow, now, preferences, profiles, show }: EventNoticesOptions) {
    const followers = yield* FiberMap.make<Profile["id"]>()
    const shown = new Set<string>()

    const handle = Effect.fnUntraced(function*(profile: Profile, event: HubEvent) {
      const kind = eventOf[event.type]
      const { workspace } = event
      if (kind === undefined || workspace === undefined || !mayShow(profile)) return
      const wanted = yield* preferences.read(profile.id, workspace)
      if (!wants(wanted, kind, now())) return
      const found = yield* readEvent(connections.call, profile, event, workspace)
      const key = found === undefined ? "" : keyOf(profile.hub_id, found.key)
      if (found === undefined || shown.has(key)) return
      shown.add(key)
      for (const oldest of shown) {
        if (shown.size <= shownMax) break
        shown.delete(oldest)
      }
      show({
        keys: [key],
        title: found.title,
        body: [found.body, plainLine(profile.name, 40)].filter((text) => text !== "").join(" · "),
        target: {
          kind: "screen",
          profile: profile.id,
          path: `/w/${workspace}/${folders[event.type] ?? ""}${encodeURIComponent(event.subject.id)}`
        },
        reminder: false
      })
    })

    const follow = (profile: Profile) =>
      connections.events(profile.id).pipe(
        Stream.mapEffect(
          (news) =>
            news.kind === "event"
              // An event that cannot be read is not shown: the person may not see its object.
              ? Effect.catchCause(handle(profile, news.event), () => Effect.void)
              : Effect.void,
          { concurrency: readsAtOnce }
        ),
        Stream.runDrain
      )

    yield* profiles.pipe(
      Stream.runForEach((present) =>
        Effect.gen(function*() {
          for (const [id] of followers) {
            if (!present.some((profile) => profile.id === id)) yield* FiberMap.remove(followers, id)
          }
          for (const profile of present) {
            yield* FiberMap.run(followers, profile.id, follow(profile), { onlyIfMissing: true })
          }
        })
      ),
      Effect.forkScoped
    )
  }
)
