import { useText } from "@countersign/ui/text/catalogue"
import { useCallback, useEffect, useState } from "react"
import type { Answer, ConsoleBridge } from "../../bridge/contract.ts"
import type { ComputerTopic } from "../../bridge/this-computer.ts"
import { desktopText } from "../text.ts"

export interface Asked<A> {
  readonly value: A | undefined
  /** Of the last question, or the last act. */
  readonly problem: string | undefined
  /** What is pressed: its answer's problem is shown, and the value read anew. */
  readonly act: (work: Promise<Answer<unknown>>) => void
}

/** What main says of this computer, asked again whenever it changed. */
export const useComputer = <A>(
  bridge: ConsoleBridge,
  topic: ComputerTopic,
  ask: () => Promise<Answer<A>>
): Asked<A> => {
  const { notDone } = useText(desktopText)
  const [value, setValue] = useState<A>()
  const [problem, setProblem] = useState<string>()
  const read = useCallback(async () => {
    const said = await ask()
    if (said.ok) setValue(said.value)
    else setProblem(said.error.message)
  }, [ask])
  useEffect(() => {
    void read()
    return bridge.onComputer((changed) => {
      if (changed === topic) void read()
    })
  }, [bridge, read, topic])
  const act = useCallback((work: Promise<Answer<unknown>>) => {
    setProblem(undefined)
    work.then((said) => {
      if (!said.ok) setProblem(said.error.message)
      return read()
    }, () => setProblem(notDone))
  }, [notDone, read])
  return { value, problem, act }
}
