/**
 * The end of the app while this computer runs commands: whoever quits is asked whether they are waited for, stopped, or the app stays.
 * What is waited for keeps the tray, which says so, until it is over; a start meanwhile is remembered and made when the app has ended.
 * Spec: desktop 4.3 "drain".
 */
import type { DeviceHost } from "./device/host.ts"
import type { Launch } from "./launch.ts"
import type { TrayModel } from "./waiting/tray.ts"

export type QuitAnswer = "wait" | "stop" | "stay"

export interface EndingParts {
  readonly host: Pick<DeviceHost, "panic" | "pause" | "stop" | "subscribe" | "view">
  readonly ask: (running: number) => Promise<QuitAnswer>
  /** Quits again: `mayQuit` lets it. */
  readonly quit: () => void
  readonly onStay: () => void
  /** So many are waited for. */
  readonly show: (running: number) => void
  /** All services; their windows are gone. */
  readonly dispose: () => Promise<void>
  /** The last of all. `again`: the start that was asked for meanwhile. */
  readonly exit: (again: Launch | undefined) => void
}

export interface Ending {
  /** Of a quit that was asked for; false: it does not go on now, a person is asked first. */
  readonly mayQuit: () => boolean
  /** Its windows are gone. Again is nothing new. */
  readonly end: () => Promise<void>
  /** What is waited for is stopped after all. */
  readonly hurry: () => void
  /** The system goes down: nobody is asked. */
  readonly systemEnds: () => void
  /** True: the app ends, and the start is made when it has. */
  readonly remembers: (launch: Launch) => boolean
}

export const makeEnding = ({ ask, dispose, exit, host, onStay, quit, show }: EndingParts): Ending => {
  /** Of the last quit. The windows may have kept the app after it: then the next one is asked about anew. */
  let answer: QuitAnswer | undefined
  let isAnswered = false
  let isAsking = false
  let isEnding = false
  let isUnasked = false
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
  /** Nothing runs any more. */
  const over = (): Promise<"over"> =>
    new Promise((resolve) => {
      const look = (): void => {
        if (running() > 0) return show(running())
        off()
        resolve("over")
      }
      const off = host.subscribe(look)
      // Nothing new is begun.
      host.pause()
      look()
    })

  return {
    mayQuit: () => {
      if (isEnding || isAsking) return false
      if (isAnswered) {
        isAnswered = false
        return true
      }
      answer = undefined
      if (isUnasked || running() === 0) return true
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
      isUnasked = true
    },
    remembers: (launch) => {
      if (isEnding) again = launch
      return isEnding
    }
  }
}

/** All that the tray says and offers while commands are waited for. */
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
