/**
 * What a click outside the window opens: a notification, the tray, a link. It opens a screen and nothing more; whatever it names that is
 * not here leads to the inbox, or says so. Spec: desktop E12.
 */
import { Context, Effect, Layer } from "effect"
import type { AttentionActs } from "./attention.ts"
import { type DeepLink, resolveDeepLink, screenPath } from "./deep-links.ts"
import { Connections } from "./hub/port.ts"
import type { ProfileId } from "./profiles/profile.ts"
import { Profiles } from "./profiles/profiles.ts"
import { Waiting } from "./waiting/service.ts"
import { Windows } from "./windows.ts"

const lookMillis = 3_000

export type Target = Parameters<AttentionActs["open"]>[0]

export class Opening extends Context.Service<Opening, {
  readonly open: (target: Target) => Effect.Effect<void>
  /** The window, and the screen of the link. */
  readonly launch: (link: DeepLink | undefined) => Effect.Effect<void>
}>()("@countersign/desktop/Opening") {
  static readonly layer = Layer.effect(Opening, Effect.suspend(() => make))
}

const make = Effect.gen(function*() {
  const profiles = yield* Profiles
  const connections = yield* Connections
  const waiting = yield* Waiting
  const windows = yield* Windows

  /** In the window of this hub: another one's begins anew. */
  const show = Effect.fnUntraced(function*(profile: ProfileId, path: string) {
    const isCurrent = profile === (yield* profiles.current)
    if (!isCurrent) yield* Effect.ignore(profiles.choose(profile))
    yield* windows.showConsole({ path, anew: !isCurrent })
  })
  /** Where an approval waits, else where its person was last; none: that cannot be told now. */
  const workspaceOf = (profile: ProfileId, id: string | undefined): Effect.Effect<string | undefined> => {
    const row = waiting.overview().items.find((each) => each.profile === profile && each.id === id)
    if (row !== undefined) return Effect.succeed(row.workspace)
    return connections.call(profile, "auth.me", {}).pipe(
      Effect.timeout(lookMillis),
      Effect.map(({ active_workspace }) => active_workspace),
      Effect.catch(() => Effect.undefined)
    )
  }

  const open = (target: Target): Effect.Effect<void> => {
    switch (target.kind) {
      case "approval":
        return show(target.profile, screenPath({ screen: "approval", id: target.id }, target.workspace))
      case "inbox":
        return show(target.profile, "/")
      // As it was left.
      case "window":
        return windows.showConsole()
      case "device":
        return windows.showConsole({ path: "/device" })
      case "panic":
        return windows.showOwner()
    }
  }
  const launch = Effect.fnUntraced(function*(link: DeepLink | undefined) {
    if (link === undefined) return yield* windows.showConsole()
    const outcome = resolveDeepLink(link, yield* profiles.all, yield* profiles.current)
    if (outcome.kind === "unknown_hub") return yield* windows.showConsole({ path: `/hubs?unknown=${outcome.hubId}` })
    const { id } = outcome.profile
    yield* show(id, screenPath(link, yield* workspaceOf(id, link.id)))
  })
  return { open, launch }
})
