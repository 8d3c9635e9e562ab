/**
 * Ends the app while this computer runs commands: the person who quits chooses to wait for the commands, stop them, or
 * keep the app open. While the app waits, the tray stays and shows the number of running commands; a start in the
 * meantime is stored and performed after the app has ended. Spec: reference/desktop.md "Quitting".
 */
import type { DeviceHost } from "../device/host.ts"
import type { TrayModel } from "../waiting/tray.ts"
import type { Launch } from "./launch.ts"

export type QuitAnswer = "wait" | "stop" | "stay"

export interface EndingParts {
  readonly host: Pick<DeviceHost, "panic" | "pause" | "stop" | "subscribe" | "view">
  readonly ask: (running: number) => Promise<QuitAnswer>
  /** Quits again; `mayQuit` then allows it. */
  readonly quit: () => void
  readonly onStay: () => void
  /** The number of commands that the app still waits for. */
  readonly show: (running: number) => void
  /** Disposes all services; the windows are already closed. */
  readonly dispose: () => Promise<void>
  /** The last step. `again`: the start that was requested in the meantime. */
  readonly exit: (again: Launch | undefined) => void
}

export interface Ending {
  /** Whether a requested quit may proceed; false while the person is choosing. */
  readonly mayQuit: () => boolean
  /** The windows are closed. Further calls have no effect. */
  readonly end: () => Promise<void>
  /** Stops the commands instead of waiting for them. */
  readonly hurry: () => void
  /** The system shuts down: quits without a question. */
  readonly systemEnds: () => void
  /** True when the app is ending; the start is then performed after the end. */
  readonly remembers: (launch: Launch) => boolean
}

export const makeEnding = ({ ask, dispose, exit, host, onStay, quit, show }: EndingParts): Ending => {
  /** Answer to the last quit. The windows may have kept the app open after it; then the next quit asks again. */
  let answer: QuitAnswer | undefined
  let isAnswered = false
  let isAsking = false
  let isEnding = false
  let skipsQuestion = false
  let again: Launch | undefined
  const { promise: hurried, resolve: hurry } = Promise.withResolvers<"hurry">()
  const running = (): number => host.view().running.length

  const askFirst = async (): Promise<void> => {
    isAsking = true
    answer = await ask(running()).catch((): QuitAnswer => "stay").finally(() => {
      isAsking = false
    })
    if (answer === "stay") return onStay()
    isAnswered = true
    quit()
  }
  /** Resolves when no command runs. */
  const over = (): Promise<"over"> =>
    new Promise((resolve) => {
      const check = (): void => {
        if (running() > 0) return show(running())
        off()
        resolve("over")
      }
      const off = host.subscribe(check)
      // Accepts no new commands.
      host.pause()
      check()
    })

  return {
    mayQuit: () => {
      if (isEnding || isAsking) return false
      if (isAnswered) {
        isAnswered = false
        return true
      }
      answer = undefined
      if (skipsQuestion || running() === 0) return true
      void askFirst()
      return false
    },
    end: async () => {
      if (isEnding) return
      isEnding = true
      try {
        const how = answer === "wait" ? await Promise.race([over(), hurried]) : answer
        if (how === "stop" || how === "hurry") await host.panic()
        if (running() > 0) show(running())
        await host.stop()
      } finally {
        await dispose().catch(() => {})
        exit(again)
      }
    },
    hurry: () => hurry("hurry"),
    systemEnds: () => {
      skipsQuestion = true
    },
    remembers: (launch) => {
      if (isEnding) again = launch
      return isEnding
    }
  }
}

/** The tray's complete content while the app waits for commands. */
export const endingTray = (model: TrayModel, running: number): TrayModel => {
  const words = running === 1 ? "Ends when 1 command has ended" : `Ends when ${running} commands have ended`
  return {
    ...model,
    tooltip: `Countersign: ${words}`,
    menu: [{ kind: "fact", label: words }, { kind: "line" }, {
      kind: "act",
      label: "Stop them and quit now",
      act: { kind: "quit" }
    }]
  }
}
