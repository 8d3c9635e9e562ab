import { useCallback, useEffect, useState } from "react"
import type { Answer } from "../../bridge/answer.ts"
import type { ConsoleBridge } from "../../bridge/contract.ts"
import type { ComputerTopic } from "../../bridge/this-computer.ts"
import { desktopText } from "./text.ts"

export interface ComputerValue<A> {
  readonly value: A | undefined
  /** The error of the last read or action. */
  readonly problem: string | undefined
  /** Runs an action, shows its error, and reads the value again. */
  readonly act: (work: Promise<Answer<unknown>>) => void
}

/** A value of the main process about this computer, read again after every change. */
export const useComputer = <A>(
  bridge: ConsoleBridge,
  topic: ComputerTopic,
  ask: () => Promise<Answer<A>>
): ComputerValue<A> => {
  const { notDone } = desktopText
  const [value, setValue] = useState<A>()
  const [problem, setProblem] = useState<string>()
  const read = useCallback(async () => {
    const answer = await ask()
    if (answer.ok) setValue(answer.value)
    else setProblem(answer.error.message)
  }, [ask])
  useEffect(() => {
    void read()
    return bridge.onComputer((changed) => {
      if (changed === topic) void read()
    })
  }, [bridge, read, topic])
  const act = useCallback((work: Promise<Answer<unknown>>) => {
    setProblem(undefined)
    work.then((answer) => {
      if (!answer.ok) setProblem(answer.error.message)
      return read()
    }, () => setProblem(notDone))
  }, [notDone, read])
  return { value, problem, act }
}
