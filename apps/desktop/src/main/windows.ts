/** The windows, as main's services see them; `electron/windows.ts` makes them real. */
import { Context, type Effect } from "effect"
import type { ConfirmFacts } from "../bridge/contract.ts"

/** Of whom a message may come: only a window of this role is answered on a channel of it. */
export type WindowRole = "console" | "confirm"

export interface WindowsShape {
  /** By the id of its web contents; none for what is no window of ours. */
  readonly roleOf: (id: number) => WindowRole | undefined
  /** Made when there is none, else raised. With a path of the console it opens that screen; `anew` loads the page again. */
  readonly showConsole: (options?: { readonly path?: string; readonly anew?: boolean }) => Effect.Effect<void>
  /** False when that window is gone. */
  readonly send: (id: number, channel: string, value: unknown) => boolean
  /** To every window of the console. */
  readonly sendConsole: (channel: string, value: unknown) => void
  /** One at a time, in order. False when the window is closed, or cannot be shown. */
  readonly confirm: (facts: ConfirmFacts) => Promise<boolean>
  /** What the confirming window with this id asks about. */
  readonly showOwner: () => Effect.Effect<void>
  readonly confirming: (id: number) => { readonly facts: ConfirmFacts; readonly answer: (yes: boolean) => void } | undefined
}

export class Windows extends Context.Service<Windows, WindowsShape>()("@countersign/desktop/Windows") {}
