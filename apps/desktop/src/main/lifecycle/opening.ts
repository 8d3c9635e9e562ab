/**
 * Opens the screen for a click outside the window: a notification, the tray, or a link. It only opens screens; a target
 * that does not exist here leads to the inbox or to a message. Spec: reference/desktop.md "E12: links".
 */
import { Context, Effect, Layer } from "effect"
import type { ProfileId } from "../../bridge/profile-schemas.ts"
import { Connections } from "../hub/port.ts"
import type { AttentionActs } from "../notices/attention.ts"
import { Profiles } from "../profiles/profiles.ts"
import { Waiting } from "../waiting/service.ts"
import { Windows } from "../windows/windows.ts"
import { type DeepLink, inboxRowPath, resolveDeepLink, screenPath } from "./deep-links.ts"

const answerMillisMax = 3_000

export type Target = Parameters<AttentionActs["open"]>[0]

export class Opening extends Context.Service<Opening, {
  readonly open: (target: Target) => Effect.Effect<void>
  /** Shows the window with the link's screen. */
  readonly launch: (link: DeepLink | undefined) => Effect.Effect<void>
}>()("@countersign/desktop/Opening") {
  static readonly layer = Layer.effect(Opening, Effect.suspend(() => make))
}

const make = Effect.gen(function*() {
  const profiles = yield* Profiles
  const connections = yield* Connections
  const waiting = yield* Waiting
  const windows = yield* Windows

  /** Shows the path in this hub's window; loads the page again when another hub was current. */
  const show = Effect.fnUntraced(function*(profile: ProfileId, path: string) {
    const isCurrent = profile === (yield* profiles.current)
    if (!isCurrent) yield* Effect.ignore(profiles.choose(profile))
    yield* windows.showConsole({ path, reload: !isCurrent })
  })
  /**
   * The workspace of a pending approval, or else the person's last workspace; undefined when the hub does not answer.
   */
  const workspaceOf = (profile: ProfileId, id: string | undefined): Effect.Effect<string | undefined> => {
    const row = waiting.overview().items.find((each) => each.profile === profile && each.id === id)
    if (row !== undefined) return Effect.succeed(row.workspace)
    return connections.call(profile, "auth.me", {}).pipe(
      Effect.timeout(answerMillisMax),
      Effect.map(({ active_workspace }) => active_workspace),
      Effect.catch(() => Effect.undefined)
    )
  }

  const open = (target: Target): Effect.Effect<void> => {
    switch (target.kind) {
      case "approval":
        return show(target.profile, screenPath({ screen: "approval", id: target.id }, target.workspace))
      case "inbox_row":
        return show(target.profile, inboxRowPath(target))
      case "inbox":
        return show(target.profile, "/")
      case "screen":
        return show(target.profile, target.path)
      // Keeps the current screen.
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
