/** The windows as main's services use them; `electron/windows.ts` implements them. */
import { Context, type Effect } from "effect"
import type { ConfirmFacts } from "../../bridge/contract.ts"
import type { ProfileId } from "../../bridge/profile-schemas.ts"

/** A window's role; each channel answers only windows of one role. */
export type WindowRole = "console" | "confirm" | "owner"

/** Why the owner's window is gone, unless `restOwner` closed it. */
export type OwnerGone = "closed" | "crashed"

export interface Confirming {
  readonly facts: ConfirmFacts
  /** Resolves when approval is accepted. */
  readonly ready: Promise<void>
  /** An approval before `ready` is refused with `too_soon`. */
  readonly answer: (yes: boolean) => "too_soon" | null
}

export interface WindowsShape {
  /** By the id of its web contents; undefined for other web contents. */
  readonly roleOf: (id: number) => WindowRole | undefined
  /** The profile that was current when this console page was loaded; undefined for other pages. */
  readonly profileOf: (id: number) => ProfileId | null | undefined
  /** A console page was replaced, crashed, or closed with its window. */
  readonly onPageGone: (listener: (id: number) => void) => void
  /** Creates the window or brings it to the front. `path` opens that screen; `reload` loads the page again. */
  readonly showConsole: (options?: { readonly path?: string; readonly reload?: boolean }) => Effect.Effect<void>
  /** The page of this id can receive screens; until then the last screen is kept for it. */
  readonly listening: (id: number) => void
  /** Moves through the navigation history of the console's window, for the hub that it shows. */
  readonly stepConsole: (by: "back" | "forward") => void
  /** Loads the console's page again if its window is open. */
  readonly reloadConsole: () => void
  /** False when the window is gone. */
  readonly send: (id: number, channel: string, value: unknown) => boolean
  /** Sends to every console window. */
  readonly sendConsole: (channel: string, value: unknown) => void
  /**
   * One at a time, in order. False when the window is closed or cannot be shown, when the previous one was rejected, or
   * when too many are pending.
   */
  readonly confirm: (facts: ConfirmFacts) => Promise<boolean>
  /** The question of the confirmation window with this id. */
  readonly confirming: (id: number) => Confirming | undefined
  /**
   * Creates the owner's window or brings it to the front, and focuses it. `asking`: a question caused it; the window
   * then stays on top until `restOwner`.
   */
  readonly showOwner: (options?: { readonly asking?: boolean }) => Effect.Effect<void>
  /** No question is pending: the window is no longer on top, and closes if only questions had opened it. */
  readonly restOwner: () => void
  /** Does nothing without an owner's window. */
  readonly sendOwner: (channel: string, value: unknown) => void
  /** Closed by a person or the system, crashed, or never drawn. */
  readonly onOwnerGone: (listener: (how: OwnerGone) => void) => () => void
}

export class Windows extends Context.Service<Windows, WindowsShape>()("@countersign/desktop/Windows") {}
