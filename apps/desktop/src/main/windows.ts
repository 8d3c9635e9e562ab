/** The windows, as main's services see them; `electron/windows.ts` makes them real. */
import { Context, type Effect } from "effect"
import type { ConfirmFacts } from "../bridge/contract.ts"
import type { ProfileId } from "./profiles/profile.ts"

/** Of whom a message may come: only a window of this role is answered on a channel of it. */
export type WindowRole = "console" | "confirm" | "owner"

/** What became of the owner's window, when it was not put away by `restOwner`. */
export type OwnerGone = "closed" | "crashed"

export interface Confirming {
  readonly facts: ConfirmFacts
  /** Resolves when a yes counts. */
  readonly ready: Promise<void>
  /** A yes before that is none. */
  readonly answer: (yes: boolean) => "too_soon" | null
}

export interface WindowsShape {
  /** By the id of its web contents; none for what is no window of ours. */
  readonly roleOf: (id: number) => WindowRole | undefined
  /** The profile that was current when this console's page was loaded; undefined: it is no page of the console. */
  readonly profileOf: (id: number) => ProfileId | null | undefined
  /** A page of the console made way for another, broke, or went with its window. */
  readonly onPageGone: (listener: (id: number) => void) => void
  /** Made when there is none, else raised. With a path of the console it opens that screen; `anew` loads the page again. */
  readonly showConsole: (options?: { readonly path?: string; readonly anew?: boolean }) => Effect.Effect<void>
  /** The page of this id can hear of a screen; before that, the last one waits for it. */
  readonly listening: (id: number) => void
  /** Through the screens that were open in the console's window, of the hub that it shows. */
  readonly stepConsole: (by: "back" | "forward") => void
  /** Loads the console's page again, when its window is open. */
  readonly reloadConsole: () => void
  /** False when that window is gone. */
  readonly send: (id: number, channel: string, value: unknown) => boolean
  /** To every window of the console. */
  readonly sendConsole: (channel: string, value: unknown) => void
  /** One at a time, in order. False when the window is closed or cannot be shown, when the one before was a no, or too many wait. */
  readonly confirm: (facts: ConfirmFacts) => Promise<boolean>
  /** What the confirming window with this id asks about. */
  readonly confirming: (id: number) => Confirming | undefined
  /**
   * The owner's window, made when there is none, else raised; it takes the focus. `asking`: a question is why; it then stays above all
   * others until `restOwner`.
   */
  readonly showOwner: (options?: { readonly asking?: boolean }) => Effect.Effect<void>
  /** No question waits any more: it stands among the others again, and goes when only questions had opened it. */
  readonly restOwner: () => void
  /** Nothing happens without such a window. */
  readonly sendOwner: (channel: string, value: unknown) => void
  /** Closed by a person or the system, crashed, or never drawn. */
  readonly onOwnerGone: (listener: (how: OwnerGone) => void) => () => void
}

export class Windows extends Context.Service<Windows, WindowsShape>()("@countersign/desktop/Windows") {}
